"""Changes of pace: a person starts to walk, stops, or changes from a walk to a run and back."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray
from motionloom.rotation import slerp
from motionloom.samples.carriage import pelvis_and_chest, running, steady_head, swinging_arms, walking
from motionloom.samples.curves import ease, min_jerk, smooth_fit
from motionloom.samples.gait import Gait, Path, Steps, path, plant, run_gait, walk_gait
from motionloom.samples.legs import hips_ceiling, hips_height, knee_facing, leg
from motionloom.samples.locomotion import hips_place, running_height, tremble, walking_knees
from motionloom.samples.noise import Nature
from motionloom.samples.person import LEFT, RIGHT, LimbRotations, Trunk, assemble
from motionloom.samples.plants import FootMotion, FootStance, foot_motion
from motionloom.samples.stage import PAD, finish, frame_times
from motionloom.samples.standing import collars, hanging_arm, idle, standing_feet, through
from motionloom.samples.stepping import on_ground
from motionloom.samples.styles import GaitStyle, style_named
from motionloom.samples.upper import mixed_arm, posture

RUNS = 2.05  # m/s from which steps are those of a run
GATHERS = 1.35  # s from standing to walking
STOPS = 1.5  # s from walking to standing
NEVER = 1e3
FOOT = 0.27  # m


def start(speed: float, foot: str, seconds: float, style: str, seed: int, fps: float) -> Clip:
    """A person stands for about a second and starts to walk with `foot`; labelled `stand`, then `walk`.

    The hips shift and lean ahead before the first foot leaves; two steps reach the speed (Breniere and Do 1986).
    """
    nature = Nature(seed)
    leaves = 1.3 + nature.trait("leaves", 0.15)
    pace = ((-NEVER, 0.0), (leaves - 0.4, 0.0), (leaves - 0.4 + GATHERS, speed), (NEVER, speed))
    return _changing("start", pace, speed, seconds, style, nature, fps, leaves=leaves, foot=foot)


def stop(speed: float, foot: str, seconds: float, style: str, seed: int, fps: float) -> Clip:
    """A person walks, stops within two or three steps and stands; labelled `walk`, then `stand`.

    `foot` is the one that is set beside the other at last, or the other where the steps come out so.
    """
    nature = Nature(seed)
    slows = seconds - 1.6 - STOPS + nature.trait("slows", 0.1)
    pace = ((-NEVER, speed), (slows, speed), (slows + STOPS, 0.0), (NEVER, 0.0))
    return _changing("stop", pace, speed, seconds, style, nature, fps, rests=slows + STOPS, foot=foot)


def walk_run(walk: float, run: float, seconds: float, style: str, seed: int, fps: float) -> Clip:
    """A person walks, breaks into a run at about 2 m/s, and returns to a walk; labelled `walk` and `run`."""
    nature = Nature(seed)
    up, down = (at * seconds + nature.trait(name, 0.1) for name, at in (("up", 0.22), ("down", 0.62)))
    rise, fall = 0.35 + 0.7 * (run - walk), 0.4 + 0.8 * (run - walk)
    rise, fall = (min(span, 0.28 * seconds) for span in (rise, fall))
    pace = ((-NEVER, walk), (up, walk), (up + rise, run), (down, run), (down + fall, walk), (NEVER, walk))
    return _changing("walk_run", pace, walk, seconds, style, nature, fps, fast=run)


def leap(distance: float, speed: float, seconds: float, style: str, seed: int, fps: float) -> Clip:
    """A person walks, leaps over a gap `distance` m wide with one long step, both feet in the air, and walks on.

    The step is as long as the gap and a foot; it is one of a run at the speed that gives this length.
    """
    nature = Nature(seed)
    step = distance + FOOT
    fast = 2.4 * step / (1 - 0.1 * step)
    middle = 0.5 * seconds + nature.trait("leap", 0.05)
    pace = ((-NEVER, speed), (middle - 0.9, speed), (middle, fast), (middle + 0.9, speed), (NEVER, speed))
    return _changing("leap", pace, speed, seconds, style, nature, fps, fast=fast)


@dataclass(frozen=True, eq=False)
class _Plan:
    steps: Steps
    beats: FloatArray  # (n,) s of all strikes
    runs: BoolArray  # (n,) whether that step is one of a run


def _changing(
    name: str,
    pace: tuple[tuple[float, float], ...],
    speed: float,
    seconds: float,
    style: str,
    nature: Nature,
    fps: float,
    *,
    foot: str = "right",
    leaves: float = -NEVER,
    rests: float = NEVER,
    fast: float = 0.0,
) -> Clip:
    manner = style_named(style)
    time = frame_times(seconds, fps)
    fine = np.arange(-PAD - 3.0, seconds + PAD + 3.0, 1 / 240)
    wanted = through(fine, *pace)
    share = wanted / speed if not fast else np.ones(len(fine))
    weave = nature.wander("weave", 0.010 + manner.weave, 0.08, 0.35)
    route = path(
        wanted + share * nature.wander("speed", 0.012 * speed, 0.05, 0.3)(fine),
        np.gradient(weave(fine), fine) * np.clip(share, 0.0, 1.0),
        fine,
    )
    plan = _plan(route, wanted, speed, manner, nature, LEFT if foot == "left" else RIGHT, leaves, rests, seconds)
    moves = _moving(time, plan, leaves, rests)
    runs = _running(time, plan)
    body = _posed(time, route, plan, moves, runs, speed, fast, manner, nature, fps)
    labels = {"stand": moves < 0.02, "walk": (moves > 0.98) & (runs < 0.5), "run": runs >= 0.5}
    trunk, feet, legs, arms = body
    return finish(
        name,
        trunk.root,
        assemble(trunk, arms, legs),
        fps,
        seconds,
        nature.seed,
        feet=feet,
        labels={n: on for n, on in labels.items() if on.any()},
    )


def _plan(
    route: Path,
    wanted: FloatArray,
    speed: float,
    style: GaitStyle,
    nature: Nature,
    side: int,
    leaves: float,
    rests: float,
    seconds: float,
) -> _Plan:
    """Footprints of a body that leaves its standing feet at `leaves` s and stands on two feet again by `rests` s."""
    plants: tuple[list[FootStance], list[FootStance]] = ([], [])
    beats: list[float] = []
    runs: list[bool] = []
    slowest = min(speed, 0.9)

    def gait_at(at: float) -> Gait:
        v = max(float(np.interp(at, route.time, wanted)), slowest)
        return (run_gait if v >= RUNS else walk_gait)(v, 0.0, style, nature)

    begins = leaves > -NEVER
    strike = -PAD - 1.5 * gait_at(-PAD).step * (1 + nature.rng("start").uniform(0, 1))
    if begins:
        first = gait_at(leaves + 0.5)
        strike = leaves + 0.9 * (2 * first.step - first.stance)
        for k, own in enumerate((side, 1 - side)):
            home = standing_feet(nature)[own][0]
            off = leaves if k == 0 else strike - first.step + first.stance
            roll = 0.28 if k == 0 else 0.53 * first.stance
            pitch = (0.6 if k == 0 else 0.95) * first.off_pitch
            plants[own].append(
                replace(
                    home,
                    lift=off - roll,
                    peel=off - 0.45 * roll,
                    off=off,
                    off_pitch=pitch,
                    off_toe=(0.6 if k == 0 else 1.0) * first.off_toe,
                    swing=first.swing,
                )
            )
    ends = route.at(rests) if rests < NEVER else None
    closing = 0
    while closing < 2 and strike < seconds + PAD + 2.5:
        gait = gait_at(strike + 0.1)
        stance = gait.stance * (1 + float(nature.draws(f"stance {len(beats)}", 1, 0.01 * style.loose)[0]))
        shift = (float(v) for v in nature.draws(f"shift {len(beats)}", 2, 0.008 * style.loose))
        new = plant(gait, route, side, strike, stance, (next(shift), next(shift)))
        if ends is not None and (closing or np.linalg.norm(ends - route.at(strike + gait.over * stance)) < 0.1):
            new = _closing(new, ends, float(route.facing(rests)), nature, side)
            closing += 1
        plants[side].append(new)
        beats.append(strike)
        runs.append(gait.runs)
        strike += gait.step * (1 + float(nature.draws(f"beat {len(beats)}", 1, 0.01 * style.loose)[0]))
        side = 1 - side
    count = len(beats)
    around = np.diff(beats)
    early = beats[0] - around[0] * np.arange(8, 0, -1)
    late = beats[-1] + around[-1] * np.arange(1, 9)
    turns = np.pi * (np.arange(-8, count + 8) + (0 if _first(plants, beats) == LEFT else 1))
    rate = {0: np.pi / around[0], -1: np.pi / around[-1]}
    phase = min_jerk(np.concatenate([early, beats, late]), turns[:, None], velocity=rate)
    return _Plan(Steps((tuple(plants[0]), tuple(plants[1])), phase), np.array(beats), np.array(runs))


def _first(plants: tuple[list[FootStance], list[FootStance]], beats: list[float]) -> int:
    """Which foot strikes first."""
    return LEFT if any(abs(p.strike - beats[0]) < 1e-9 for p in plants[LEFT]) else RIGHT


def _closing(step: FootStance, ends: FloatArray, heading: float, nature: Nature, side: int) -> FootStance:
    """The last step of a foot: it is set down beside the other one and stays."""
    home = standing_feet(nature)[side][0]
    x, z = on_ground(home.place[0], home.place[2], heading, (float(ends[0]), float(ends[1])))
    return replace(
        step,
        place=(x, 0.0, z),
        heading=heading + home.heading,
        strike_pitch=0.5 * step.strike_pitch,
        lift=NEVER,
        peel=NEVER,
        off=NEVER,
        swing=None,
    )


def _moving(time: FloatArray, plan: _Plan, leaves: float, rests: float) -> FloatArray:
    """(F,) 0 where the body stands, 1 where it walks or runs."""
    out = np.ones(len(time))
    if leaves > -NEVER:
        out = out * ease(time, leaves - 0.35, plan.beats[1])
    if rests < NEVER:
        out = out * (1 - ease(time, plan.beats[-2] - 0.3, plan.beats[-1] + 0.25))
    return out


def _running(time: FloatArray, plan: _Plan) -> FloatArray:
    """(F,) 0 in a walk, 1 in a run, over about a step between them."""
    out = np.zeros(len(time))
    for k in np.flatnonzero(np.diff(plan.runs.astype(int))):
        at = plan.beats[k + 1]
        out += (1.0 if plan.runs[k + 1] else -1.0) * ease(time, at - 0.2, at + 0.3)
    return out


def _posed(
    time: FloatArray,
    route: Path,
    plan: _Plan,
    moves: FloatArray,
    runs: FloatArray,
    speed: float,
    fast: float,
    style: GaitStyle,
    nature: Nature,
    fps: float,
) -> tuple[
    Trunk, tuple[FootMotion, FootMotion], tuple[LimbRotations, LimbRotations], tuple[LimbRotations, LimbRotations]
]:
    """Trunk, feet, legs and arms: postures of standing, walking and running, mixed by their shares."""
    plants = plan.steps.plants
    feet = (foot_motion(plants[LEFT], time), foot_motion(plants[RIGHT], time))
    phase, heading = plan.steps.phase(time)[:, 0], route.facing(time)
    quiet, level = idle(time, nature, style, rest=0.4), np.zeros(len(time))
    gaits = [(walking(speed, style, nature), walk_gait(speed, 0.0, style, nature), 1.0 - runs)]
    if fast:
        gaits.append((running(fast, style, nature), run_gait(fast, 0.0, style, nature), runs))
    pelvis = posture(heading, lean=quiet.lean, roll=quiet.roll, twist=quiet.twist)
    lean, roll, twist = quiet.lean + quiet.chest_lean, quiet.roll + quiet.chest_roll, quiet.twist + quiet.chest_twist
    chest = posture(heading, lean=lean, roll=roll, twist=twist)
    head = posture(heading, lean=quiet.head_lean, roll=quiet.head_roll, twist=quiet.head_twist)
    forward, left = np.stack([np.sin(heading), np.cos(heading)], -1), np.stack([np.cos(heading), -np.sin(heading)], -1)
    place = (
        route.at(time)
        + tremble(nature, time)
        + (1 - moves)[:, None] * (quiet.x[:, None] * left + quiet.z[:, None] * forward)
    )
    for k, (carriage, gait, share) in enumerate(gaits):
        part = moves if k == 0 else share
        hips, ribs = pelvis_and_chest(carriage, gait, time, phase, heading, level, nature, style)
        face = steady_head(carriage, time, phase, heading, level, level, nature, style)
        pelvis, chest, head = slerp(pelvis, hips, part), slerp(chest, ribs, part), slerp(head, face, part)
        place = place + (moves * share)[:, None] * (hips_place(route, carriage, time, phase, heading) - route.at(time))
    bends = walking_knees(gaits[0][1], speed, phase, style)
    knees = tuple(quiet.crouch + moves * (bend - quiet.crouch) for bend in bends)
    height = hips_height(place, pelvis, feet, (knees[0], knees[1]), fps, cutoff=5.0 + 4.0 * min(speed / 1.4, 1.0))
    if fast:
        flies = running_height(plan.steps, time, place, pelvis, feet, fps, style)
        ceiling = hips_ceiling(place, pelvis, feet, 0.12, in_air=False)
        height = _below(_joined(height, flies, runs, fps), ceiling, fps)
    root = np.stack([place[:, 0], height, place[:, 1]], -1)
    still = (1 - moves) * quiet.shrug
    trunk = Trunk(root, pelvis, chest, head, None, collars(still, level))
    free = 0.96 if fast else 0.985
    legs = tuple(leg(trunk, foot, side, knee_facing(heading, foot), fps, free=free) for side, foot in enumerate(feet))
    arms = [hanging_arm(trunk, side, time, nature, style) for side in (LEFT, RIGHT)]
    for k, (carriage, gait, share) in enumerate(gaits):
        swings = swinging_arms(carriage, gait, trunk, time, phase, nature, style)
        part = moves if k == 0 else share
        arms = [mixed_arm(trunk, side, arms[side], swings[side], part) for side in (LEFT, RIGHT)]
    return trunk, feet, (legs[0], legs[1]), (arms[0], arms[1])


def _joined(walks: FloatArray, flies: FloatArray, runs: FloatArray, fps: float) -> FloatArray:
    """(F,) from the height of a walk to that of a run, smoothed where they meet."""
    from scipy.ndimage import gaussian_filter1d, maximum_filter1d

    height = walks + runs * (flies - walks)
    meets = gaussian_filter1d(maximum_filter1d(np.minimum(4e3 * runs * (1 - runs), 1.0), round(0.4 * fps)), 0.06 * fps)
    return np.asarray(height + meets * (smooth_fit(height, np.ones(len(runs)), fps, 4.5) - height))


def _below(height: FloatArray, ceiling: FloatArray, fps: float) -> FloatArray:
    """(F,) the height, lowered smoothly around frames above the ceiling."""
    from scipy.ndimage import gaussian_filter1d, maximum_filter1d

    over = np.maximum(np.where(np.isfinite(ceiling), height - ceiling, 0.0), 0.0)
    wide = max(1, round(0.12 * fps))
    return np.asarray(height - gaussian_filter1d(maximum_filter1d(over, 2 * wide + 1), wide / 2.5))
