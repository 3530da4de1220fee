"""Reading and forward kinematics against bvhio, an independent reader, on real clips of three skeletons."""

from __future__ import annotations

from pathlib import Path

import bvhio
import numpy as np
import pytest

from motionloom.io import load
from motionloom.kinematics.fk import fk

FRAMES = 25  # per clip, from all over it: bvhio takes milliseconds a frame


def some_rows(path: Path, out: Path) -> None:
    """A copy of a BVH file with FRAMES of its rows."""
    lines = path.read_text().splitlines()
    start = next(n for n, line in enumerate(lines) if line.strip() == "MOTION")
    rows = [line for line in lines[start + 3 :] if line.strip()]
    kept = [rows[n] for n in np.linspace(0, len(rows) - 1, FRAMES).astype(int)]
    out.write_text("\n".join([*lines[: start + 1], f"Frames: {FRAMES}", lines[start + 2], *kept]) + "\n")


def world_positions(path: Path, names: tuple[str, ...]) -> np.ndarray:
    """(F, J, 3) as bvhio has them, in the file's unit. Like us, it lets position channels replace OFFSET."""
    root = bvhio.readAsHierarchy(str(path))
    frames = []
    for frame in range(FRAMES):
        root.loadPose(frame)
        places = {joint.Name: list(joint.PositionWorld) for joint, _, _ in root.layout()}
        frames.append([places[name] for name in names])
    return np.array(frames)


@pytest.mark.parametrize(("folder", "count"), [("cmu", 8), ("dog", 6), ("bandai", 6)])
def test_joint_positions_agree_to_a_ten_thousandth_of_stature(mocap, tmp_path, folder, count):
    paths = sorted((mocap / folder).glob("*.bvh"))
    for path in paths[:: len(paths) // count][:count]:
        some_rows(path, tmp_path / path.name)
        clip = load(tmp_path / path.name)
        ours = fk(clip)
        theirs = world_positions(tmp_path / path.name, clip.skeleton.names) * clip.origin.unit
        stature = np.ptp(ours[..., 1], axis=1).max()
        assert np.abs(ours - theirs).max() < 1e-4 * stature, path.name
