"""Write the test vectors of parametric graphs: a small model, and what its characters do, step by step.

    python docs/make_test_vectors.py

Writes docs/_static/test_vectors/walk.loom and walk.json, for programs in other languages that read model files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from motionloom.core.poses import commands
from motionloom.methods import learn, save_model
from motionloom.methods.parametric_graph.config import LiveOptions
from motionloom.samples import make

OUT = Path(__file__).resolve().parent / "_static" / "test_vectors"
SETTINGS = {"sources": 8, "targets": 100, "verified": 500, "samples": 40}
DT, STEPS, SHOWN = 1 / 30, 90, (1, 2, 10, 30, 60, 90)
DRIVES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {  # options, commands
    "heading, set once for each clip": ({"half_life": 0.0}, {"heading": 1.0}),
    "heading, followed": ({}, {"heading": -2.0}),
    "place and heading, planned": ({}, {"place": [[1.5, 2.5]], "facing": 1.5}),
    "values, inertial transitions": ({"half_life": 0.0, "transitions": "inertial"}, {"action": [0], "values": [[0.4]]}),
}
STATE = ("time", "node", "weights", "place", "level", "mixing", "used", "held", "gap", "clips")


def rows(model: Any) -> Iterator[dict[str, Any]]:
    """One drive after the other, with states and poses after some of its steps."""
    live = model.live
    for name, (options, given) in DRIVES.items():
        state = live.begin([7], options=LiveOptions(**options))
        first, steps = _shown(state), []
        for n in range(1, STEPS + 1):
            state, poses = live.step(state, commands(**given), DT)
            if n in SHOWN:
                pose = {key: _list(getattr(poses, key)[0]) for key in ("root", "rotations", "contacts", "phase")}
                steps.append({"step": n, "state": _shown(state), "pose": pose})
        yield {"name": name, "seed": 7, "options": options, "commands": given, "dt": DT, "begin": first, "steps": steps}


def _shown(state: Any) -> dict[str, Any]:
    return {key: _list(getattr(state, key)[0]) for key in STATE}


def _list(value: Any) -> Any:
    array = np.asarray(value)
    return (np.round(array, 7) if array.dtype.kind == "f" else array).tolist()


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    walks = [make("walk", seed=1, turn=turn, seconds=4, fps=30) for turn in (-1.0, 0.0, 1.0)]
    model = learn("parametric-graph", walks, SETTINGS)
    save_model(model, OUT / "walk.loom")
    text = json.dumps({"model": "walk.loom", "drives": list(rows(model))}, separators=(",", ":"))
    (OUT / "walk.json").write_text(
        text.replace('{"name"', '\n{"name"').replace('{"step"', '\n{"step"') + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
