"""Clips for the similarity experiments, and where their pictures, numbers and pages go."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from motionloom.core import Clip
from motionloom.io import load
from motionloom.kinematics.body.proportions import on_skeleton
from motionloom.kinematics.resample import resample
from motionloom.plot.style import PAPER
from motionloom.samples import SAMPLES, make

ROOT = Path(__file__).resolve().parents[1]
MOCAP = ROOT.parent / "shared" / "mocap" / "cmu"
OUT = ROOT / "out" / "experiments"
PAGES = ROOT / "docs" / "experiments"
REAL = MOCAP.is_dir()
sys.path.insert(0, str(ROOT))  # the plain loops of benchmarks/similarity.py

CREDIT = (
    "Clips: mocap.cs.cmu.edu, created with funding from NSF EIA-0196217."
    if REAL
    else "Clips: the built-in samples (`../shared/mocap` is not here)."
)
DOZEN = (
    "143_32",
    "143_04",
    "137_16",
    "132_02",
    "93_06",
    "104_41",
    "136_27",
    "60_01",
    "49_04",
    "16_15",
    "143_05",
    "77_01",
)
MORE = (
    "16_21",
    "16_35",
    "35_01",
    "35_17",
    "69_01",
    "104_19",
    "127_06",
    "137_29",
    "38_03",
    "118_03",
    "83_27",
    "113_19",
    "93_03",
)


def in_one_thread() -> None:
    """Start this script again with one thread for each library, unless it runs so already: for timings."""
    pools = [f"{pool}_NUM_THREADS" for pool in ("OMP", "OPENBLAS", "MKL", "NUMBA")]
    if any(os.environ.get(pool) != "1" for pool in pools):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **dict.fromkeys(pools, "1")})


def capture(name: str, start: int, frames: int, fps: float) -> Clip:
    """Frames of a CMU clip at `fps`, without its T-pose. Subject 143 was captured at 60 fps, whatever its files say."""
    clip = load(MOCAP / f"{name}.bvh", trim_tpose=True, fps=60.0 if name.startswith("143") else None)
    clip = resample(clip, fps)
    return clip[start : start + frames]


def walk_and_run() -> tuple[Clip, Clip]:
    """Data set A: a walk of 300 frames and a run of 236, one subject, 60 frames a second."""
    if REAL:
        return capture("143_32", 30, 300, 60.0), capture("143_04", 300, 236, 60.0)
    return make("walk", seconds=5.0, seed=0)[:300], make("run", seconds=4.0, seed=0)[:236]


def dance_and_balance() -> tuple[Clip, Clip]:
    """Data set B: a dance of 260 frames and a balancing walk of 300, the dance put on the walker's body."""
    if REAL:
        walk = capture("132_02", 200, 300, 60.0)
        return on_skeleton(capture("93_06", 60, 260, 120.0), walk.skeleton), capture("132_02", 400, 300, 120.0)
    dance = make("dance" if "dance" in SAMPLES else "wave", seed=0)
    return dance[:260], make("walk", speed=0.6, seconds=5.0, seed=1)[:300]


def dozen() -> list[Clip]:
    """Data set C: twelve clips of different kinds, at most four seconds each, 30 frames a second, on one body."""
    if REAL:
        clips = [capture(name, 10, 120, 30.0) for name in DOZEN]
        return [on_skeleton(clip, clips[0].skeleton) for clip in clips]
    names = [n for n in SAMPLES if n not in ("dog", "stroke", "letter")]
    clips = [make("walk", seconds=4.0, speed=s, seed=k) for k, s in enumerate((0.7, 1.0, 1.4, 1.8))]
    clips += [make(n, seed=0) for n in names]
    body = clips[0].skeleton
    return [resample(c, 30.0)[:120] for c in clips if c.skeleton.names == body.names][:12]


def many(fps: float) -> list[Clip]:
    """Twenty-five clips of all kinds, for normalisation, on one body."""
    if REAL:
        clips = [capture(name, 10, 10_000, fps) for name in (*DOZEN, *MORE)]
        return [on_skeleton(clip, clips[0].skeleton) for clip in clips]
    return [resample(make(kind, seed=k), fps) for kind in ("walk", "run") for k in range(12)] + [make("jump", seed=0)]


def publish(name: str, figure: Any, numbers: dict[str, Any], page: str, *, dpi: int = 80) -> None:
    """out/experiments/NAME.png and .json, and the page docs/experiments/NAME.md with its small picture."""
    OUT.mkdir(parents=True, exist_ok=True)
    PAGES.mkdir(parents=True, exist_ok=True)
    figure.savefig(OUT / f"{name}.png", dpi=150, facecolor=PAPER)
    figure.savefig(PAGES / f"{name}.png", dpi=dpi, facecolor=PAPER, pil_kwargs={"optimize": True})
    shrink(PAGES / f"{name}.png")
    (OUT / f"{name}.json").write_text(json.dumps(numbers, indent=1) + "\n")
    (PAGES / f"{name}.md").write_text(page.strip() + f"\n\n{CREDIT}\n")
    print(page.strip(), "\n")


def shrink(path: Path) -> None:
    """Fewer colours: a page's picture stays under 150 KB."""
    from PIL import Image

    with Image.open(path) as picture:
        picture.convert("RGB").quantize(96).save(path, optimize=True)


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table; the first column names the row."""
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join([" --- ", *[" ---: "] * (len(head) - 1)]) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])
