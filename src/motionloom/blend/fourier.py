"""Locomotion as Fourier series: interpolated, given a characteristic, and controlled (GUAN 2.3.4, eqs 2.10-2.13).

Each channel of one cycle is Theta(t) = A_0 + sum_n A_n sin(n t + Phi_n), with t from 0 to 2 pi from one step of the
left foot to its next: a common phase origin. The root is velocity in the heading of the body, so that it repeats
too.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from motionloom.analysis import cycle_times
from motionloom.core import (
    BadRequest,
    BoolArray,
    Clip,
    FloatArray,
    IntArray,
    Note,
    Progress,
    Source,
    replace,
    with_labels,
)
from motionloom.core.origin import Origin
from motionloom.kinematics.body.proportions import leg_length
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.channels import Channels, Layout, fit_layout, from_channels, to_channels
from motionloom.kinematics.feet.changed_steps import lock_given_contacts, travel_on_feet, whole_contacts
from motionloom.kinematics.feet.clearance import usual_clearance
from motionloom.kinematics.feet.contacts import contacts, foot_parts, part_positions, with_contacts
from motionloom.kinematics.feet.hold_feet import hold_feet, raise_hips
from motionloom.kinematics.loop import Loop, close_loop
from motionloom.kinematics.travel import travel
from motionloom.rotation import wrap_angle

HARMONICS = 16
CONTACT_STEPS = 128  # of a cycle
LIKE, LIKE_TURN = 0.25, 0.5  # cycles are like one another up to this share of duration and speed, and rad
STEPS, SPEEDS = (0.2, 2.0), (0.2, 5.0)  # factors of the step length and the tempo
MAX_HIPS = 0.5  # leg lengths: the hips are raised or lowered by at most this
SAME_HEIGHT = 0.002  # m: a smaller lack of height is not reported
FAINT = 1e-3  # rad, m or m/s: at a smaller amplitude there is no phase


class FourierMotion(NamedTuple):
    """A cycle as Fourier series: D channels, H harmonics."""

    layout: Layout
    mean: FloatArray  # (D,) A_0
    amplitude: FloatArray  # (H, D) A_n, not negative
    phase: FloatArray  # (H, D) Phi_n
    period: float  # s
    touching: FloatArray  # (CONTACT_STEPS, P) above 0.5 where a part of a foot stands on the ground
    carrying: FloatArray  # (CONTACT_STEPS, P) the same until the foot has rolled off (see `whole_contacts`)
    floor: FloatArray  # (P,) m: the height at which each part stands
    clearance: float  # m: how high swinging toes pass over it
    hips: float = 0.0  # m by which they are raised over the standing feet
    source: Source = Source("")
    cycle: str = ""  # which cycle this is, its speed and its turn


class Characteristic(NamedTuple):
    """What makes one motion different from another: "brisk" is a brisk walk minus a normal one."""

    mean: FloatArray
    amplitude: FloatArray
    phase: FloatArray
    touching: FloatArray
    carrying: FloatArray
    period: float  # ratio


def analyse(clip: Clip, layout: Layout | None = None) -> FourierMotion:
    """The series of the cycle of a clip that is nearest to the mean of the cycles; `BadRequest` without a cycle.

    The mean is that of duration, speed and turn, over cycles like most others in duration and speed. The series turns
    by the mean: cycles of one walk turn by -70 to 85 degrees, and each of them would go round in circles.
    """
    clip = with_contacts(clip)
    starts = np.round(cycle_times(clip) * clip.fps).astype(int)
    if len(starts) < 2:
        raise BadRequest(f"{clip.name or 'the clip'} has no cycle, from one step of the left foot to its next")
    path, seconds = travel(clip), np.diff(starts) / clip.fps
    speeds = np.linalg.norm(np.diff(path.place[starts], axis=0), axis=1) / seconds
    turns = np.diff(path.heading[starts])
    facts = np.stack([seconds / seconds.mean() / LIKE, speeds / max(speeds.mean(), 1e-3) / LIKE, turns / LIKE_TURN], 1)
    like = np.exp(-((facts[:, None, :2] - facts[:, :2]) ** 2).sum(2))
    like = like[like.sum(1).argmax()]
    k = int(np.abs(facts - np.average(facts, axis=0, weights=like)).sum(1).argmin())
    turn, mean_speed = (float(np.average(x, weights=like)) for x in (turns, speeds))
    part = clip[starts[k] : starts[k + 1] + 1]
    cycle = close_loop(part, Loop(0, len(part) - 1, 0.0, 1.0, 0.0), seconds=0.3)
    period = (len(cycle) - 1) / cycle.fps
    layout = fit_layout([clip]) if layout is None else layout
    values = to_channels(cycle, layout).values[:-1].copy()
    values[:, :3] *= cycle.fps  # displacements to velocities
    values[:, 2] += turn / period - values[:, 2].mean()
    series = np.fft.rfft(values, axis=0)
    count = min(HARMONICS, len(series) - 1)
    size = 2 * np.abs(series[1 : count + 1]) / len(values)
    if 2 * count == len(values):
        size[-1] /= 2  # the highest frequency that frames can show is counted once
    angle = np.angle(series[1 : count + 1]) + np.pi / 2  # cos(x) = sin(x + pi / 2)
    parts = foot_parts(clip.skeleton)
    cut = slice(starts[k], starts[k + 1])
    on, whole = (
        np.stack([found[p.label][cut] for p in parts] or [np.zeros(len(values), bool)], 1)
        for found in (contacts(clip), whole_contacts(clip))
    )
    heights = np.where(on, part_positions(cycle)[:-1, :, 1], np.nan) if parts else np.zeros((1, 0))
    floor = np.array([np.median(h[~np.isnan(h)]) if (~np.isnan(h)).any() else 0.0 for h in heights.T])
    steps = np.arange(CONTACT_STEPS) * len(on) // CONTACT_STEPS
    return FourierMotion(
        layout, values.mean(0), size, np.asarray(wrap_angle(angle)), period, on[steps].astype(float),
        whole[steps].astype(float), floor,
        usual_clearance([clip], percentile=50.0), source=Source(clip.name or "clip"),
        cycle=f"{clip.name or 'clip'}: cycle {k + 1} of {len(turns)} repeats, from {starts[k] / clip.fps:.2f} to "
        f"{starts[k + 1] / clip.fps:.2f} s: {speeds[k]:.2f} m/s (those like it {mean_speed:.2f}), turned by "
        f"{np.degrees(turns[k]):.0f} deg, in the result by their mean, {np.degrees(turn):.0f} deg",
    )  # fmt: skip


def evaluate_series(motion: FourierMotion, t: FloatArray) -> FloatArray:
    """(T, D) the channels at phases t (T,), rad: eq 2.10."""
    n = np.arange(1, len(motion.amplitude) + 1)
    waves = np.sin(np.asarray(t, float)[:, None, None] * n[None, :, None] + motion.phase[None])
    return np.asarray(motion.mean + (motion.amplitude * waves).sum(1))


def interpolated(a: FourierMotion, b: FourierMotion, share: float) -> FourierMotion:
    """Eq 2.12: amplitudes and phases are interpolated; phases along the shorter way, and only where there is a wave."""
    a, b = _same_length(a, b)
    turn = np.asarray(wrap_angle(b.phase - a.phase))
    start = np.where(a.amplitude < FAINT, b.phase, a.phase)
    turn = np.where((a.amplitude < FAINT) | (b.amplitude < FAINT), 0.0, turn)
    return a._replace(
        amplitude=np.maximum((1 - share) * a.amplitude + share * b.amplitude, 0.0),
        phase=start + share * turn,
        **_shared(a, b, share),
    )


def interpolated_in_time(a: FourierMotion, b: FourierMotion, share: float) -> FourierMotion:
    """Eq 2.13: the values at equal phases are interpolated."""
    a, b = _same_length(a, b)
    waves = (1 - share) * _complex(a) + share * _complex(b)
    return a._replace(amplitude=np.abs(waves), phase=np.angle(waves), **_shared(a, b, share))


def _shared(a: FourierMotion, b: FourierMotion, share: float) -> dict[str, Any]:
    """What both forms of interpolation have in common: means, contacts, floors and periods."""
    mixed = {
        name: (1 - share) * getattr(a, name) + share * getattr(b, name)
        for name in ("mean", "touching", "carrying", "floor", "clearance", "hips")
    }
    return {**mixed, "period": float(a.period ** (1 - share) * b.period**share)}


def characteristic(plain: FourierMotion, marked: FourierMotion) -> Characteristic:
    """What `marked` has and `plain` has not."""
    plain, marked = _same_length(plain, marked)
    turn = np.asarray(wrap_angle(marked.phase - plain.phase))
    turn = np.where((plain.amplitude < FAINT) | (marked.amplitude < FAINT), 0.0, turn)
    return Characteristic(
        marked.mean - plain.mean, marked.amplitude - plain.amplitude, turn, marked.touching - plain.touching,
        marked.carrying - plain.carrying, marked.period / plain.period,
    )  # fmt: skip


def with_characteristic(motion: FourierMotion, added: Characteristic, amount: float = 1.0) -> FourierMotion:
    """The motion with a characteristic of two others, times an amount."""
    motion = _padded(motion, max(len(motion.amplitude), len(added.amplitude)))
    count = len(added.amplitude)
    size, phase = motion.amplitude.copy(), motion.phase.copy()
    size[:count] = np.maximum(size[:count] + amount * added.amplitude[:count], 0.0)
    phase[:count] += amount * added.phase[:count]
    return motion._replace(
        mean=motion.mean + amount * added.mean,
        amplitude=size,
        phase=phase,
        touching=motion.touching + amount * added.touching,
        carrying=motion.carrying + amount * added.carrying,
        period=float(motion.period * added.period**amount),
    )


def controlled(motion: FourierMotion, *, step: float = 1.0, speed: float = 1.0, hips: float = 0.0) -> FourierMotion:
    """Longer or shorter steps, a faster or slower clock, hips raised (or lowered) by `hips` m over the same feet.

    `step` multiplies the harmonics of the legs; the path of the hips then follows from the feet that stand
    (`in_clip` with `from_feet`).
    """
    for name, factor, (low, high) in (("step", step, STEPS), ("speed", speed, SPEEDS)):
        if not low <= factor <= high:
            raise BadRequest(f"{name}: expected a factor from {low:g} to {high:g}, found {factor:g}")
    most = MAX_HIPS * leg_length(motion.layout.skeleton)
    if not abs(hips) <= most:
        raise BadRequest(
            f"hips: expected metres by which they are raised, from {-most:.2f} to {most:.2f} (half a leg length), "
            f"found {hips:g}"
        )
    size, mean = motion.amplitude.copy(), motion.mean.copy()
    size[:, _leg_columns(motion.layout)] *= step
    mean[:3] *= speed
    size[:, :3] *= speed
    return motion._replace(amplitude=size, mean=mean, period=motion.period / speed, hips=motion.hips + hips)


def in_clip(
    motion: FourierMotion,
    seconds: float,
    fps: float,
    *,
    from_feet: bool = False,
    lock: bool = True,
    progress: Progress | None = None,
) -> Clip:
    """A clip of the series; `from_feet`: the hips move as the standing feet demand, as after a change of step.

    Feet are then locked where they stand in the cycle until they have rolled off (`lock`), and stay there where the
    hips are raised or lowered. Hips are raised as far as standing legs reach, which a note states.
    """
    frames = max(2, round(seconds * fps))
    t = np.asarray(2 * np.pi * np.arange(frames) / (fps * motion.period), np.float64)
    values = evaluate_series(motion, t)
    values[:, :3] /= fps
    layout = Layout(
        motion.layout.skeleton, fps, motion.layout.root, motion.layout.joints, motion.layout.centre,
        motion.layout.sliding, motion.layout.slides,
    )  # fmt: skip
    clip = from_channels(Channels(values, layout))
    rows = np.zeros(frames, np.int64)
    origin = Origin(sources=(motion.source,), which=rows, frames=np.full(frames, -1.0)).with_notes(Note(motion.cycle))
    on, carrying = (_contacts_at(motion, table, t) for table in (motion.touching, motion.carrying))
    clip = with_labels(replace(clip, origin=origin), on)
    if from_feet:
        clip = travel_on_feet(clip, carrying, floor=motion.floor)
    if lock:
        clip = lock_given_contacts(clip, carrying, motion.clearance, progress)
    if motion.hips:
        legs = feet(clip.skeleton)
        raised = raise_hips(clip, motion.hips, legs)
        rise = float((raised.root - clip.root)[:, 1].mean())
        clip = hold_feet(clip, raised, legs)
        if rise < motion.hips - SAME_HEIGHT:
            text = f"hips raised by {100 * rise:.1f} cm on average instead of {100 * motion.hips:.1f}"
            note = Note(f"{text}: standing legs reach no farther", "warning")
            clip = replace(clip, origin=clip.origin.with_notes(note))
    return clip


def _contacts_at(motion: FourierMotion, table: FloatArray, t: FloatArray) -> dict[str, BoolArray]:
    """For each part of the feet (T,), whether it touches at phases t, rad; `table` (CONTACT_STEPS, P)."""
    at = np.round(t / (2 * np.pi) * CONTACT_STEPS).astype(int) % CONTACT_STEPS
    parts = foot_parts(motion.layout.skeleton)
    return {part.label: table[at, i] > 0.5 for i, part in enumerate(parts)}


def _leg_columns(layout: Layout) -> IntArray:
    """The columns of thighs, shins and ankles."""
    joints = {j for foot in feet(layout.skeleton) for j in (foot.thigh, foot.shin, foot.ankle)}
    return np.array([c for j in layout.moving if j in joints for c in range(*layout.columns(j).indices(layout.count))])


def _same_length(a: FourierMotion, b: FourierMotion) -> tuple[FourierMotion, FourierMotion]:
    if a.mean.shape != b.mean.shape:
        raise BadRequest("motions of different skeletons cannot be combined")
    count = max(len(a.amplitude), len(b.amplitude))
    return _padded(a, count), _padded(b, count)


def _padded(motion: FourierMotion, count: int) -> FourierMotion:
    """The same series with so many harmonics; those that it lacks are zero."""
    more = ((0, count - len(motion.amplitude)), (0, 0))
    return motion._replace(amplitude=np.pad(motion.amplitude, more), phase=np.pad(motion.phase, more))


def _complex(motion: FourierMotion) -> FloatArray:
    return np.asarray(motion.amplitude * np.exp(1j * motion.phase))
