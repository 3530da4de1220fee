"""The comparison behind `./run interop` notices what it should: it would be worth nothing if everything passed."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionloom.core import Clip
from motionloom.kinematics import fk
from motionloom.samples import make

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def check() -> Any:
    spec = importlib.util.spec_from_file_location("interop_check", ROOT / "interop" / "check.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def walk() -> Clip:
    return make("walk", seconds=1)


def answer(clip: Clip, frames: list[int]) -> dict[str, Any]:
    """What a program says that reads everything right."""
    names = clip.skeleton.names
    parents = ["" if p < 0 else names[p] for p in clip.skeleton.parents]
    return {"names": list(names), "parents": parents, "frames": len(clip), "places": fk(clip)[frames].tolist()}


JOB = {"suffix": ".glb", "frames": [0, 5, 9]}


def test_a_right_answer_has_no_faults(check, walk):
    wrong, apart = check.faults(JOB, answer(walk, [0, 5, 9]), walk, plain_names=False)
    assert wrong == []
    assert apart < 1e-9


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda a: a.update(frames=a["frames"] + 1), "frames, not"),
        (lambda a: a["names"].__setitem__(3, "other"), "joints differ"),
        (lambda a: a["parents"].__setitem__(3, a["names"][0] + "x"), "hangs on"),
        (lambda a: a["places"][1][4].__setitem__(0, a["places"][1][4][0] + 2e-4), "mm apart"),
        (lambda a: a.update(rest=(np.array(a["places"][0]) * 2).tolist()), "rest pose"),
        (lambda a: a.update(errors=0, warnings=1, issues=["X"]), "validator: 0 errors, 1 warnings"),
        (lambda a: a.update(error="crashed"), "crashed"),
    ],
)
def test_a_wrong_answer_is_noticed(check, walk, change, said):
    found = answer(walk, [0, 5, 9])
    change(found)
    wrong, _ = check.faults(JOB, found, walk, plain_names=False)
    assert any(said in fault for fault in wrong)


def test_what_is_installed_is_pinned():
    packages = json.loads((ROOT / "interop" / "package.json").read_text())["dependencies"]
    assert all(version[0].isdigit() for version in packages.values())
    for name in ("blender.txt", "node.txt"):
        assert all("==" in line for line in (ROOT / "interop" / name).read_text().splitlines())


def test_a_rig_whose_bones_or_skin_are_off_is_noticed(check: Any, walk: Clip) -> None:
    frames = [0, 10]
    job = {"path": "rig.glb", "suffix": ".glb", "frames": frames}
    bones = fk(walk)[frames]
    points = np.concatenate([bones + 0.03 * np.eye(3)[k] for k in range(3)], axis=1)
    good = answer(walk, frames) | {"points": points.tolist(), "materials": ["Skin.001"]}
    assert check.rig_faults(job, good, walk) == ([], pytest.approx(0.0, abs=1e-9))
    places = bones.copy()
    places[1, 4, 0] += 0.002
    assert check.rig_faults(job, good | {"places": places.tolist()}, walk)[0] == ["bones 2.000 mm apart"]
    still = np.repeat(points[:1], 2, axis=0)
    assert "skin" in check.rig_faults(job, good | {"points": still.tolist()}, walk)[0][0]
    assert check.rig_faults(job, good | {"materials": []}, walk)[0] == ["materials []"]
    assert "bones missing" in check.rig_faults(job, good | {"names": ["Hips"]}, walk)[0][0]
