"""Record what every method makes for fixed seeds, and compare with what was recorded before.

    python tests/methods/recorded.py --write          # record: hashes here, arrays in a folder (not in the repository)
    python tests/methods/recorded.py                  # compare: which results differ, and by how much

A change of the code that should not change any motion leaves every line at "same". Hashes depend on the platform's
floating point, so this is a tool for one machine and not a test.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from feasible import REQUESTS, feasible

from motionloom.constraints import Request
from motionloom.core import Clip, MotionloomError, Unmet
from motionloom.io import load
from motionloom.methods import METHODS, learn, synthesize
from motionloom.samples import make

HERE = Path(__file__).resolve()
FILE = HERE.with_suffix(".json")
MOCAP = HERE.parents[3] / "shared" / "mocap" / "cmu"
EXAMPLES = HERE.parents[2] / "examples" / "requests"
WALKS = ((0, 1.3, 0.0), (1, 1.4, 0.2), (2, 1.3, -0.2))
CAPTURED = ("16_11", "16_29", "60_04", "60_08")


def clip_sets() -> Iterator[tuple[str, list[Clip]]]:
    """Clips to learn from, by name: samples, and captured clips where they are at hand."""
    yield "samples", [make("walk", seed=s, speed=v, turn=t, seconds=4) for s, v, t in WALKS]
    if MOCAP.is_dir():
        clips = [load(MOCAP / f"{name}.bvh") for name in CAPTURED]
        yield "walks", clips[:2]
        yield "salsa", clips[2:]


def results(only: str = "") -> Iterator[tuple[str, Clip | None]]:
    """Every case by name with its clip, or the best clip where a request cannot be kept."""
    for name, clips in clip_sets():
        for method in METHODS:
            if only not in method:
                continue
            try:
                model = learn(method, clips)
            except MotionloomError:  # these clips are no takes of one motion, for example
                yield f"{name}/{method}", None
                continue
            for label, request in requests(method, name):
                if isinstance(request, Request):
                    yield f"{name}/{method}/{label}", _made(model, request, 3)
            if name != "samples":
                continue
            for kind, strength in type(model).honours:
                if strength == "hard" and kind in REQUESTS:
                    yield f"{name}/{method}/{kind.key()}", _made(model, feasible(model, kind, 0), 0)


def requests(method: str, name: str) -> Iterator[tuple[str, Request]]:
    yield "6s", Request(seconds=6.0)
    yield "60fps", Request(seconds=2.0, fps=60.0)
    if name == "samples" and (EXAMPLES / f"{method}.yaml").is_file():
        yield "example", Request.from_file(EXAMPLES / f"{method}.yaml")


def _made(model: object, request: Request, seed: int) -> Clip | None:
    try:
        return synthesize(model, request, seed=seed)  # type: ignore[arg-type]
    except Unmet as error:
        return error.best
    except MotionloomError:
        return None


def digest(clip: Clip | None) -> str:
    """The hash of root and rotations."""
    return "" if clip is None else hashlib.sha256(clip.root.tobytes() + clip.rotations.tobytes()).hexdigest()[:16]


def difference(clip: Clip, before: Path) -> str:
    if not before.is_file():
        return "differs (no arrays recorded here)"
    old = np.load(before)
    if old["root"].shape != clip.root.shape:
        return f"differs: {len(old['root'])} frames before, {len(clip)} now"
    metres = np.abs(old["root"] - clip.root).max()
    apart = np.minimum(*(np.linalg.norm(old["rotations"] - s * clip.rotations, axis=-1) for s in (1, -1))).max()
    return f"differs: root {metres:.3g} m, rotations {np.degrees(4 * np.arcsin(min(apart / 2, 1))):.3g} deg"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--only", default="", help="methods whose name contains this")
    parser.add_argument("--arrays", type=Path, default=Path(tempfile.gettempdir()) / "motionloom_recorded")
    given = parser.parse_args()
    known = json.loads(FILE.read_text()) if FILE.is_file() else {}
    changed = 0
    for name, clip in results(given.only):
        path = given.arrays / f"{name.replace('/', '__')}.npz"
        if given.write:
            known[name] = digest(clip)
            path.parent.mkdir(parents=True, exist_ok=True)
            if clip is not None:
                np.savez_compressed(path, root=clip.root, rotations=clip.rotations)
            print(name, known[name] or "no clip", flush=True)
            continue
        same = known.get(name) == digest(clip)
        changed += not same
        said = "same" if same else "new" if name not in known else "no clip" if clip is None else difference(clip, path)
        print(f"{name}: {said}", flush=True)
    if given.write:
        FILE.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
    return int(changed > 0)


if __name__ == "__main__":
    sys.exit(main())
