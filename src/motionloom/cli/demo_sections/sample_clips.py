"""Demo: the sample clips, moving."""

from __future__ import annotations

from dataclasses import replace as with_changes
from pathlib import Path

from motionloom.core import Clip, replace
from motionloom.io import save
from motionloom.kinematics.summary import clip_facts
from motionloom.plot.page import CommandBlock, Paragraph, PlayerBlock, Section, filmstrip_picture, optional_picture
from motionloom.plot.player import Stage, characteristic_time
from motionloom.samples import SAMPLES, make


def make_all(folder: Path) -> dict[str, Clip]:
    """Every sample once, with its defaults, saved in the folder."""
    clips = {}
    for name in SAMPLES:
        clip = make(name)
        save(clip, folder / f"{name}{'.csv' if len(clip.skeleton) == 1 else '.bvh'}")
        clips[name] = clip
    return clips


def save_source(clip: Clip, path: Path) -> Clip:
    """Save a sample that other clips are made from: their source is then this file, not the sample's kind."""
    save(clip, path)
    sources = tuple(source._replace(name=path.name) for source in clip.origin.sources)
    return replace(clip, origin=with_changes(clip.origin, name=path.name, sources=sources))


def make_stage(name: str, clip: Clip) -> Stage:
    """A card for one sample."""
    f = clip_facts(clip)
    numbers = [("length", f"{f.seconds:.1f} s")]
    if f.joints > 1 and f.travel > 0.5:
        numbers += [("travel", f"{f.travel:.1f} m"), ("speed", f"{f.speed:.1f} m/s")]
    start = 0.0 if name == "walk" else characteristic_time(clip)  # the time track under all of them is the walk's
    return Stage((clip,), title=name, note=SAMPLES[name].what, numbers=tuple(numbers), start=start)


def make_section(folder: Path) -> Section:
    clips = make_all(folder)
    stages = tuple(make_stage(name, clip) for name, clip in clips.items())
    return Section(
        "Sample clips",
        (
            Paragraph(
                "Performers that motionloom computes itself, from published gait figures and inverse kinematics, with "
                "true foot plants. Each takes speed, turn, style and seed. Drag to turn a figure, click and scroll to "
                "come closer."
            ),
            PlayerBlock(stages),
            CommandBlock("motionloom samples walk --speed 1.2 --turn 20deg/s --seed 3 -o walk.bvh"),
            optional_picture(
                lambda: filmstrip_picture(
                    clips["walk"],
                    "`motionloom view walk.bvh -o walk.png`: left limbs warm, right ones cool, "
                    "and prints where a foot stands",
                    titles=["walk"],
                )
            ),
        ),
    )
