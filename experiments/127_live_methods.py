"""Table 1.1 of HECK for every live method here, on the walks of the walking graph.

    python experiments/127_live_methods.py

Writes docs/experiments/live_methods.md. Takes about five minutes.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

from graph_material import CHARACTERS, MOTION, SECONDS, TICK, clips, criteria, graph
from similarity_material import PAGES

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
        own = takes(1 / TICK) if used is not walks else walks  # at the rate at which the characters are recorded
        rows.append(criteria(method, model.live, file_bytes(model), seconds, own))
        print(rows[-1], flush=True)
    return rows


def takes(fps: float = 120.0) -> list[Any]:
    """Cycles of a straight walk, for the method that learns one motion."""
    return [trim_contacts(make("walk", seed=i, seconds=4, fps=fps), "left_heel", strides=1) for i in range(4)]


def write_page(rows: list[str]) -> None:
    """The page of all live methods."""
    text = f"""# Live methods by HECK's criteria

HECK's table 1.1 for every live method here, learned from the clips of the walking graph (`examples/graphs/walk.toml`;
variation, which learns one motion, from four cycles of a straight walk). Columns stand for the criteria of interactive
characters: seconds to learn (automated authoring), processor time of a step of one of {CHARACTERS} characters
(efficient synthesis), KB of the model file with all poses (storage), seconds until the hips face 3 degrees away from
those of a twin after a command to turn by 60 degrees, median and largest (latency), error of the direction of travel
{SECONDS - 2:g} to {SECONDS:g} s after the command (accuracy), and of {MOTION:g} s of one character with locked feet the
largest turn of a joint from frame to frame, in units of the clips' own, and the speed of toes near the floor (skate,
the published measure; visual quality). Times are from a busy machine. (`experiments/127_live_methods.py`)

| method | learn, s | step, us | KB | latency, s | direction, deg | joint turn | skate, cm/s |
| --- | --- | --- | --- | --- | --- | --- | --- |
{chr(10).join(rows)}

Methods without headings follow their clips. Beside motion matching, the parametric graph takes less memory, turns more
accurately, and its feet slide less, since hips move over standing feet while turns are followed; motion matching reacts
sooner. The graphs of HECK's six characters are on [a page of their own](parametric_graphs.md).
"""
    (PAGES / "live_methods.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_page(table_one())
