"""Jobs exchange pickles through pipes of their own; nothing that comes from a file is unpickled."""

from __future__ import annotations

import ast
import os
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

import motionloom
from motionloom.constraints import Request
from motionloom.core import MotionloomError
from motionloom.io import FORMATS, load, load_many, load_markers, save
from motionloom.methods import learn, load_model, save_model
from motionloom.samples import make

PACKAGE = Path(motionloom.__file__).parent
UNPICKLERS = {"pickle", "cPickle", "marshal", "shelve", "dill", "joblib", "cloudpickle"}


class Exploit:
    """Creates a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_only_jobs_import_an_unpickler():
    users = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [a.name for a in node.names] if isinstance(node, (ast.Import, ast.ImportFrom)) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if UNPICKLERS & {name.partition(".")[0] for name in names}:
                users.add(path.relative_to(PACKAGE).parts[0])
            if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
                assert isinstance(node.value, ast.Constant), path
                assert node.value.value is False, path
    assert users == {"jobs"}


def names_unpickled(read) -> list[tuple[object, ...]]:
    """The names that unpicklers look up in this process during a call."""
    found, active = [], [True]

    def hook(event, arguments):
        if active[0] and event == "pickle.find_class":
            found.append(arguments)

    sys.addaudithook(hook)
    read()
    active[0] = False  # a hook cannot be removed
    return found


def test_reading_clips_models_and_requests_unpickles_nothing(tiny, tmp_path):
    clips = [tmp_path / name for name in ("a.bvh", "b.glb", "c.npz")]
    for path in clips:
        save(tiny, path)
    save_model(learn("cuts", [make("walk", seconds=3, fps=30)]), tmp_path / "m.loom")
    (tmp_path / "r.yaml").write_text("seconds: 2\n")

    def read():
        for path in clips:
            load(path)
        load_model(tmp_path / "m.loom")
        Request.from_file(tmp_path / "r.yaml")

    read()  # loads compiled kernels: numba keeps them as pickles in a cache of its own
    assert names_unpickled(read) == []
    assert names_unpickled(lambda: pickle.loads(pickle.dumps(tmp_path)))


@pytest.mark.parametrize("suffix", [*FORMATS, ".loom", ".yaml"])
def test_a_pickle_under_the_name_of_any_format_is_not_unpickled(suffix, tmp_path):
    path, touched = tmp_path / f"walk{suffix}", tmp_path / "touched"
    path.write_bytes(pickle.dumps(("result", Exploit(touched)), protocol=5))
    reader = {".loom": load_model, ".yaml": Request.from_file, ".mat": load_many}.get(suffix, load)
    with pytest.raises(MotionloomError):
        (load_markers if suffix in (".c3d", ".trc") else reader)(path)
    assert not touched.exists()


def test_an_array_of_python_objects_is_not_unpickled(tmp_path):
    touched = tmp_path / "touched"
    names = ("names", "parents", "offsets", "root", "rotations", "fps")
    np.savez(tmp_path / "walk.npz", **{name: np.array([Exploit(touched)], object) for name in names})
    with pytest.raises(MotionloomError, match="Python objects"):
        load(tmp_path / "walk.npz")
    assert os.listdir(tmp_path) == ["walk.npz"]  # and not `touched`
