"""Ctrl-C ends a command with exit code 130, and leaves no file behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from motionloom import samples
from motionloom.io import save

LEARN = """
import sys
import motionloom.methods.learning as learning
prepare = learning.prepare
def ready(*args, **options):
    print("ready", flush=True)
    return prepare(*args, **options)
learning.prepare = ready
from motionloom.cli import main
sys.argv = ["motionloom", "learn", sys.argv[1], sys.argv[2], "-o", sys.argv[3]]
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
@pytest.mark.parametrize("method", ["textons", "hierarchical-graph"])
def test_ctrl_c_while_learning_exits_with_130_and_writes_nothing(method, tmp_path):
    for seed in range(3):
        save(samples.make("dance", seconds=20, seed=seed), tmp_path / f"dance_{seed}.bvh")
    out = tmp_path / "model.loom"
    child = subprocess.Popen(
        [sys.executable, "-c", LEARN, method, str(tmp_path), str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    child.send_signal(signal.SIGINT)
    _, said = child.communicate()
    assert child.returncode == 130
    assert "cancelled" in said
    assert "Traceback" not in said
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".bvh", ".bvh", ".bvh", *[".csv"] * 3]
