"""Results of every method and command made again from their recipes, byte for byte."""

from __future__ import annotations

import json
import math
import shutil
from importlib import import_module
from pathlib import Path

import pytest

from motionloom.constraints import MotionParameter, Request
from motionloom.core import BadRequest, FormatError, MotionloomError, replace
from motionloom.core.files import Files
from motionloom.io import load, load_markers, save, save_markers
from motionloom.io.sidecars.origin import origin_path
from motionloom.kinematics.loop import close_loop, find_loop
from motionloom.methods import METHODS, learn, load_model, save_model, synthesize
from motionloom.recipes.recorded_edits import align, append, clean, convert, retarget
from motionloom.recipes.repeat import CannotRepeat, again, recipe_of
from motionloom.recipes.splicing import splice
from motionloom.recipes.transferring import transfer
from motionloom.samples import make
from motionloom.samples.gaze_takes import make_take

WALKS = ((0, 1.3, 0.0), (1, 1.4, 0.2), (2, 1.3, -0.2))


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three walks and their labels, and three takes of gaze shifts."""
    folder = tmp_path_factory.mktemp("clips")
    for seed, speed, turn in WALKS:
        save(make("walk", seed=seed, speed=speed, turn=turn, seconds=4), folder / f"walk_{seed}.bvh")
    for yaw, pitch in ((-70, 0), (70, 0), (30, 12)):
        take = make_take((math.radians(yaw), math.radians(pitch)), fps=30, before=0.5, after=0.6, noise=0.0001)
        save_markers(take.markers, folder / f"gaze_{yaw}_{pitch}.trc")
    return folder


@pytest.fixture(scope="module")
def results(clips: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a result of every method; the models are deleted, and nothing else is there."""
    folder = tmp_path_factory.mktemp("results")
    walks = [load(path) for path in sorted(clips.glob("*.bvh"))]
    takes = [load_markers(path) for path in sorted(clips.glob("*.trc"))]
    for k, method in enumerate(METHODS):
        model = folder / f"{method}.loom"
        learned_from = walks if METHODS[method].learns_from_any_clips else takes
        save_model(learn(method, learned_from, seed=k), model)
        save(synthesize(load_model(model), Request(seconds=3, fps=25), seed=7, take=1), folder / f"{method}.bvh")
        model.unlink()
    return folder


def elsewhere(clips: Path, folder: Path) -> Path:
    """The same files in another folder, the clips under other names than the recipe's."""
    for k, path in enumerate(sorted(clips.iterdir())):
        (folder / str(k)).mkdir(parents=True)
        shutil.copyfile(path, folder / str(k) / f"file_{k}{path.suffix}")
    return folder


def same(a: Path, b: Path) -> bool:
    """Are both files, and the origins beside them, equal?"""
    return a.read_bytes() == b.read_bytes() and origin_path(a).read_bytes() == origin_path(b).read_bytes()


@pytest.mark.parametrize("method", METHODS)
def test_a_result_is_made_again_without_its_model_and_whatever_the_clips_are_called(
    method: str, clips: Path, results: Path, tmp_path: Path
) -> None:
    done = again(results / f"{method}.bvh", elsewhere(clips, tmp_path / "there"), tmp_path / "same.bvh")
    assert done.same is True
    assert same(results / f"{method}.bvh", tmp_path / "same.bvh")
    assert done.made.clips[2].name == ("walk_2.bvh" if METHODS[method].learns_from_any_clips else "gaze_70_0.trc")


def test_a_model_that_is_there_is_used_and_the_clips_are_not_needed(clips: Path, tmp_path: Path) -> None:
    save_model(learn("cuts", [load(path) for path in sorted(clips.glob("*.bvh"))]), tmp_path / "m.loom")
    save(synthesize(load_model(tmp_path / "m.loom"), Request(seconds=2)), tmp_path / "a.glb")
    (tmp_path / "models").mkdir()
    (tmp_path / "m.loom").rename(tmp_path / "models" / "renamed.loom")
    assert again(tmp_path / "a.glb", tmp_path / "models", tmp_path / "b.glb").same is True
    assert same(tmp_path / "a.glb", tmp_path / "b.glb")


def test_a_file_that_learning_read_is_found_by_its_content(clips: Path, tmp_path: Path) -> None:
    walk = load(clips / "walk_0.bvh")
    names, given = walk.skeleton.names, tmp_path / "given.csv"
    rows = [",".join(["", *names]), *(",".join([name, *["0.5"] * len(names)]) for name in names)]
    given.write_text("\n".join(rows))
    model = learn("texture", [walk], {"influence_file": str(given)})
    made = tmp_path / "made.bvh"
    save(synthesize(model, Request(seconds=2), seed=2), made)
    given.unlink()
    with pytest.raises(CannotRepeat, match=r"given.csv \(sha256 .*\) is not in"):
        again(made, sources=clips, out=tmp_path / "same.bvh")
    folder = tmp_path / "sources"
    shutil.copytree(clips, folder)
    (folder / "other.csv").write_text("\n".join(rows))
    assert again(made, sources=folder, out=tmp_path / "same.bvh").same


def test_clips_that_a_request_names_are_found_by_their_content(clips: Path, tmp_path: Path) -> None:
    model = learn("cuts", [load(path) for path in sorted(clips.glob("*.bvh"))])
    (tmp_path / "asks").mkdir()
    shutil.copyfile(clips / "walk_0.bvh", tmp_path / "asks" / "stand.bvh")
    text = "seconds: 2\nconstraints: [pose_at: {time: 1, pose: asks/stand.bvh#30}]"
    asked = Request.from_yaml(text, load, Files(tmp_path))
    save(synthesize(model, asked), tmp_path / "a.bvh")
    assert recipe_of(tmp_path / "a.bvh")[-1].poses[0].name == "asks/stand.bvh"
    assert again(tmp_path / "a.bvh", clips, tmp_path / "b.bvh").same is True


def edited(clips: Path, folder: Path) -> dict[str, Path]:
    """A result of each edit, and of an edit of an edit."""
    a, b = load(clips / "walk_0.bvh", trim_tpose=True), load(clips / "walk_1.bvh")
    out = {
        name: folder / f"{name}.bvh"
        for name in ("convert", "clean", "retarget", "append", "align", "splice", "transfer", "chain")
    }
    save(convert(a, resample=24, to_unit="m"), out["convert"], unit="m")
    save(clean(a, find_contacts=True).clip, out["clean"])
    save(retarget(a, b)[0], out["retarget"])
    save(append(a, b, window=0.3).clip, out["append"])
    save(align(a, b, window=0.1, ends="free").clip, out["align"])
    save(splice(a, b, posture=False, plain=a, crop=True).clip, out["splice"])
    save(transfer(b, a, b, seed=2, weight=0.4).clip, out["transfer"])
    save(append(load(out["clean"]), load(out["convert"]), at=(2.0, 1.0)).clip, out["chain"])
    return out


def test_edits_are_made_again_and_so_are_the_clips_between_them(clips: Path, tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    (tmp_path / "second").mkdir()
    for name, path in edited(clips, tmp_path / "first").items():
        copy = tmp_path / "second" / path.name
        assert again(path, clips, copy).same is True, name
        assert path.read_bytes() == copy.read_bytes(), name
    steps = recipe_of(tmp_path / "second" / "chain.bvh")
    assert [step.command for step in steps] == ["clean", "convert", "append"]
    assert load(tmp_path / "second" / "chain.bvh").origin.sources[0].name == "walk_0.bvh"


def test_every_missing_and_changed_source_is_named(clips: Path, results: Path, tmp_path: Path) -> None:
    shutil.copyfile(clips / "walk_0.bvh", tmp_path / "walk_0.bvh")
    shutil.copyfile(clips / "walk_0.labels.csv", tmp_path / "walk_0.labels.csv")
    (tmp_path / "walk_1.bvh").write_text((clips / "walk_1.bvh").read_text() + "\n")
    with pytest.raises(CannotRepeat) as caught:
        again(results / "cuts.bvh", tmp_path, tmp_path / "same.bvh")
    text = str(caught.value)
    assert "walk_1.bvh was changed (sha256 " in text
    assert "walk_2.bvh (sha256 " in text
    assert "walk_0.bvh" not in text
    assert not (tmp_path / "same.bvh").exists()


def test_changed_labels_are_a_changed_source(clips: Path, results: Path, tmp_path: Path) -> None:
    shutil.copytree(clips, tmp_path / "there")
    with open(tmp_path / "there" / "walk_0.labels.csv", "a") as file:
        file.write("0,1,limp\n")
    with pytest.raises(CannotRepeat, match=r"walk_0\.labels\.csv was changed"):
        again(results / "cuts.bvh", tmp_path / "there", tmp_path / "same.bvh")


def test_another_version_is_reported_with_the_difference(clips: Path, results: Path, tmp_path: Path) -> None:
    shutil.copyfile(results / "cuts.bvh", tmp_path / "a.bvh")
    facts = json.loads(origin_path(results / "cuts.bvh").read_text())
    facts["made"][-1] |= {"version": "0.0.1", "output": "0" * 64}
    origin_path(tmp_path / "a.bvh").write_text(json.dumps(facts))
    done = again(tmp_path / "a.bvh", clips, tmp_path / "b.bvh")
    assert done.same is False
    assert done.differences[0].startswith("motionloom: made with 0.0.1, this is ")


def test_a_model_with_measures_of_the_users_is_repeated_from_its_file_or_with_the_function(
    clips: Path, tmp_path: Path
) -> None:
    own = MotionParameter("reach", "m", 1, "how far the hips are from the start", lambda clip: clip.root[-1, 2])
    model = learn("cuts", [load(path) for path in sorted(clips.glob("*.bvh"))], parameters=[own])
    save_model(model, tmp_path / "m.loom")
    save(synthesize(load_model(tmp_path / "m.loom"), Request(seconds=2)), tmp_path / "a.bvh")
    with pytest.raises(CannotRepeat, match=r"reach was measured by a function .* --measure; the file of its model"):
        again(tmp_path / "a.bvh", clips, tmp_path / "b.bvh")
    assert again(tmp_path / "a.bvh", clips, tmp_path / "b.bvh", parameters=[own]).same is True
    assert again(tmp_path / "a.bvh", tmp_path, tmp_path / "c.bvh").same is True


def test_clips_that_a_program_edited_are_not_taken_for_their_files(clips: Path, tmp_path: Path) -> None:
    walks = [load(path) for path in sorted(clips.glob("*.bvh"))]
    save(synthesize(learn("cuts", [walks[0][20:], *walks[1:]]), Request(seconds=2)), tmp_path / "a.bvh")
    with pytest.raises(CannotRepeat, match="not read from a file, or was edited after it was read"):
        again(tmp_path / "a.bvh", clips, tmp_path / "b.bvh")


def python_edits(path: Path, folder: Path) -> dict[str, Path]:
    """Files that a program made of the clip of a recorded step: of its file, or at once."""
    cleaned, fresh = load(path), clean(load(path.parent / "walk.bvh")).clip
    cycle = close_loop(cleaned, find_loop(cleaned, longest=1.5))
    higher = replace(cleaned, root=cleaned.root + [0.0, 0.1, 0.0])
    made = {"slice": cleaned[10:50], "cycle": cycle, "raised": higher, "fresh": fresh[10:50]}
    for name, clip in made.items():
        save(clip, folder / f"{name}.bvh")
    save(clean(load(folder / "cycle.bvh")).clip, folder / "after.bvh")
    return {name: folder / f"{name}.bvh" for name in (*made, "after")}


def test_a_recipe_does_not_claim_what_was_edited_in_python(clips: Path, tmp_path: Path) -> None:
    shutil.copyfile(clips / "walk_0.bvh", tmp_path / "walk.bvh")
    save(clean(load(tmp_path / "walk.bvh")).clip, tmp_path / "cleaned.bvh")
    for name, path in python_edits(tmp_path / "cleaned.bvh", tmp_path).items():
        edited = "cycle" if name == "after" else name
        with pytest.raises(
            CannotRepeat, match=rf"{edited}\.bvh was edited .* after 'clean'; that step is not recorded"
        ):
            again(path, clips, tmp_path / "again.bvh")
        assert not (tmp_path / "again.bvh").exists()
    assert [step.command for step in recipe_of(tmp_path / "after.bvh")] == ["clean", "edit", "clean"]


def test_a_changed_program_is_named_beside_an_edit(clips: Path, tmp_path: Path, monkeypatch) -> None:
    """Between two versions, code that makes other motion has the same number."""
    shutil.copyfile(clips / "walk_0.bvh", tmp_path / "walk.bvh")
    save(clean(load(tmp_path / "walk.bvh")).clip, tmp_path / "cleaned.bvh")
    module = import_module("motionloom.recipes.repeat")
    made_by = module._made_by
    monkeypatch.setattr(module, "_made_by", lambda clip, steps: made_by(replace(clip, root=clip.root + 0.1), steps))
    with pytest.raises(CannotRepeat, match="not recorded; or motionloom or one of its libraries was changed"):
        again(tmp_path / "cleaned.bvh", clips, tmp_path / "again.bvh")


def test_a_file_without_a_recipe_is_refused(clips: Path, tmp_path: Path) -> None:
    shutil.copy(clips / "walk_0.bvh", tmp_path / "capture.bvh")
    with pytest.raises(BadRequest, match=r"capture\.bvh has no recipe"):
        again(tmp_path / "capture.bvh", clips, tmp_path / "b.bvh")


def test_a_recipe_cannot_name_files_outside(clips: Path, tmp_path: Path) -> None:
    model = learn("cuts", [load(path) for path in sorted(clips.glob("*.bvh"))])
    asked = Request.from_yaml("seconds: 2\nconstraints: [pose_at: {time: 1, pose: walk_0.bvh#30}]", load, Files(clips))
    save(synthesize(model, asked), tmp_path / "a.bvh")
    beside = origin_path(tmp_path / "a.bvh")
    beside.write_text(beside.read_text().replace('"name": "walk_0.bvh"', '"name": "../../walk_0.bvh"'))
    with pytest.raises(CannotRepeat, match="outside its folder"):
        again(tmp_path / "a.bvh", clips, tmp_path / "b.bvh")


DAMAGE = [
    {"seed": "xxxxxxxxxx"},
    {"seed": 1.5},
    {"take": -5},
    {"learning_seed": True},
    {"command": "crowd", "edits": {"seconds": 3}},
    {"command": "stream", "edits": 3},
    {"command": "stream", "edits": ["seconds"]},
    {"command": "stream", "edits": [{"seconds": "long"}]},
    {"command": "walk", "edits": [{"models": 3}]},
    {"command": "trim", "clips": []},
    {"method": ["cuts"]},
    {"config": 7},
    {"model": ["cuts.loom"]},
    {"model": None, "method": "no such"},
    {"model": None, "config": {"fields": 3}},
    {"request": {"seconds": 1}},
    {"files": [["a", 3]]},
    {"clips": [{"name": 3}]},
    {"poses": "walk.bvh"},
    {"extra": 1},
]


@pytest.mark.parametrize("damage", DAMAGE, ids=str)
def test_a_damaged_recipe_is_our_error(damage, clips: Path, tmp_path: Path) -> None:
    model = tmp_path / "cuts.loom"
    save_model(learn("cuts", [load(clips / "walk_0.bvh")]), model)
    save(synthesize(load_model(model), Request(seconds=1)), tmp_path / "made.bvh")
    facts = json.loads(origin_path(tmp_path / "made.bvh").read_text())
    facts["made"][-1] |= damage
    origin_path(tmp_path / "made.bvh").write_text(json.dumps(facts))
    with pytest.raises(MotionloomError):
        again(tmp_path / "made.bvh", tmp_path, tmp_path / "again.bvh")


def test_the_recipe_of_an_earlier_version_is_our_error(clips: Path, tmp_path: Path) -> None:
    shutil.copyfile(clips / "walk_0.bvh", tmp_path / "made.bvh")
    origin_path(tmp_path / "made.bvh").write_text('{"runs": []}')
    with pytest.raises(FormatError, match="written by an earlier motionloom"):
        again(tmp_path / "made.bvh", tmp_path, tmp_path / "again.bvh")
