"""The laws of progress for the functions behind the commands that edit, compare and make clips."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import motionloom as ml
from motionloom import samples
from motionloom.analysis import Judge, measure_named
from motionloom.control.crowd_clips import crowd_clips
from motionloom.core import Cancelled, Clip
from motionloom.io import formats
from motionloom.recipes import again
from motionloom.recipes.folders import loop_files
from motionloom.recipes.recorded_edits import convert, loop


@pytest.fixture(scope="module")
def clips():
    return [samples.make("walk", seed=seed, seconds=2, fps=30) for seed in range(3)]


@pytest.fixture(scope="module")
def model(clips):
    return ml.learn("motion-graph", clips)


@pytest.fixture(scope="module")
def files(clips, tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    for k, clip in enumerate(clips):
        ml.save(clip, folder / f"walk_{k}.bvh")
    ml.save(convert(ml.load(folder / "walk_0.bvh"), resample=60.0), folder / "edited" / "walk.bvh")
    return folder


WORK = {
    "append, blend": lambda c, m, f, out, p: ml.append(c[0], c[1], progress=p).clip,
    "append, spacetime": lambda c, m, f, out, p: ml.append(c[0], c[1], method="spacetime", progress=p).clip,
    "splice": lambda c, m, f, out, p: ml.splice(c[0], c[1], crop=True, progress=p).clip,
    "clean": lambda c, m, f, out, p: ml.clean(c[0], repair=True, find_contacts=True, progress=p).clip,
    "retarget": lambda c, m, f, out, p: ml.retarget(c[0], c[1], progress=p).clip,
    "remove skate": lambda c, m, f, out, p: ml.remove_skate(c[0], progress=p)[0],
    "align": lambda c, m, f, out, p: ml.align(c[0], c[1], progress=p).clip,
    "find similar": lambda c, m, f, out, p: (
        ml.find_similar(c[0], c[1], measure_named("point-cloud"), progress=p).matrix
    ),
    "judge": lambda c, m, f, out, p: [
        v.pairs for v, _ in ml.judge([measure_named("joint-angles")], c[0], c[1], by=Judge(), progress=p).values()
    ],
    "check": lambda c, m, f, out, p: ml.check_clips(c, progress=p),
    "evaluate": lambda c, m, f, out, p: [r.as_dict() for r in ml.evaluate_clips(c[:1], c[1:], progress=p).reports],
    "load": lambda c, m, f, out, p: ml.load(f / "walk_0.bvh", progress=p),
    "convert": lambda c, m, f, out, p: convert(c[0], resample=60.0, stand=True, progress=p),
    "loop": lambda c, m, f, out, p: loop(c[0], times=2, progress=p).clip,
    "again, an edit": lambda c, m, f, out, p: again(f / "edited" / "walk.bvh", f, out / "same.bvh", progress=p).clip,
    "crowd": lambda c, m, f, out, p: crowd_clips(m, 2, 1.0, progress=p)[1],
    "loop files": lambda c, m, f, out, p: list(loop_files([f / "walk_0.bvh"], out, progress=p)),
    "convert files": lambda c, m, f, out, p: list(ml.convert_files([f], out, to="npz", progress=p)),
    "clean files": lambda c, m, f, out, p: list(ml.clean_files([f], out, progress=p)),
    "retarget files": lambda c, m, f, out, p: list(ml.retarget_files([f], c[0], out, progress=p)),
    "learn": lambda c, m, f, out, p: ml.learn("cuts", c, progress=p).fps,
    "synthesize": lambda c, m, f, out, p: ml.synthesize(m, ml.Request(seconds=2), progress=p),
    "stream": lambda c, m, f, out, p: ml.stream_clip(m, 2.0, progress=p),
}
"""Each takes clips, a model of them, a folder with them, a folder for results, and a progress."""


def plain(value, out: Path):
    """A result as text: equal texts are equal results, whatever the folder."""
    if isinstance(value, Clip):
        return (value.root.tobytes(), value.rotations.tobytes())
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if isinstance(value, list) and value and dataclasses.is_dataclass(value[0]):
        return [str(dataclasses.asdict(v)).replace(str(out), "") for v in value]
    return str(value)


@pytest.mark.parametrize("work", WORK)
def test_shares_are_lawful_and_results_equal(work, clips, model, files, tmp_path, recorded):
    progress = recorded()
    reported = WORK[work](clips, model, files, tmp_path / "a", progress)
    silent = WORK[work](clips, model, files, tmp_path / "b", None)
    assert plain(reported, tmp_path / "a") == plain(silent, tmp_path / "b")
    assert progress.lawful()


@pytest.mark.parametrize("work", WORK)
def test_a_stop_cancels_at_once_and_writes_nothing(work, clips, model, files, tmp_path, recorded):
    progress = recorded()
    progress.stop[0] = 1
    with pytest.raises(Cancelled):
        WORK[work](clips, model, files, tmp_path / "out", progress)
    assert progress.shares == []
    assert not list(tmp_path.rglob("*.*"))


@pytest.mark.parametrize("work", WORK)
def test_a_stop_cancels_at_the_next_report(work, clips, model, files, tmp_path, recorded):
    progress = recorded(2)
    with pytest.raises(Cancelled):
        WORK[work](clips, model, files, tmp_path / "out", progress)
    assert len(progress.shares) == 2


def test_a_large_file_is_read_in_another_process_with_progress(files, recorded, monkeypatch):
    monkeypatch.setattr(formats, "LARGE", 100)
    progress, path = recorded(), files / "walk_1.bvh"
    found, plain_clip = ml.load(path, progress=progress), ml.load(path)
    assert progress.lawful()
    assert found.rotations.tobytes() == plain_clip.rotations.tobytes()
    assert found.origin.read == plain_clip.origin.read
    with pytest.raises(Cancelled):
        ml.load(path, progress=recorded(1))


def test_shares_of_an_evaluation_are_proportional_to_the_estimated_work(clips, recorded):
    from motionloom.evaluate.evaluation import evaluate_take, source_values
    from motionloom.evaluate.measures.table import FAMILIES
    from motionloom.evaluate.reference import reference

    progress, source = recorded(), reference(clips[1:])
    own = source_values(source)
    source.shuffled()
    evaluate_take(clips[0], source, own=own, progress=progress)
    begins = {}
    for share, stage in zip(progress.shares, progress.stages, strict=True):
        begins.setdefault(stage, share)
    first = [begins[f"measuring {family.names[0]}"] for family in FAMILIES]
    works = np.array([family.work(60, source.frames) for family in FAMILIES])
    assert np.diff([*first, 1.0]) == pytest.approx(works / works.sum(), abs=1e-9)
