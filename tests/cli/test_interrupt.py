"""Ctrl-C ends a command with exit code 130, and leaves no file behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from motionloom import samples
from motionloom.cli import synthesize as synthesize_command
from motionloom.cli.app import app
from motionloom.cli.progress_bars import busy
from motionloom.core import Cancelled
from motionloom.io import save
from motionloom.methods import learn, save_model

LEARN = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in the background
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
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [*[".bvh"] * 3, *[".csv"] * 3, *[".json"] * 3]


WAIT = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in the background
from motionloom.cli import progress_bars
doing = sys.argv.pop(1)
report = progress_bars.Lines.__call__
def wait(self, share, stage):
    report(self, share, stage)
    if self._doing == doing:
        print("ready", flush=True)
        signal.pause()
progress_bars.Lines.__call__ = wait
from motionloom.cli import main
main()
"""

COMMANDS = {
    "learning": ["learn", "cuts", "{clips}", "-o", "{out}/new.loom"],
    "making": ["synthesize", "{model}", "-r", "{{seconds: 2}}", "--count", "20", "-o", "{out}"],
    "walking": ["walk", "{model}", "--seconds", "2", "--count", "3", "-o", "{out}"],
    "measuring": ["evaluate", "{clips}", "--source", "{clips}", "--picture", "{out}/values.png"],
    "comparing": ["compare", "{clips}", "-r", "{{seconds: 2}}", "--methods", "cuts", "-o", "{out}/page.html"],
    "checking": ["check", "{clips}"],
    "aligning": ["align", "{clips}/walk_0.bvh", "{clips}/walk_1.bvh", "-o", "{out}"],
}


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """A folder of clips and a model of them."""
    folder = tmp_path_factory.mktemp("given")
    clips = [samples.make("walk", seconds=3, seed=seed) for seed in range(3)]
    for seed, clip in enumerate(clips):
        save(clip, folder / "clips" / f"walk_{seed}.bvh")
    save_model(learn("motion-graph", clips), folder / "model.loom")
    return {"clips": folder / "clips", "model": folder / "model.loom"}


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
@pytest.mark.parametrize("doing", COMMANDS)
def test_ctrl_c_at_a_report_of_progress_exits_with_130_and_leaves_no_file(doing, given, tmp_path):
    arguments = [word.format(**given, out=tmp_path / "out") for word in COMMANDS[doing]]
    child = subprocess.Popen(
        [sys.executable, "-c", WAIT, doing, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert "ready\n" in iter(child.stdout.readline, "")
    child.send_signal(signal.SIGINT)
    out, said = child.communicate()
    assert (child.returncode, "cancelled" in said, "Traceback" in said) == (130, True, False)
    assert "ready" not in out  # nothing goes on: no next take, no next method
    assert not list(tmp_path.rglob("*.*"))


@pytest.fixture
def interruptible():
    """Ctrl-C raises KeyboardInterrupt, also where the tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


class Destroyed:
    """Its destructor loses the KeyboardInterrupt of a Ctrl-C."""

    def __del__(self):
        signal.raise_signal(signal.SIGINT)


def test_an_interrupt_that_a_destructor_swallows_still_cancels(interruptible, monkeypatch):
    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)  # Python prints "Exception ignored in" and continues
    with busy("drawing") as report:
        Destroyed()
        with pytest.raises(Cancelled):
            report(0.5, "drawing")


def test_an_error_in_place_of_an_interrupt_ends_as_cancelled(interruptible, run, monkeypatch, capfd):
    def compile_kernel():
        Destroyed()
        raise RuntimeError("no compiled object yet")  # numba's, after an interrupt in its callback

    monkeypatch.setattr(synthesize_command, "synthesize", compile_kernel)
    hook = sys.unraisablehook
    answer = run("synthesize")
    assert (answer.code, answer.err) == (130, "motionloom: cancelled\n")
    assert "KeyboardInterrupt" not in capfd.readouterr().err
    assert sys.unraisablehook is hook


def test_an_error_without_an_interrupt_stays_an_error(interruptible, monkeypatch):
    def fails():
        raise RuntimeError("ours")

    monkeypatch.setattr(synthesize_command, "synthesize", fails)
    with pytest.raises(RuntimeError, match="ours"):
        CliRunner().invoke(app, ["synthesize"], catch_exceptions=False)
