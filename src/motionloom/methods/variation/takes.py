"""The clips of a model as aligned takes: tables that synthesis reads from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray
from motionloom.kinematics.body.roles import group
from motionloom.kinematics.feet.contacts import contact_array
from motionloom.kinematics.feet.standing import slips, standing_shares
from motionloom.kinematics.loop import faded_gap
from motionloom.methods.variation.dofs import Dofs
from motionloom.methods.variation.networks import Networks
from motionloom.methods.variation.timing import MOMENTS, MeanLoop

CLOSING = 0.3  # of a loop, at either end, in which the gap between its ends is taken out
CLOSING_RATE = 0.3  # s, at most, the same for their rates: over longer times it would bend knees beyond their range
MARGIN = 0.1  # of the observed range: a value may leave it by this share
DIFFUSION = 1.5  # how far random weights are shared along edges of the network
KNOT_SECONDS = 0.3  # s between the knots of random weights, at least
LONE_KNOT_SECONDS = 0.8  # s for a single take, whose degrees of freedom are sped up where they run ahead more and more
SLOWEST = 10.0  # s, at most
DETAIL = 0.06  # s: deviation of the bell that smooths takes; what is left are details
LASTING = 0.2  # share in the variance of the weights of a part that the whole body shares and that changes slowly
STEADY = 0.1  # m/s: by so much the rest of the weights may change the pace of a stream, root mean square
EXCESS = 0.01  # by so much the root mean square jerk of variants may exceed that of the takes
TIED = 1.0  # weight of a link between degrees of freedom that depend on each other
AXES = 4.0  # between the axes of a joint: mixed from different takes, they turn it about an axis that no take has
TOGETHER = 0.8  # takes' deviations that correlate by more link degrees of freedom; less may be chance
STIFF = 1.0  # weight of a link between degrees of freedom that correlate by one half
CLOSEST = 0.999  # the correlation of no two degrees of freedom counts as more


class Takes(NamedTuple):
    """S takes at U moments of their common clock, as kernels take them."""

    values: FloatArray  # (S, U, D) displacements are per moment of the clock
    details: FloatArray  # (S, U, D) the part of the values that changes quickly, see `details_of`
    speeds: FloatArray  # (S, U) frames of the take in a moment of the clock
    frames: FloatArray  # (S, U) which frame of the take that is
    contacts: BoolArray  # (S, U, P) does each foot part stand?
    standing: FloatArray  # (S, U, P) how much the hips follow it
    slips: FloatArray  # (S, U, P, 2) m: how far it moves in a frame, left and forward
    low: FloatArray  # (D,) smallest observed value
    high: FloatArray  # (D,) largest
    sharing: FloatArray  # (D, D) turns independent random numbers into those that linked DOFs share; rows of length 1
    displacement: BoolArray  # (D,)
    knot: float  # s between the knots of random weights
    lasting: float  # share of the part that changes slowly in the variance of the weights
    timing: FloatArray  # (D,) how much the random numbers of each degree of freedom count in those of timing


def build_takes(
    clips: Sequence[Clip], sequences: Sequence[FloatArray], frames: FloatArray, dofs: Dofs, sharing: FloatArray
) -> Takes:
    """The tables of sequences (F, D) whose frames on the common clock are `frames` (S, U)."""
    speeds, values = np.gradient(frames, axis=1), aligned_values(sequences, frames, dofs)
    near = np.round(frames).astype(np.int64)
    contacts, standing, slipped = (
        np.stack([table(clip)[row] for clip, row in zip(clips, near, strict=True)])
        for table in (contact_array, standing_shares, slips)
    )
    whole = np.concatenate(sequences)
    return Takes(
        np.ascontiguousarray(values),
        details_of(values, dofs.layout.fps),
        np.ascontiguousarray(speeds),
        np.ascontiguousarray(frames),
        np.ascontiguousarray(contacts),
        np.ascontiguousarray(standing),
        np.ascontiguousarray(slipped),
        whole.min(0),
        whole.max(0),
        sharing.copy(),
        dofs.displacement.copy(),
        _knot_seconds(values[..., ~dofs.displacement] * _reach(dofs, whole), dofs.layout.fps),
        LASTING,
        _timing_shares(dofs.displacement, sharing),
    )


def _timing_shares(displacement: BoolArray, sharing: FloatArray) -> FloatArray:
    """(D,) whose random numbers those of timing are the sum of, of variance 1: those of displacements, else all.

    Speed over the ground is displacement by time: with other weights for the clock than for displacements, a take that
    is long for its time would be mixed with one that is short for it.
    """
    chosen = (displacement if displacement.any() else ~displacement).astype(float)
    return np.asarray(chosen / np.sqrt(max(((chosen @ sharing) ** 2).sum(), 1e-12)))


def aligned_values(sequences: Sequence[FloatArray], frames: FloatArray, dofs: Dofs) -> FloatArray:
    """(S, U, D) sequences (F, D) at their `frames` (S, U); displacements are per moment of the clock."""
    values = np.stack([cubic_at(s, f) for s, f in zip(sequences, frames, strict=True)])
    values[:, :, dofs.displacement] *= np.gradient(frames, axis=1)[:, :, None]
    return values


def details_of(values: FloatArray, fps: float, *, closed: bool = False) -> FloatArray:
    """(S, U, D) the quick part of aligned values: what a bell of deviation `DETAIL` smooths away.

    Joints make up for each other's quick movements: a head and hands are steadier than the spine and the arms that
    carry them. Mixed with weights of their own, those of a walk (35) made hands and head jerk 2.1 to 3.4 times as much.
    """
    from scipy.ndimage import gaussian_filter1d

    width = DETAIL * MOMENTS * fps
    if closed:  # the last moment is the first one again
        smooth = gaussian_filter1d(values[:, :-1], width, axis=1, mode="wrap")
        return np.ascontiguousarray(values - np.concatenate([smooth, smooth[:, :1]], axis=1))
    room = min(values.shape[1] - 1, round(4 * width))
    padded = np.pad(values, ((0, 0), (room, room), (0, 0)), "reflect", reflect_type="odd")
    smooth = gaussian_filter1d(padded, width, axis=1)[:, room : room + values.shape[1]]
    return np.ascontiguousarray(values - smooth)


def closed_takes(takes: Takes, loop: MeanLoop, fps: float, ahead: int) -> Takes:
    """The takes from the start of a loop to its end, each closed: its last moment is its first one again.

    `ahead` is the number of the degree of freedom that moves the hips forward, -1 if none does.

    What a take's own ends differ by, in value and rate, is taken out half at either end (`kinematics.loop`). Every take
    gets the mean turn and the mean displacement to the side of a cycle: hips that face a little to the left at the end
    of one take would face back in the next cycle of that performer, and turn a stream in circles else. The pace of each
    take stays; the more paces differ, the more of the weights changes slowly.
    """
    last = takes.values.shape[1] - 1
    inside = np.arange(loop.start, min(loop.stop, last) + 1)
    beyond = loop.stop - inside[-1]  # a loop ends up to a frame after the last moment: straight on
    width = max(1, min(len(inside) // 2, round(CLOSING * (len(inside) - 1))))

    def cut(table: FloatArray) -> FloatArray:
        rows = table[:, inside]
        more = rows[:, -1:] + np.arange(1, beyond + 1)[:, None] * (rows[:, -1:] - rows[:, -2:-1])
        return np.concatenate([rows, more], axis=1)

    def closed(table: FloatArray, rate_width: int = 0) -> FloatArray:
        return np.stack([row + faded_gap(row, width, rate_width) for row in cut(table)])

    held = np.concatenate([inside, np.repeat(inside[-1:], beyond)])  # what is not continued keeps its last value
    speeds = np.maximum(closed(takes.speeds[..., None])[..., 0], 0.25 / MOMENTS)
    values, moved = closed(takes.values, min(width, round(CLOSING_RATE * MOMENTS * fps))), takes.displacement
    values = _limited(values, takes.low, takes.high)
    values[..., moved] = closed(takes.values[..., moved])
    mean = takes.values[:, inside].mean(1)  # per moment
    even = [d for d in np.flatnonzero(moved) if d != ahead]
    mean[:, even] = mean[:, even].mean(0)
    values[..., moved] += (mean - values[:, :-1].mean(1))[:, None, moved]
    paces = fps * mean[:, ahead] / speeds[:, :-1].mean(1) if ahead >= 0 else np.zeros(1)
    return takes._replace(
        lasting=max(LASTING, 1.0 - 0.5 * STEADY**2 / max(float(paces.var()), 1e-9)),
        values=np.ascontiguousarray(values),
        details=details_of(values, fps, closed=True),
        speeds=np.ascontiguousarray(speeds),
        frames=np.ascontiguousarray(takes.frames[:, held]),
        contacts=np.ascontiguousarray(takes.contacts[:, held]),
        standing=np.ascontiguousarray(takes.standing[:, held]),
        slips=np.ascontiguousarray(takes.slips[:, held]),
    )


def _limited(values: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Values (..., D) that leave low .. high by less than `MARGIN` of it: within it as they are, and without a bend."""
    half = np.maximum(0.5 * (high - low), 1e-12)
    off = (values - low) / half - 1.0
    over = np.maximum(np.abs(off) - 1.0, 0.0)
    room = 2.0 * MARGIN
    return np.asarray(low + half * (1.0 + np.sign(off) * (np.abs(off) - over + room * np.tanh(over / room))))


def _reach(dofs: Dofs, values: FloatArray) -> FloatArray:
    return np.asarray(dofs.scales("reach", values)[~dofs.displacement])


def _knot_seconds(values: FloatArray, fps: float) -> float:
    """How slowly the weights of takes (S, U, D) must change so that variants jerk no more than takes.

    Where takes differ by an offset that lasts (the place of a stroke), weights that change quickly turn it into
    movement. The covariance of a variant between two moments is that of the takes times the correlation of the weights,
    a B-spline of degree 7 of their distance in knots; the mean square of its third differences follows.
    """
    from scipy.interpolate import BSpline

    binomial = np.array([-1.0, 3.0, -3.0, 1.0])
    count = values.shape[1] - MOMENTS * (len(binomial) - 1)
    if len(values) < 2:
        return LONE_KNOT_SECONDS
    if count < 1:
        return KNOT_SECONDS
    mean = values.mean(0)
    frames = [(values - mean)[:, MOMENTS * k : MOMENTS * k + count] for k in range(len(binomial))]
    apart = np.arange(len(binomial))[:, None] - np.arange(len(binomial))
    together = np.array([[(a * b).sum() for b in frames] for a in frames]) / (len(values) - 1)
    parts = np.outer(binomial, binomial) * together
    still = (sum(k * mean[MOMENTS * m : MOMENTS * m + count] for m, k in enumerate(binomial)) ** 2).sum()
    bell = BSpline.basis_element(np.arange(-4.0, 5.0))
    knot = KNOT_SECONDS
    while knot < SLOWEST:
        correlation = bell(np.minimum(np.abs(apart) / (fps * knot), 4.0)) / bell(0.0)
        if still + (parts * correlation).sum() <= (1.0 + EXCESS) ** 2 * (still + parts.sum()):
            break
        knot *= np.sqrt(2.0)
    return float(knot)


def cubic_at(values: FloatArray, frames: FloatArray) -> FloatArray:
    """(N, D) values (F, D) at fractional frames (N,): the cubic spline through all frames."""
    from scipy.interpolate import CubicSpline

    return np.asarray(CubicSpline(np.arange(len(values)), values, axis=0)(frames))


def deviation_correlations(values: FloatArray) -> FloatArray:
    """(D, D) how the deviations of degrees of freedom from the mean of takes (S, U, D) correlate; one take: zeros."""
    off = (values - values.mean(0)).reshape(-1, values.shape[2])
    off = off / np.maximum(np.linalg.norm(off, axis=0), 1e-12)
    return np.asarray(off.T @ off)


def take_links(values: FloatArray) -> FloatArray:
    """(D, D) weights of links between degrees of freedom whose deviations from the mean of takes (S, U, D) correlate.

    With weights that correlate by k, the difference of two degrees of freedom of correlation r varies by 1 - k r, not
    by 1 - r: hands that are always at the same height stay so only if 1 - k is small against 1 - r. Hence links are the
    stiffer the nearer r is to 1, without bound.
    """
    r = np.minimum(np.abs(deviation_correlations(values)), CLOSEST)
    return np.where(r > TOGETHER, STIFF * r / (1.0 - r), 0.0)


def shared_noise(networks: Networks, dofs: Dofs, links: FloatArray) -> FloatArray:
    """(D, D) rows of length 1: random numbers times this are shared by degrees of freedom that are linked.

    The heat kernel exp(-b L) of the Laplacian L of all links, whose square root is symmetric: it spreads noise along
    links and leaves independent what is not linked. Beside `links` (D, D), the `take_links` (two arms that swing as
    one), linked are the edges of the transition network, the axes of each joint, and the hips with all joints of the
    legs, without which feet would not stand.
    """
    count = dofs.count
    edges = networks.transition.reshape(count, 3, count).any(1)
    legs = np.isin(dofs.joints, [0, *group(dofs.layout.skeleton, "lower")])
    tied = edges | edges.T | np.outer(legs, legs)
    links = np.maximum(links, np.where(dofs.joints[:, None] == dofs.joints, AXES, TIED * tied))
    np.fill_diagonal(links, 0.0)
    laplacian = np.diag(links.sum(1)) - links
    values, vectors = np.linalg.eigh(laplacian)
    root = (vectors * np.exp(-0.5 * DIFFUSION * values)) @ vectors.T
    return np.asarray(root / np.linalg.norm(root, axis=1, keepdims=True))
