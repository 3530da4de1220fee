"""Motion texture: EDEN's example, exact search in 5,000 frames, quality on a walk and a dance beside patch matching."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

from benchmarks.patch_matching import generate
from benchmarks.timing import MOCAP, best_seconds, figure
from motionloom.constraints import Request, RootAt
from motionloom.core import Clip, silent, with_labels
from motionloom.core.poses import commands
from motionloom.evaluate.evaluation import source_values
from motionloom.evaluate.measures.prepared_clip import take
from motionloom.evaluate.measures.table import FAMILIES, numbers
from motionloom.evaluate.reference import Reference, reference
from motionloom.io import load
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import travel
from motionloom.methods import learn, prepare, synthesize
from motionloom.methods.live import live_of
from motionloom.methods.texture import Config, Options
from motionloom.methods.texture.faithful.examples import build_examples
from motionloom.methods.texture.faithful.keys import no_keys, read_styles
from motionloom.methods.texture.faithful.synthesis import synthesize_texture
from motionloom.methods.texture.influence import influence_matrix
from motionloom.samples import make

SEEDS = 20  # results of the texture and of patch matching, each
MATERIAL = {"walk": "16_11", "walk not tuned on": "16_15", "dance": "60_08", "dance not tuned on": "60_04"}
RATIOS = {"skate (b)": "<= 1.1", "skate": "<= 1.1", "peak acceleration": "<= 1.5", "jerk": ""}
VALUES = {
    "published coverage": ">= 99",
    "coverage": "",
    "flips": "<= 0",
    "verbatim run": "<= 2",
    "verbatim upper": "<= 2",
}
DIVERSITY = ("global diversity", "local diversity")
FAITHFUL = Config.of({"variant": "faithful"})


def figures() -> list[dict[str, Any]]:
    out = [_dog(), _large()]
    if not (MOCAP / "cmu").is_dir():
        return [*out, figure("texture of captured clips", None, ">= 99", note="no ../shared/mocap")]
    out += [_long_dance(), _live_step(), *_root_keys()]
    for name, file in MATERIAL.items():
        out += _quality(name, load(MOCAP / "cmu" / f"{file}.bvh"))
    return out


def _texture(clips: list[Clip], frames: int) -> Any:
    """A job that synthesizes `frames` frames, faithful, one level and pass, K = 9."""
    options, skeleton = Options.of({"variant": "faithful"}), clips[0].skeleton
    levels, weights = build_examples(clips, (), options), influence_matrix(skeleton, FAITHFUL)
    keys = no_keys(frames, len(skeleton))
    styles = read_styles((), (), skeleton, frames, clips[0].fps)

    def job() -> None:
        synthesize_texture(levels, keys, styles, weights, skeleton, options, np.random.default_rng(0), silent())

    return job


def _dog() -> dict[str, Any]:
    """EDEN 4.3: 100 frames from 99, which took 300 s in 2002."""
    path = MOCAP / "dog" / "D1_007_KAN01_001.bvh"
    clip = resample(load(path) if path.is_file() else make("dog_walk", seconds=5), 30.0)
    clip = clip[45:144] if path.is_file() else clip[:99]
    job = _texture([clip], 100)
    job()
    [took] = best_seconds([job], rounds=25)
    note = f"{len(clip.skeleton)} joints, exact search; {300 / took:,.0f} times as fast as in EDEN"
    return figure("100 frames of a dog from 99, faithful", round(1000 * took, 2), "<= 10", unit="ms", note=note)


def _large() -> dict[str, Any]:
    """Exact search in 5,000 example frames of 31 joints."""
    folder = MOCAP / "cmu"
    if folder.is_dir():
        takes = [resample(load(p), 30.0) for p in sorted(folder.glob("60_*.bvh"))]
        clips = [Clip(takes[0].skeleton, c.root, c.rotations, 30.0) for c in takes]
    else:
        clips = [resample(make("dance", seconds=30, seed=k), 30.0) for k in range(6)]
    kept: list[Clip] = []
    while sum(map(len, kept)) < 5000:
        room = 5000 - sum(map(len, kept))
        kept.append(clips[len(kept) % len(clips)][:room])
    job = _texture(kept, 60)
    job()
    [took] = best_seconds([job], rounds=5)
    note = f"{len(kept)} clips, {len(kept[0].skeleton)} joints, one level, one pass"
    return figure("faithful, 5,000 example frames", round(60 / took), ">= 200", unit="frames/s", note=note)


def _long_dance() -> dict[str, Any]:
    """Twice as long as the clip, cleaning included."""
    clip = load(MOCAP / "cmu" / "60_08.bvh")
    model = learn("texture", [clip])
    frames = len(model.clips[0])  # type: ignore[attr-defined]
    job = partial(synthesize, model, Request(frames=2 * frames))
    job()
    plain = prepare([clip], 30.0, broken="mend").clips[0]
    took, other = best_seconds([job, lambda: generate(plain, 2 * frames, np.random.default_rng(0))], rounds=5)
    note = f"{frames} to {2 * frames} frames, cleaned and checked; patch matching takes {other:.2f} s"
    return figure("long dance, improved", round(took, 2), "<= 1", unit="s", note=note)


def _live_step() -> dict[str, Any]:
    """The slowest of all steps of three live minutes with about 1,000 example frames and changing commands."""
    walks = [
        load(MOCAP / "cmu" / f"16_{n}.bvh") for n in ("11", "13", "15", "16", "17", "19", "21", "23", "25", "27", "29")
    ]
    styles = [with_labels(clip, {("calm", "brisk")[k % 2]: np.ones(len(clip), bool)}) for k, clip in enumerate(walks)]
    model = learn("texture", styles)
    live = live_of(model)
    live.step(live.begin([0]), commands(), 1 / 30)  # compiled before
    took, used = [], []
    for k in range(3 * 60 * 30):
        if k % 1800 == 0:
            state = live.begin([k])
        turn, half = k // 150, k // 450
        given = commands(
            heading=0.7 * turn,
            speed=(0.8, 1.2, 1.6)[turn % 3],
            action=half % 3 - 1,
            **({"place": (3, 3)} if half == 2 else {}),
        )
        start, spent = time.perf_counter(), time.process_time()
        state, _ = live.step(state, given, 1 / 30)
        took.append(1000 * (time.perf_counter() - start))
        used.append(1000 * (time.process_time() - spent))
    clips: tuple[Clip, ...] = model.clips  # type: ignore[attr-defined]
    note = (
        f"{sum(map(len, clips))} example frames, {len(model.skeleton)} joints; by the clock, three minutes, "
        f"first steps included; median {np.median(took):.3f} ms, slowest in processor time {max(used):.2f} ms"
    )
    return figure("live texture, slowest step of 3 x 60 s", round(max(took), 2), "<= 5", unit="ms", note=note)


def _measured(clip: Clip, source: Reference) -> dict[str, float]:
    wanted = {*RATIOS, *VALUES, *DIVERSITY}
    out: dict[str, float] = {}
    for family in FAMILIES:
        if wanted & set(family.names):
            out |= {k: v for k, v in numbers(family, take(clip), source).items() if isinstance(v, (int, float))}
    return out


def _quality(name: str, clip: Clip) -> list[dict[str, Any]]:
    """`SEEDS` results of twice the length by both, by the measures of `evaluate`; the worst seed counts."""
    model = learn("texture", [clip])
    shown: Clip = model.clips[0]  # type: ignore[attr-defined]
    source = reference([shown])
    own = source_values(source)
    start = time.perf_counter()
    rows = [_measured(synthesize(model, Request(frames=2 * len(shown)), seed=seed), source) for seed in range(SEEDS)]
    rivals = [_measured(generate(shown, 2 * len(shown), np.random.default_rng(s)), source) for s in range(SEEDS)]
    out, note = [], f"worst of {SEEDS} seeds; all measured in {time.perf_counter() - start:.0f} s"
    for measure, target in RATIOS.items():
        ratios, theirs = (
            [row[measure] / (own[measure].value or 1.0) for row in all_rows] for all_rows in (rows, rivals)
        )
        beside = f"{note}; patch matching: {max(theirs):.2f}"
        title = f"texture of a {name}, {measure}"
        if measure == "jerk":
            out.append(figure(f"{title}, least", round(min(ratios), 2), ">= 0.7", unit="times the source's"))
            target = "<= 1.3"
        out.append(figure(title, round(max(ratios), 2), target, unit="times the source's", note=beside))
    for measure, target in VALUES.items():
        found = [row[measure] for row in rows if measure in row]
        lowest = "coverage" in measure
        worst = min(found) if lowest else max(found)
        theirs = [row[measure] for row in rivals if measure in row]
        beside = f"{note}; patch matching: {min(theirs) if lowest else max(theirs):.3g}"
        out.append(figure(f"texture of a {name}, {measure}", round(worst, 1), target, note=beside))
    for measure in DIVERSITY:
        mine, rival = (float(np.mean([row[measure] for row in all_rows])) for all_rows in (rows, rivals))
        beside = f"means of {SEEDS} seeds each: {mine:.3f} and {rival:.3f}"
        unit = "times that of patch matching"
        out.append(figure(f"texture of a {name}, {measure}", round(mine / rival, 2), ">= 1", unit=unit, note=beside))
    return out


HELD_OUT = (
    (("16_11", "16_13", "16_15", "16_17", "16_19"), "16_16"),
    (("35_01", "35_02", "35_04", "35_05"), "35_03"),
    (("35_01", "35_02", "35_04", "35_05"), "35_07"),
)


def _root_keys() -> list[dict[str, Any]]:
    """Keys of place and heading from takes that were not learned from: how the body gets there (EDEN 4.2.1)."""
    jumps, speeds, errors = [], [], []
    for learned, name in HELD_OUT:
        held = resample(load(MOCAP / "cmu" / f"{name}.bvh"), 30.0)[1:]
        model = learn("texture", [load(MOCAP / "cmu" / f"{n}.bvh") for n in learned])
        clips: tuple[Clip, ...] = model.clips  # type: ignore[attr-defined]
        path = travel(held)
        own_jump, own_speed = max(map(_largest_jump, clips)), max(map(_top_speed, clips))
        keys = [
            RootAt(time=f"{f}f", position=tuple(path.place[f]), heading=float(path.heading[f]))
            for f in (0, len(held) // 2, len(held) - 1)
        ]
        for seed in range(5):
            clip = synthesize(model, Request(frames=len(held), constraints=tuple(keys)), seed=seed)
            jumps.append(_largest_jump(clip) / own_jump)
            speeds.append(_top_speed(clip) / own_speed)
            errors.append(max(key.worst(clip) for key in keys))
    note = "worst of 3 held-out walks and 5 seeds, keys at the start, in the middle and at the end; after cleaning"
    unit = "times the examples'"
    return [
        figure("root keys of held-out walks, largest joint jump", round(max(jumps), 2), "<= 1.2", unit=unit, note=note),
        figure("root keys of held-out walks, top speed", round(max(speeds), 2), "<= 1.0", unit=unit, note=note),
        figure("root keys of held-out walks, key error", max(errors), "<= 1e-9", unit="m", note=note),
    ]


def _largest_jump(clip: Clip) -> float:
    from motionloom.evaluate.measures.jumps import joint_steps

    return float(joint_steps(clip).max())


def _top_speed(clip: Clip) -> float:
    """m/s: the hips' speed over the ground, averaged over a quarter of a second."""
    steps = np.linalg.norm(np.diff(travel(clip).place, axis=0), axis=1) * clip.fps
    count = max(1, round(clip.fps / 4))
    return float(np.convolve(steps, np.ones(count) / count, mode="valid").max())
