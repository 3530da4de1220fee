"""Settings of the measures on the command line: similar, align and append."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from motionloom.analysis import Curvature, find_similar, measure_named
from motionloom.analysis.curvature_similarity import curvature_windows
from motionloom.blend import transition_point
from motionloom.cli.app import app
from motionloom.core import BadRequest, NoPath
from motionloom.io import load, save
from motionloom.kinematics.feet.contacts import contacts
from motionloom.methods import learn
from motionloom.samples import make


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    here = tmp_path_factory.mktemp("clips")
    for name, seed, speed in (("a", 0, 1.3), ("b", 1, 1.1), ("c", 2, 1.5)):
        save(make("walk", seconds=2.5, fps=30, seed=seed, speed=speed), here / f"{name}.bvh")
    return here


def call(*words: object):
    return CliRunner().invoke(app, [str(w) for w in words])


def test_settings_reach_the_measure_that_they_belong_to():
    assert measure_named("point-cloud", freedom="rigid").freedom == "rigid"
    assert measure_named("joint-angles", attributes=[1, 2, 3]).attributes == (1.0, 2.0, 3.0)
    curvature = measure_named("curvature", candidates=0.2, speed_floor=0.3, normalised="joints")
    assert (curvature.share, curvature.floor, curvature.per_joint, curvature.normalised) == (0.2, 0.3, True, False)
    with pytest.raises(BadRequest, match="freedom: only with measure point-cloud, found curvature"):
        measure_named("curvature", freedom="rigid")
    with pytest.raises(BadRequest, match="attributes: expected 4 weights for joint-positions, found 2"):
        measure_named("joint-positions", attributes=[1, 2])


def test_no_joint_outweighs_the_others_in_the_form_by_joints(folder):
    rng = np.random.default_rng(0)
    kappa = rng.normal(size=(40, 3)) * [1.0, 1.0, 100.0]  # one joint turns a hundred times as sharply
    weights = np.ones(3)
    joint = lambda flat: (flat.reshape(len(flat), 9, 3) ** 2).sum(1)
    whole = joint(curvature_windows(kappa, weights, 4, normalised=True))
    assert (whole[:, 2] > 0.99).all()
    even = joint(curvature_windows(kappa, weights, 4, normalised=False, per_joint=True))
    assert np.allclose(even, 1 / 3)
    a, b = load(folder / "a.bvh"), load(folder / "b.bvh")
    matrix = Curvature(per_joint=True, share=1.0).matrix(a, b)
    assert 0 <= matrix.min() <= matrix.max() <= 2 + 1e-5


def test_pairs_that_the_first_stage_rejects_are_never_chosen(folder):
    a, b = load(folder / "a.bvh"), load(folder / "b.bvh")
    for form in (None, "windows", "joints"):
        settings = {} if form is None else {"normalised": form}
        found = find_similar(a, b, measure_named("curvature", candidates=0.05, **settings), share=0.2)
        assert 0 < len(found.pairs) <= 0.08 * found.matrix.size
        assert found.pairs.values.max() < found.matrix.max()


def test_it_is_reported_that_the_first_stage_lets_fewer_pairs_pass_than_requested(folder, tmp_path):
    clips = ["similar", folder / "a.bvh", folder / "b.bvh", "--measure", "curvature", "--share", "20"]
    few = call(*clips, "-o", tmp_path / "few")
    assert "the first stage lets 5 % of the pairs pass (--candidates), not 20 %" in few.stdout
    many = call(*clips, "--candidates", "30", "-o", tmp_path / "many")
    assert many.exit_code == 0
    assert "first stage" not in many.stdout


def test_similar_takes_attributes_and_a_folder_to_normalise_by(folder, tmp_path):
    values = []
    for extra in ([], ["--normalise-by", folder], ["--attributes", "0,0,1,0"]):
        measure = ["--measure", "joint-positions", *extra]
        done = call(
            "similar", folder / "a.bvh", folder / "b.bvh", "-o", tmp_path / str(len(values)), "--json", *measure
        )
        assert done.exit_code == 0, done.output
        values.append(json.loads(done.stdout)["best"][0]["value"])
    assert len(set(values)) == 3


def test_align_by_cycles_and_more_than_two_clips(folder, tmp_path):
    clips = [folder / f"{name}.bvh" for name in "abc"]
    done = call("align", *clips, "-o", tmp_path, "--cycles", "left_foot")
    assert done.exit_code == 0, done.output
    assert {p.name for p in tmp_path.iterdir()} == {"b", "c", "curves.csv"}
    rows = (tmp_path / "curves.csv").read_text().splitlines()
    assert rows[0] == "a.bvh,b.bvh,c.bvh"
    starts = [float(t) for t in rows[1].split(",")]
    for path, start in zip(clips, starts, strict=True):
        clip = load(path)
        down = np.any([on for name, on in contacts(clip).items() if "left" in name], axis=0)
        assert down[round(start * clip.fps)]
        assert not down[round(start * clip.fps) - 1]


def test_align_by_key_times(folder, tmp_path):
    pair = [folder / "a.bvh", folder / "b.bvh"]
    done = call("align", *pair, "-o", tmp_path, "--keys", "0.5,1.0,2.0;0.4,1.1,2.2", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["spans"] == [[0.5, 2.0], [0.4, 2.2]]
    curve = dict(line.split(",") for line in (tmp_path / "curve.csv").read_text().splitlines()[1:])
    assert float(curve["1.0000"]) == pytest.approx(1.1, abs=1e-3)
    again = call("again", tmp_path / "warped.bvh", "--sources", folder, "-o", tmp_path / "again.bvh")
    assert "the same bytes" in again.output
    assert "for 2 clips" in call("align", *pair, "-o", tmp_path, "--keys", "1,2").output


def test_append_by_contacts_and_threshold(folder):
    a, b = load(folder / "a.bvh"), load(folder / "b.bvh")
    best = transition_point(a, b, half=5)
    near = transition_point(a, b, half=5, threshold=2 * best.distance**0.5)
    assert near.distance <= 4 * best.distance
    assert len(a) - near.a + near.b <= len(a) - best.a + best.b
    point = transition_point(a, b, half=5, contacts=True)
    feet = [contacts(clip) for clip in (a, b)]
    assert all(feet[0][name][point.a] == feet[1][name][point.b] for name in feet[0])
    with pytest.raises(NoPath, match=r"a threshold of 0\.1 cm: the nearest is [\d.]+ cm \(root mean square\)"):
        transition_point(a, b, half=5, threshold=1e-3)


def test_a_distance_of_frames_is_written_in_one_way_everywhere(folder, tmp_path):
    """8cm, 80mm and 0.08 (metres) are the same for every command that compares point clouds."""
    a, b = folder / "a.bvh", folder / "b.bvh"
    texts = ("8cm", "80mm", "0.08")
    for text in texts:
        done = call("similar", a, b, "-o", tmp_path / text, "--threshold", text)
        assert done.exit_code == 0, done.output
    assert len({(tmp_path / text / "pairs.csv").read_text() for text in texts}) == 1
    models = [learn("motion-graph", [load(a), load(b)], {"limit": text}) for text in (*texts, 0.08)]
    assert {m.config.limit for m in models} == {0.08}
    assert call("find", a, folder, "--web", tmp_path / "w.npz", "--threshold", "10cm").exit_code == 0
    assert call("append", a, b, "-o", tmp_path / "ab.bvh", "--threshold", "30cm", "--limit", "60cm").exit_code == 0
    for words in (("similar", a, b, "-o", tmp_path), ("find", a, folder), ("append", a, b, "-o", tmp_path / "x.bvh")):
        assert "expected a length, as 1.2 (metres) or 90cm" in call(*words, "--threshold", "8kg").output


def test_a_limit_has_the_unit_of_its_measure(folder, tmp_path):
    clips, model = [folder / "a.bvh", folder / "b.bvh"], tmp_path / "m.loom"
    for option, value in (("--limit", "8cm"), ("--limits", "walk walk 8cm")):
        refused = call("learn", "motion-graph", *clips, "-o", model, "--measure", "joint-angles", option, value)
        assert "expected a number without cm: distances of joint-angles are no lengths" in refused.stderr
    assert (
        "frames within 8 cm (root mean square) are joined" in call("learn", "motion-graph", *clips, "-o", model).stdout
    )
    assert "frames within 8 cm (root mean square) are joined" in call("info", model).stdout
    far = call("learn", "motion-graph", *clips, "-o", model, "--limit", 5)
    assert "warning: frames within 500 cm (root mean square) are joined (--limit): beyond 100 cm" in far.stdout
    angles = call("learn", "motion-graph", *clips, "-o", model, "--measure", "joint-angles", "--limit", 90)
    assert "frames within 90 (weighted rad^2) are joined" in angles.stdout
    metres = call("similar", *clips, "-o", tmp_path, "--threshold", 5)
    assert "expected a length with its unit, as 8cm, found '5' (5 m)" in metres.stderr


def test_clips_of_the_same_file_name_are_named_with_their_folders(folder, tmp_path):
    for name in ("a", "b"):
        save(load(folder / f"{name}.bvh"), tmp_path / name / "test.bvh")
    clips, model = [tmp_path / "a" / "test.bvh", tmp_path / "b" / "test.bvh"], tmp_path / "m.loom"
    assert call("learn", "motion-graph", *clips, "-o", model).exit_code == 0
    assert "a/test.bvh: 75 frames" in call("info", model).stdout
    walked = call("walk", model, "--seconds", 1, "--start", "b/test.bvh#30", "-o", tmp_path / "w.bvh")
    assert walked.exit_code == 0, walked.output
    assert "b/test.bvh" in call("info", tmp_path / "w.bvh").stdout
    assert "b/test.bvh" in call("evaluate", *clips, "--source", clips[0]).stdout
