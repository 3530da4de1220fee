"""Table 1.1 of HECK for every live method here, on the walks of the walking graph.

    python experiments/127_live_methods.py

Prints the rows. Takes about five minutes.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

from graph_material import TICK, clips, criteria, graph

from motionloom.core.poses import commands
from motionloom.kinematics.trim import trim_contacts
from motionloom.methods import METHODS, learn, save_model
from motionloom.samples import make

SETTINGS = {"parametric-space": {"parameter": ["turn_rate"]}, "textons": {"shortest": 0.5, "tolerance": 0.5}}


def file_bytes(model: Any) -> int:
    """Bytes of a model's file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.loom"
        save_model(model, path)
        return path.stat().st_size


def table_one() -> list[str]:
    """Table 1.1 for every live method here, on the walks of the walking graph."""
    walks, rows = clips("walk"), []
    for method in (m for m, entry in METHODS.items() if entry.module().MODEL.live_commands):
        begin = time.process_time()
        used = walks if method != "variation" else takes()
        model = graph("walk")[0] if method == "parametric-graph" else learn(method, used, SETTINGS.get(method, {}))
        seconds = graph("walk")[1] if method == "parametric-graph" else time.process_time() - begin
        model.live.step(model.live.begin([0]), commands(), TICK)
        rows.append(criteria(method, model.live, file_bytes(model), seconds, used))
        print(rows[-1], flush=True)
    return rows


def takes() -> list[Any]:
    """Cycles of a straight walk, for the method that learns one motion."""
    return [trim_contacts(make("walk", seed=i, seconds=4, fps=30), "left_heel", strides=1) for i in range(4)]


if __name__ == "__main__":
    table_one()
