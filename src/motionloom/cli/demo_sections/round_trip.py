"""Demo: clips written, read and compared."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import numpy as np

from motionloom.cli.info import in_full
from motionloom.core import Clip, MissingExtra
from motionloom.io import load, save
from motionloom.kinematics.fk import fk
from motionloom.kinematics.summary import clip_facts
from motionloom.plot.page import CommandBlock, Paragraph, Section, TableBlock
from motionloom.samples import SAMPLES, make


def make_section(folder: Path) -> Section:
    """Write each sample as BVH, read it, and report by how much the joints moved and how long it took."""
    rows = [_there_and_back(name, make(name), folder / "round_trip" / f"{name}.bvh") for name in SAMPLES]
    shown = [row for row in rows if row is not None]
    return Section(
        "Reading and writing",
        (
            Paragraph(
                "A file is read, drawn and written again: names, order, hierarchy, end sites, unit and up axis "
                "are those of the source. Here every sample is written as BVH with six decimals and read again."
            ),
            TableBlock(("clip", "frames", "joints", "file", "write", "read", "largest joint error"), tuple(shown)),
            Paragraph(
                "The same walk in other formats. Blender and three.js find every joint of these files within 0.1 mm of "
                "where we have it, and Khronos' validator finds no problem in the GLB (./run interop)."
            ),
            TableBlock(
                ("format", "frames", "joints", "file", "write", "read", "largest joint error"), _formats(folder)
            ),
            CommandBlock("motionloom info walk.bvh", _info_text(folder / "round_trip" / "walk.bvh")),
            CommandBlock("motionloom convert captures/ clean_captures/ --trim-tpose --result-fps 30"),
            CommandBlock("motionloom convert captures/ game/ --to glb"),
        ),
    )


def _info_text(path: Path) -> str:
    """The output of `info` for a file."""
    clip = load(path)
    return "\n".join(in_full(Path(path.name), clip_facts(clip), clip.skeleton))


def _formats(folder: Path) -> tuple[tuple[str, ...], ...]:
    """A walk written and read in each format that holds a whole body; extras that are not installed are left out."""
    walk = make("walk")
    rows = []
    for suffix in (".bvh", ".glb", ".usdc", ".npz"):
        try:
            rows.append(_there_and_back(suffix, walk, folder / "round_trip" / f"walk{suffix}"))
        except MissingExtra:
            continue
    return tuple(row for row in rows if row is not None)


def _there_and_back(name: str, clip: Clip, path: Path) -> tuple[str, ...] | None:
    if len(clip.skeleton) == 1:
        return None
    start = perf_counter()
    save(clip, path)
    middle = perf_counter()
    back = load(path)
    end = perf_counter()
    error = float(np.linalg.norm(fk(back) - fk(clip), axis=-1).max())
    size = path.stat().st_size
    return (
        name,
        f"{len(clip)}",
        f"{len(clip.skeleton)}",
        f"{size / 1000:.0f} kB",
        f"{1000 * (middle - start):.0f} ms",
        f"{1000 * (end - middle):.0f} ms",
        f"{1000 * error:.4f} mm",
    )
