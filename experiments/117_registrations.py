"""Registrations compared, Fourier interpolation by two rules, and the blend space of a game engine as a baseline.

    python experiments/117_registrations.py

Writes docs/experiments/registrations.md and its film strip. CMU clips and samples. Takes about a minute.
"""

from __future__ import annotations

from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
from pictures import make_smaller
from similarity_material import CREDIT, PAGES, REAL
from space_material import apart, held_out, spaces, stretched, triangulated

from motionloom.analysis import cycle_times
from motionloom.blend.fourier import analyse, in_clip, interpolated, interpolated_in_time
from motionloom.blend.registration import RULES
from motionloom.blend.weighted_blend import blend_clips
from motionloom.constraints import PARAMETERS, Request
from motionloom.core import BadRequest, Clip, FloatArray
from motionloom.kinematics.channels import fit_layout
from motionloom.kinematics.feet.skate_measures import measure_skate
from motionloom.kinematics.resample import at_frames
from motionloom.kinematics.travel import along, from_root_motion, root_motion
from motionloom.methods import attempt, learn
from motionloom.methods.space.baked import baked
from motionloom.methods.space.measure import measure_clip
from motionloom.plot.filmstrip import save_filmstrip
from motionloom.rotation import normalize
from motionloom.samples import make
from motionloom.samples.noise import Nature

SECONDS = 4.0  # of results in an engine
ASKED = 16  # requests of an engine
LATE = 0.1  # of the length of a clip: by how much its second timing is late


def steps_of(clip: Clip, count: int) -> Clip:
    """From the first step of the left foot to the one `count` cycles later."""
    at = np.round(cycle_times(clip) * clip.fps).astype(int)
    return clip[at[0] : at[count] + 1]


def shown_at(u: FloatArray) -> FloatArray:
    """Moments of a clip (0 to 1) that its copy with other timing shows at times u: late at first, then early."""
    return np.asarray(u - LATE * np.sin(2 * np.pi * u))


def timed(clip: Clip) -> Clip:
    """The clip with other timing, as long as before."""
    return at_frames(clip, shown_at(np.linspace(0, 1, len(clip))) * (len(clip) - 1), clip.fps, cubic=True)


def pairs() -> dict[str, tuple[Clip, Clip, Clip]]:
    """Two clips, and the truth halfway between them."""
    walk = steps_of(make("walk", seed=1, seconds=5, fps=30), 3)
    with patch("motionloom.samples.locomotion.Nature", partial(Nature, amount=0.0)):  # all steps alike
        paces = [steps_of(make("walk", seed=1, seconds=6, fps=120, speed=v), 3) for v in (1.0, 1.6, 1.3)]
    jumps = [make("jump", seed=1, height=h, distance=d, fps=30) for h, d in ((0.25, 0.5), (0.45, 1.1), (0.35, 0.8))]
    return {
        "a walk and the same with other timing": (walk, timed(walk), mean_time(walk)),
        "walks of 1.0 and 1.6 m/s": (paces[0], paces[1], paces[2]),
        "jumps of 0.25 and 0.45 m": (jumps[0], jumps[1], jumps[2]),
    }


def mean_time(clip: Clip) -> Clip:
    """The clip whose moments lie halfway between those of the clip and of `timed`: by the shared clock."""
    u = np.linspace(0, 1, 20001)
    late = np.interp(u, shown_at(u), u)  # when the second clip shows a moment
    moment = np.interp(np.linspace(0, 1, len(clip)), (u + late) / 2, u)
    return at_frames(clip, moment * (len(clip) - 1), clip.fps, cubic=True)


def registrations() -> list[str]:
    """Halfway between two clips by every rule: distance from the truth, and skate before and after locking."""
    out = []
    for name, (a, b, truth) in pairs().items():
        for rule in RULES:
            try:
                free, locked = (blend_clips([a, b], [0.5, 0.5], registration=rule, lock_feet=x) for x in (False, True))
            except BadRequest:
                out.append(f"| {name} | {rule} | refused: other steps | | |")
                continue
            off = apart(free, truth if rule != "cycles" else steps_of(truth, len(cycle_times(truth)) - 1))
            skate = " / ".join(f"{measure_skate(clip).b or 0.0:.1f}" for clip in (free, locked))
            out.append(f"| {name} | {rule} | {100 * off.mean():.2f} | {100 * off[-1, 0]:.1f} | {skate} |")
            print(out[-1], flush=True)
    return out


def fourier() -> list[str]:
    """Eqs 2.12 and 2.13 halfway between walks, against a walk of that speed and turn; and captured walks."""
    out = []
    for name, a, b, middle in (
        ("speed 1.0 to 1.6 m/s", {"speed": 1.0}, {"speed": 1.6}, {"speed": 1.3}),
        ("turn -30 to 30 deg/s", {"turn": -0.52}, {"turn": 0.52}, {"turn": 0.0}),
    ):
        clips = [make("walk", seed=1, seconds=6, fps=60, **x) for x in (a, b, middle)]
        layout = fit_layout(clips)
        first, last, truth = (analyse(clip, layout) for clip in clips)
        made = [rule(first, last, 0.5) for rule in (interpolated, interpolated_in_time)]
        shown = [in_clip(m._replace(period=truth.period), truth.period, 60.0, lock=False) for m in (*made, truth)]
        errors = [100 * apart(clip, shown[2]).mean() for clip in shown[:2]]
        skate = [measure_skate(in_clip(m, 3.0, 60.0, lock=False)).b or 0.0 for m in made]
        out.append(
            f"| {name} | {errors[0]:.2f} | {errors[1]:.2f} | {100 * apart(shown[0], shown[1]).mean():.2f} "
            f"| {skate[0]:.1f} / {skate[1]:.1f} |"
        )
        print(out[-1], flush=True)
    return out


def engine_blend(clips: list[Clip], weights: FloatArray) -> Clip:
    """What the blend space of an engine plays: clips at one phase, cross-faded; root motion is added up."""
    used = np.flatnonzero(weights > 1e-6)
    period = float(sum(weights[k] * (len(clips[k]) - 1) / clips[k].fps for k in used))
    frames = round(period * 30.0)
    ready = [stretched(clips[k], frames + 1) for k in used]
    motion = sum(w * root_motion(clip) for w, clip in zip(weights[used], ready, strict=True))
    count = round(SECONDS * 30)
    index = np.arange(count) % frames
    base = ready[0].rotations
    turns = sum(
        w * clip.rotations * np.where((clip.rotations * base).sum(-1, keepdims=True) < 0, -1.0, 1.0)
        for w, clip in zip(weights[used], ready, strict=True)
    )
    root = sum(w * clip.root for w, clip in zip(weights[used], ready, strict=True))
    flat = Clip(ready[0].skeleton, np.asarray(root)[index], normalize(np.asarray(turns))[index], frames / period)
    return along(flat, from_root_motion(np.asarray(motion)[index], np.zeros(2), 0.0))


def walks_by_rate() -> list[Clip]:
    """Sample walks at five turning rates."""
    return [make("walk", seed=1, turn=float(np.radians(t)), seconds=4, fps=30) for t in (-45, -20, 0, 20, 45)]


def engine() -> tuple[list[str], list[tuple[Clip, str]]]:
    """Requested against achieved parameters, and skate: an engine with plain and with baked clips, and ours."""
    known, out, films = spaces(), [], []
    chosen = {
        "walk, turns (samples)": (walks_by_rate(), {"parameter": ["turn_rate"]}),
        "run, turns (143_04)": known["run, turns (143_04)"],
        "walk, turn x speed (16)": known["walk, turn x speed (16)"],
    }
    for name, (clips, settings) in chosen.items():
        model = learn("parametric-space", clips, {**settings, "samples": 300})
        space, own = model.space, [PARAMETERS[p] for p in settings["parameter"]]
        asked = held_out(model, ASKED)
        values = (space.values - space.middle) / space.ranges
        weights = triangulated(values, (asked - space.middle) / space.ranges)
        units = [p.unit for p in space.parameters]
        texts = [
            ", ".join(f"{n}: {v}{u}" for n, v, u in zip(settings["parameter"], row, units, strict=True))
            for row in asked
        ]
        wishes = [f"{{seconds: {SECONDS}, constraints: [parameters: {{values: {{{t}}}, weight: 1}}]}}" for t in texts]
        made: dict[str, list[Any]] = {
            "engine, cycles as they are cut": [engine_blend(list(model.examples), w) for w in weights],
            "engine, files of `bake`": [engine_blend(list(baked(model).clips), w) for w in weights],
            "ours, without locking": [
                attempt(model, Request.from_yaml(f"{w[:-1]}, options: {{clean_feet: false}}}}")).clip for w in wishes
            ],
            "ours": [attempt(model, Request.from_yaml(w)).clip for w in wishes],
        }
        for kind, results in made.items():
            got = np.stack([measure_clip(clip, own) for clip in results])
            off = 100 * (np.abs(got - asked) / space.ranges).max(1)
            skate = np.mean([measure_skate(clip).b or 0.0 for clip in results])
            out.append(f"| {name} | {kind} | {off.mean():.2f} / {off.max():.2f} | {skate:.1f} |")
            print(out[-1], flush=True)
            if name.startswith("run") and kind != "engine, files of `bake`":
                films.append((results[0], f"{name}: {kind}"))
    return out, films


def main() -> None:
    if not REAL:
        raise SystemExit("needs the clips of ../shared/mocap")
    engines, films = engine()
    film = PAGES / "registrations.png"
    save_filmstrip([c for c, _ in films], film, titles=[t for _, t in films], poses=12, aligned=False, dpi=70)
    make_smaller(film)
    text = f"""# Registrations, Fourier series, and the blend space of an engine

(`experiments/117_registrations.py`)

## Registration

Two samples blended halfway, by each rule of `motionloom blend --registration`, against the sample that lies halfway:
mean distance of joints, distance of the hips at the end, and skate (the published measure) before and after feet are
locked. The second clip of the first pair is the first one, up to a tenth of its length late, so the truth is exact.
`cycles` blends whole cycles alone, and is compared with these.

| clips | registration | joints, cm | end, cm | skate, cm/s, before / after |
| --- | --- | --- | --- | --- |
{chr(10).join(registrations())}

Where timing differs within a clip, even stretching shows different moments together, so joints are far off and feet
slide; cycles are better, key times nearly and time warping wholly exact. A jump has no cycles. Where clips are in
step already, the rules agree; the walk of 1.3 m/s does not have exactly the mean stride of the other two.

## Fourier series

Halfway between two sample walks, against the walk that lies there, and the two rules against each other (joints, cm);
skate of three seconds, without locking, cm/s:

| walks | eq 2.12 (amplitudes and phases) | eq 2.13 (values) | apart | skate, 2.12 / 2.13 |
| --- | --- | --- | --- | --- |
{chr(10).join(fourier())}

As GUAN states, the poses are similar; before feet are locked, those of eq 2.12 slide more.

## A game engine's blend space

The baseline: a triangulation of the nominal parameters (those of each cycle), clips that are played at one phase (the
share of a cycle, from a landing of the left foot to its next) and cross-faded, root motion added up; no registration,
no sampling, no locked feet. With the files that `bake` writes, the same engine plays registered clips. {ASKED} requests
of {SECONDS:g} s, measured parameters of blends that learning has not seen:

| space | made by | error, mean / worst % of the range | skate, cm/s |
| --- | --- | --- | --- |
{chr(10).join(engines)}

![one request by an engine and by ours](registrations.png)

{CREDIT}
"""
    (PAGES / "registrations.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
