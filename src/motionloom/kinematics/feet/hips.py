"""Hips that follow corrected feet, so that knees bend as in the source."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray, replace
from motionloom.kinematics.body.proportions import MIN_BONE
from motionloom.kinematics.body.roles import Foot, feet
from motionloom.kinematics.feet.smoothing import GAUSSIAN_REACH, envelope, gaussian
from motionloom.rotation import angle_between, continuous, inverse, multiply, normalize, slerp

STRAIGHT = np.sin(np.radians(10.0))  # a knee straighter than 10 degrees weighs no more than one at 10 degrees
PULL = np.array([10.0, 0.1, 10.0])  # (rad/m)^2, by axis: weight of hips that are not where the feet take them
FOLLOWING_TIME = 0.2  # s: the hips move over the ground no farther than an ankle does within twice this time
LEAST = 0.001  # m: so far they may always move
CLOSE_ENOUGH, MAX_SOLVES = 1.02, 12  # share of that distance at which no further solution is sought; at most so many
REFERENCE_FPS = 120.0  # of the weights below; at lower rates two of them smooth less: less of it is trembling
BEND = 1000.0  # (rad/m)^2: weight of the second differences of displacements of the hips
BEND_OVER_GROUND = 8e4 * np.array([1.0, 0.0, 1.0])  # (rad/m)^2, by axis: the same, of accelerations over the ground
KNEE_BEND = 30.0  # weight of the second differences of the angles of the knees
HOLD = 1e10  # (rad/m)^2: weight of frames at which the hips must stay
NEGLIGIBLE = 1e-5  # m: smaller displacements are left out, so that frames far from any correction do not change
SECOND = np.array([1.0, -2.0, 1.0])
JITTER_TIME = 0.012  # s: the hips of a capture tremble over less time than this, and planted feet would not
MIN_WIDTH = 0.9  # frames: at lower rates trembling cannot be separated from motion
MAX_SPIKE = np.radians(12.0)  # a larger turn is a glitch, which cleaning leaves to `mended`
MIN_SPIKE, SPIKE_RATIO = 0.01, 4.0  # rad; times the median within 0.1 s: a sudden turn of the hips, taken as noise


def steady_hips(clip: Clip) -> Clip:
    """The clip without the trembling of its hips, in captures at high frame rates; limbs and trunk keep their turns.

    Planted legs would pass the trembling on to their knees. Turns of the hips that one frame alone shows are replaced
    by the middle of their neighbours, then places and turns are smoothed by a Gaussian of `JITTER_TIME`.
    """
    width = JITTER_TIME * clip.fps
    if width < MIN_WIDTH or len(clip) < 5:
        return clip
    skeleton, turn = clip.skeleton, clip.rotations[:, 0].copy()
    middle = slerp(turn[:-2], turn[2:], 0.5)
    off = angle_between(turn[1:-1], middle)
    near = 2 * round(0.05 * clip.fps) + 1
    usual = np.median(np.lib.stride_tricks.sliding_window_view(np.pad(off, near // 2, mode="edge"), near), axis=1)
    largest = np.lib.stride_tricks.sliding_window_view(np.pad(off, 1), 3).max(axis=1)
    spikes = np.flatnonzero((off == largest) & (off > np.maximum(MIN_SPIKE, SPIKE_RATIO * usual))) + 1
    turn[spikes] = middle[spikes - 1]
    turn = normalize(_smooth(continuous(turn), width))
    broken = np.flatnonzero(off > MAX_SPIKE) + 1
    turn[broken] = clip.rotations[broken, 0]
    rotations = clip.rotations.copy()
    rotations[:, 0] = turn
    change = multiply(inverse(turn), clip.rotations[:, 0])  # back to the turn of the source
    thighs = {foot.thigh for foot in feet(skeleton)}
    for j in range(1, len(skeleton)):
        leg = bool(thighs & set(skeleton.below(j)))
        if j in thighs or (skeleton.parents[j] == 0 and not leg):
            above = _turn_below_hips(clip, int(skeleton.parents[j]))
            rotations[:, j] = multiply(multiply(inverse(above), multiply(change, above)), clip.rotations[:, j])
    return replace(clip, root=_smooth(clip.root, width), rotations=rotations)


def _smooth(values: FloatArray, width: float) -> FloatArray:
    """`gaussian`, with the ends continued by their mirror image: hips that move on there are not held back."""
    reach = int(np.ceil(GAUSSIAN_REACH * width))
    padded = np.pad(values, ((reach, reach), (0, 0)), mode="reflect", reflect_type="odd")
    return gaussian(padded, width)[reach:-reach]


def _turn_below_hips(clip: Clip, joint: int) -> FloatArray:
    """(F, 4) the turn of a joint relative to the hips."""
    out = np.broadcast_to([1.0, 0.0, 0.0, 0.0], (len(clip), 4))
    while joint > 0:
        out, joint = multiply(clip.rotations[:, joint], out), int(clip.skeleton.parents[joint])
    return np.asarray(out)


def hips_shift(
    legs: Sequence[Foot], shifts: Sequence[FloatArray], places: FloatArray, fixed: BoolArray, fps: float
) -> FloatArray:
    """(F, 3) metres by which the hips move, so that the knees bend as in the source, and no more suddenly.

    `shifts` (F, 3) are the displacements c of each ankle, `places` (F, J, 3) the joints of the source. A leg with bones
    a, b and knee angle K spans r = |ankle - hip|, r^2 = a^2 + b^2 - 2ab cos K, so a hip that moves by d along the leg's
    direction u changes K by k = s u.(d - c), s = r / (ab sin K). This minimises over all frames

        sum_t [ sum_legs k^2 + PULL |d - m|^2 + (BEND + BEND_OVER_GROUND) |D d|^2 + KNEE_BEND sum_legs (D (K + k))^2 ]

    where D x = x[t-1] - 2 x[t] + x[t+1] and m is the displacement that all ankles share, with d = 0 at `fixed` frames
    (F,): a banded, symmetric system of 3F equations. Two legs that are nearly parallel and should change their lengths
    by different amounts could do so only if the hips moved far across them: knees change a little instead, by the PULL
    over the ground, and the hips move there no farther than an ankle does nearby in time.
    Without the last term, hips would follow every tremble of a foot that is held still; with it, the knees lose theirs.
    At frame rates that do not show trembling, K is left out of it: what the source does is motion.
    """
    frames = len(places)
    if frames < 3 or not any(np.any(shift) for shift in shifts):
        return np.zeros((frames, 3))
    rate = fps / REFERENCE_FPS
    hips_bend, knee_bend = BEND * rate + BEND_OVER_GROUND * rate**4, KNEE_BEND * rate**3
    bands, targets = np.zeros((9, 3 * frames)), PULL * _shared(shifts)
    _add_blocks(bands, np.diag(PULL) + (HOLD * fixed)[:, None, None] * np.eye(3), 0, 0)
    _add_second_differences(bands, np.broadcast_to(np.diag(np.sqrt(hips_bend)), (frames, 3, 3)), 1.0)
    for foot, shift in zip(legs, shifts, strict=True):
        along, angle = _knee_rate(foot, places)
        given = np.einsum("fi,fi->f", along, shift)
        outer = along[:, :, None] * along[:, None, :]
        _add_blocks(bands, outer, 0, 0)
        _add_second_differences(bands, along[:, None, :], knee_bend)
        change = np.convolve(given, SECOND, mode="valid")  # D (c - K), of K where a foot that trembles is corrected
        if JITTER_TIME * fps >= MIN_WIDTH:
            corrected = np.abs(shift).max(axis=1) > NEGLIGIBLE
            change -= np.where(corrected[1:-1], np.convolve(angle, SECOND, mode="valid"), 0.0)
        spread = np.zeros(frames)
        for i, weight in enumerate(SECOND):
            spread[i : i + frames - 2] += weight * change
        targets += along * (given + knee_bend * spread)[:, None]
    shift = _solved(bands, targets, _farthest(shifts, fps))
    shift[fixed | (np.abs(shift).max(1) < NEGLIGIBLE)] = 0.0
    return np.asarray(shift)


def _solved(bands: FloatArray, targets: FloatArray, farthest: FloatArray) -> FloatArray:
    """(F, 3) the solution, with a greater PULL at frames at which it would go farther over the ground than allowed."""
    from scipy.linalg import solveh_banded

    pull = np.full(len(targets), PULL[0])
    for _ in range(MAX_SOLVES):
        shift = solveh_banded(bands, targets.reshape(-1)).reshape(targets.shape)
        excess = np.linalg.norm(shift[:, [0, 2]], axis=1) / farthest
        if excess.max() <= CLOSE_ENOUGH:
            break
        more = pull * (np.maximum(excess, 1.0) ** 2 - 1.0)
        _add_blocks(bands, more[:, None, None] * np.diag([1.0, 0.0, 1.0]), 0, 0)
        pull += more
    return np.asarray(shift)


def _shared(shifts: Sequence[FloatArray]) -> FloatArray:
    """(F, 3) m: the displacement that all ankles share, by axis: the least of them, none where their signs differ."""
    low, high = np.min(shifts, axis=0), np.max(shifts, axis=0)
    return np.maximum(low, 0.0) + np.minimum(high, 0.0)


def _farthest(shifts: Sequence[FloatArray], fps: float) -> FloatArray:
    """(F,) m: how far the hips may move over the ground: no farther than an ankle does nearby in time."""
    moved = np.max([np.linalg.norm(shift[:, [0, 2]], axis=1) for shift in shifts], axis=0)
    return np.maximum(envelope(moved, max(1, round(FOLLOWING_TIME * fps))), LEAST)


def _knee_rate(foot: Foot, places: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(F, 3) rad/m: how a knee's angle changes with the place of the hip, and (F,) rad: its angle in the source."""
    hip, knee, ankle = (places[:, j] for j in (foot.thigh, foot.shin, foot.ankle))
    a, b, reach = (np.linalg.norm(v, axis=-1) for v in (knee - hip, ankle - knee, ankle - hip))
    reach = np.maximum(reach, MIN_BONE)  # of a leg folded up
    cosine = np.clip((a**2 + b**2 - reach**2) / (2 * a * b), -1.0, 1.0)
    rate = reach / (a * b * np.sqrt(np.maximum(1 - cosine**2, STRAIGHT**2)))
    return -rate[:, None] * (ankle - hip) / reach[:, None], np.arccos(cosine)


def _add_second_differences(bands: FloatArray, rows: FloatArray, weight: float) -> None:
    """Add weight |D (rows x)|^2, `rows` (F, n, 3) at each frame, to the matrix."""
    frames = len(rows)
    for i, left in enumerate(SECOND):
        for j in range(i, 3):
            first, second = rows[i : i + frames - 2], rows[j : j + frames - 2]
            blocks = weight * left * SECOND[j] * np.einsum("fni,fnj->fij", first, second)
            _add_blocks(bands, blocks, i, j - i)


def _add_blocks(bands: FloatArray, blocks: FloatArray, start: int, after: int) -> None:
    """Add (n, 3, 3) blocks at the frames (t, t + after), t from `start` on, to the upper bands (9, 3F) of a matrix."""
    for row in range(3):
        for column in range(3):
            offset = 3 * after + column - row
            if offset >= 0:
                first = 3 * (start + after) + column
                bands[8 - offset, first : first + 3 * len(blocks) : 3] += blocks[:, row, column]
