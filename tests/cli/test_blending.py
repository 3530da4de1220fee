"""`motionloom blend`, `bands` and `fourier`, and their recipes."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.io import load, save
from motionloom.recipes import again
from motionloom.samples import make


@pytest.fixture
def walks(tmp_path):
    for i, speed in enumerate((1.1, 1.5)):
        save(make("walk", seed=1, speed=speed, seconds=2.5, fps=30), tmp_path / f"walk{i}.bvh")
    return [str(tmp_path / f"walk{i}.bvh") for i in range(2)]


@pytest.mark.parametrize(
    "arguments",
    [
        ["blend", "{0}", "{1}", "--weights", "0.5,0.5", "--registration", "uniform"],
        ["bands", "{0}", "--gains", "3,2"],
        ["fourier", "{0}", "--to", "{1}", "--share", "0.5", "--seconds", "2"],
    ],
)
def test_a_command_writes_a_clip_that_its_recipe_repeats(arguments, walks, run, tmp_path):
    out = tmp_path / "out.bvh"
    answer = run(*(a.format(*walks) for a in arguments), "-o", str(out))
    assert answer.code == 0, answer.err
    made = load(out)
    assert np.isfinite(made.root).all()
    again(out, tmp_path, tmp_path / "same.bvh")
    assert (tmp_path / "same.bvh").read_bytes() == out.read_bytes()


def test_a_blend_of_clips_that_do_not_fit_is_reported(walks, run, tmp_path):
    save(make("run", seed=1, seconds=2.5, fps=30), tmp_path / "run.bvh")
    answer = run("blend", *walks, str(tmp_path / "run.bvh"), "-o", str(tmp_path / "x.bvh"))
    assert answer.code == 0, answer.err
    fits, warned = answer.out.splitlines()[:2]
    assert fits.startswith("walk1.bvh: poses ")
    assert fits.endswith("cm from those of walk0.bvh")
    assert warned.startswith("warning: run.bvh: poses ")
    assert warned.endswith("too far apart for one action")


def test_a_blend_by_cycles_states_what_is_left_of_each_clip(walks, run, tmp_path):
    answer = run("blend", *walks, "--registration", "cycles", "-o", str(tmp_path / "x.bvh"))
    assert answer.code == 0, answer.err
    assert answer.out.startswith("only the whole cycles that all clips have are blended: ")
    assert " s of walk0.bvh, " in answer.out


def test_a_blend_by_cycles_of_single_strides_names_other_registrations(walks, run, tmp_path):
    cut = str(tmp_path / "stride.bvh")
    assert run("trim", walks[0], "--end", "0.8", "-o", cut).code == 0
    answer = run("blend", cut, walks[1], "--registration", "cycles", "-o", str(tmp_path / "x.bvh"))
    assert answer.code == 2
    assert "registration time-warp or uniform also takes a clip that is cut to one cycle" in answer.err
    assert run("blend", cut, walks[1], "--registration", "uniform", "-o", str(tmp_path / "x.bvh")).code == 0


def test_wrong_numbers_are_one_line(walks, run, tmp_path):
    answer = run("blend", *walks, "--weights", "a,b", "-o", str(tmp_path / "x.bvh"))
    assert (answer.code, answer.out) == (2, "")
    assert "expected numbers, as 0.3,0.7" in answer.err
