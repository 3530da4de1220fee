"""Modules and settings of libraries that lie beside a clip are never used, whatever the clip's format."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from scipy.io import savemat

from motionloom import samples
from motionloom.core import Markers
from motionloom.io import FORMATS, save, save_markers

PLANTED = ("numpy", "scipy", "ufbx", "bpy", "pxr", "numba", "motionloom", "json", "zipfile", "tomllib", "pickle")

READ_ALL = """
import json, sys
from pathlib import Path
from motionloom.io import load, load_markers, load_many
from motionloom.io.formats import format_of, holds_markers, holds_many

for path in map(Path, sys.argv[1:]):
    read = load_markers if holds_markers(path) else load_many if holds_many(path) else load
    assert len(read(path)), path
print(json.dumps(sys.argv[1:]))
"""


def test_modules_beside_a_clip_of_any_format_are_not_executed(tmp_path):
    names = [path.name for path in _one_of_each(tmp_path)]
    _plant(tmp_path, PLANTED)
    done = _run(tmp_path, "-P", "-c", READ_ALL, *names)
    assert not (tmp_path / "executed").exists(), (tmp_path / "executed").read_text()
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == names


def test_modules_beside_a_clip_are_not_executed_by_python_m(tmp_path):
    _plant(tmp_path, [name for name in PLANTED if name != "motionloom"])  # which Python itself would take first
    done = _run(tmp_path, "-m", "motionloom", "samples", "walk", "--seconds", "0.5", "-o", "walk.bvh")
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "executed").exists()


def test_settings_of_numba_beside_a_clip_are_not_used(tmp_path):
    """They can name a folder of compiled code, whose index is a pickle."""
    (tmp_path / ".numba_config.yaml").write_text("cache_dir: ./planted\ndisable_jit: 1\n")
    text = "from motionloom.core import _jit; from numba.core import config; config.reload_config()\n"
    text += "from motionloom.kinematics._kernels import forward; import os\n"
    text += "print(config.CACHE_DIR, config.DISABLE_JIT, hasattr(forward, 'targetoptions'), os.getcwd())"
    assert _run(tmp_path, "-c", text).stdout.split() == ["0", "True", str(tmp_path.resolve())]


def test_settings_of_matplotlib_beside_a_clip_are_not_used(tmp_path):
    pytest.importorskip("matplotlib", reason="needs the extra plot")
    (tmp_path / "matplotlibrc").write_bytes(b"text.usetex: True\n\xe9")
    text = "import motionloom.plot, matplotlib, os; print(matplotlib.rcParams['text.usetex'], os.getcwd())"
    assert _run(tmp_path, "-c", text).stdout.split() == ["False", str(tmp_path.resolve())]


def _run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    settings = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    return subprocess.run(
        [sys.executable, *words], cwd=folder, capture_output=True, text=True, env=settings, check=False
    )


def _plant(folder: Path, modules: Iterable[str]) -> None:
    """Modules that write their name to a file when they are executed."""
    for module in modules:
        text = f"open({str(folder / 'executed')!r}, 'a').write({module!r})\nraise SystemExit({module!r})\n"
        (folder / f"{module}.py").write_text(text)


def _one_of_each(folder: Path) -> list[Path]:
    """A file of every format that can be read here."""
    clip = samples.make("walk", seconds=0.5, fps=30)
    made = [folder / f"walk{suffix}" for suffix, entry in FORMATS.items() if _usable(suffix)]
    for path in made:
        entry = FORMATS["".join(path.suffixes)]
        if entry.write is not None and path.suffix not in (".csv", ".fbx"):
            save(clip, path)
    markers = Markers(("A", "B"), np.zeros((3, 2, 3)), 100.0)
    save_markers(markers, folder / "walk.trc")
    save_markers(markers, folder / "marked.csv")
    save(samples.make("stroke"), folder / "walk.csv")
    (folder / "arm.asf").write_text(_helper("test_amc").ASF)
    (folder / "walk.amc").write_text(_helper("test_amc").AMC)
    (folder / "walk.c3d").write_bytes(_helper("c3d_files").c3d_bytes(np.zeros((3, 2, 3))))
    _helper("gltf_files").arm().write(folder / "walk.gltf")
    savemat(folder / "walk.mat", _letters())
    if folder / "walk.fbx" in made:
        bones = [("Hips", (0, 100, 0), (0, 0, 0)), ("Spine", (0, 50, 0), (0, 0, 0))]
        text = _helper("fbx_files").fbx_text(bones, [0.0, 0.1], {(0, "T"): [(0, 100, 0), (0, 100, 10)]})
        (folder / "walk.fbx").write_text(text)
    return [*made, folder / "marked.csv"]


def _usable(suffix: str) -> bool:
    entry = FORMATS[suffix]
    if not (entry.read or entry.read_markers or entry.read_many):
        return False
    needs = {".fbx": "ufbx", ".usd": "pxr", ".usda": "pxr", ".usdc": "pxr"}.get(suffix)
    return needs is None or importlib.util.find_spec(needs) is not None


def _letters() -> dict[str, np.ndarray]:
    stroke, name, strokes = np.ones((3, 5)), np.empty((1, 1), object), np.empty((1, 1), object)
    name[0, 0], strokes[0, 0] = "a", stroke
    return {"xtrain": strokes, "ytrain": np.array([[1]], np.uint8), "key": name}


def _helper(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    if spec is None or spec.loader is None:
        pytest.fail(f"{name}.py is missing")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
