"""Reading without compiled kernels, as `motionloom info` does: the same clip up to rounding, and no compiler."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from motionloom.core.compiling import without_kernels
from motionloom.io import load, save
from motionloom.io.bvh.motion import rows_in_numpy
from motionloom.kinematics import fk
from motionloom.kinematics.summary import clip_facts
from motionloom.samples import make


def test_a_clip_is_the_same_up_to_rounding(tmp_path):
    save(make("walk", seconds=2, turn=0.4), tmp_path / "walk.bvh")
    compiled = load(tmp_path / "walk.bvh")
    places = fk(compiled)
    with without_kernels():
        plain = load(tmp_path / "walk.bvh")
        assert np.abs(fk(plain) - places).max() < 1e-12
    assert plain.root.tobytes() == compiled.root.tobytes()  # numbers are rounded correctly by both
    assert np.abs(plain.rotations - compiled.rotations).max() < 1e-14
    assert clip_facts(plain).roles == clip_facts(compiled).roles


@pytest.mark.parametrize("text", [b"1 2\n3\n", b"1 2 # x\n", b"1 2\n3 four\n", b"1 2\n3 1e99\n", b"1 2\n3 -\n"])
def test_unusual_rows_are_left_to_the_kernel(text):
    assert rows_in_numpy(text, 2) is None
    assert rows_in_numpy(b"\n1 2\r\n\r\n-3e1\t.5\n", 2).tolist() == [[1, 2], [-30, 0.5]]


def test_info_imports_no_compiler(tmp_path):
    save(make("walk", seconds=1, fps=30), tmp_path / "walk.bvh")
    code = (
        "import sys; from motionloom.cli import main\n"
        f"sys.argv = ['motionloom', 'info', {str(tmp_path / 'walk.bvh')!r}]\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print(sorted({m.split('.')[0] for m in sys.modules} & {'numba', 'scipy', 'matplotlib', 'yaml'}))"
    )
    answer = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert "30 frames at 30 fps" in answer.stdout
    assert answer.stdout.strip().endswith("[]")
