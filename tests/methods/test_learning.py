"""What happens to clips before a method learns from them."""

from __future__ import annotations

import dataclasses
import hashlib

import numpy as np
import pytest

from motionloom.constraints import Request
from motionloom.core import BadRequest, Clip, Skeleton, SkeletonMismatch, replace
from motionloom.core.origin import from_file
from motionloom.core.testing import assert_same_motion
from motionloom.kinematics.body.proportions import leg_length
from motionloom.kinematics.fk import fk
from motionloom.methods import METHODS, learn, load_model, prepare, save_model, synthesize
from motionloom.methods.cuts import Config


def scaled(clip, factor, name):
    """The same motion by a body of another size."""
    s = clip.skeleton
    body = Skeleton(s.names, s.parents, s.offsets * factor, s.roles, s.ends)
    slides = None if clip.slides is None else clip.slides * factor
    return replace(clip, skeleton=body, root=clip.root * factor, slides=slides, origin=from_file(name, len(clip)))


def test_clips_are_resampled_and_it_is_said(tiny_clips):
    ready = prepare(tiny_clips, 30)
    assert [c.fps for c in ready.clips] == [30, 30, 30]
    assert any("60 fps, resampled to 30" in str(note) for note in ready.notes)
    assert prepare(ready.clips, 30).notes == ()


def test_another_body_of_the_same_hierarchy_is_put_on_the_first_ones_skeleton_and_it_is_said(tiny_clips):
    tall = scaled(tiny_clips[0], 1.25, "tall.bvh")
    assert leg_length(tall.skeleton) == pytest.approx(1.25 * leg_length(tiny_clips[0].skeleton))
    ready = prepare([tiny_clips[0], tall], 60)
    assert ready.clips[1].skeleton is tiny_clips[0].skeleton
    assert_same_motion(ready.clips[1], tiny_clips[0])  # root scaled by leg length: the same motion again
    assert "tall.bvh: other bone lengths, put on the first clip's skeleton, root scaled by 0.800" in [
        str(note) for note in ready.notes
    ]


def test_another_hierarchy_is_a_mismatch_that_names_both_clips(tiny_clips, tiny):
    other = replace(tiny, origin=from_file("arm.bvh", len(tiny)))
    with pytest.raises(SkeletonMismatch, match=r"'sample:walk' and 'arm.bvh' differ"):
        prepare([tiny_clips[0], other], 30)


def test_clips_of_several_skeletons_are_sorted_in_the_error(tiny_clips, tiny):
    arms = [replace(tiny, origin=from_file(f"arm_{k}.bvh", len(tiny))) for k in range(2)]
    with pytest.raises(SkeletonMismatch, match=r"found arm_0.bvh, arm_1.bvh \(3 joints\); sample:walk \("):
        prepare([arms[0], tiny_clips[0], arms[1]], 30)


def with_tpose(clip):
    """The rest pose in front of a clip, as in CMU's files."""
    rotations = np.concatenate([np.tile([1.0, 0, 0, 0], (1, len(clip.skeleton), 1)), clip.rotations])
    root = np.concatenate([clip.root[:1], clip.root])
    return Clip(clip.skeleton, root, rotations, clip.fps, origin=from_file("cmu.bvh", len(root)))


def test_a_tpose_in_front_is_left_out_and_it_is_said(tiny_clips):
    ready = prepare([with_tpose(tiny_clips[0])], 60)
    assert "cmu.bvh: frame 0 is a T-pose, left out" in [str(note) for note in ready.notes]
    assert len(ready.clips[0]) == len(tiny_clips[0])
    assert ready.clips[0].origin.main()[1][0] == 1  # frames still count as in the file
    kept = prepare([with_tpose(tiny_clips[0])], 60, trim_tpose=False)
    assert len(kept.clips[0]) == len(tiny_clips[0]) + 1


def test_nothing_to_learn_from_is_said():
    with pytest.raises(BadRequest, match="expected at least one clip to learn from, found none"):
        learn("cuts", [])


def test_an_unknown_method_is_named(tiny_clips):
    with pytest.raises(BadRequest, match="there is no method 'magic'; known: cuts"):
        learn("magic", tiny_clips)


def test_a_config_is_given_as_such_or_by_its_fields(tiny_clips):
    assert learn("cuts", tiny_clips[:1], {"fps": 20, "largest": "8cm"}).config == Config(fps=20, largest=0.08)
    assert learn("cuts", tiny_clips[:1], Config(fps=20)).fps == 20
    with pytest.raises(BadRequest, match=r"config: there is no 'pfs' here; did you mean 'fps'\?"):
        learn("cuts", tiny_clips, {"pfs": 20})
    with pytest.raises(BadRequest, match="expected the Config of cuts, found int"):
        learn("cuts", tiny_clips, 3)


def test_sources_are_remembered_with_their_hashes(tiny_clips, tmp_path):
    file = tmp_path / "walk.bvh"
    file.write_bytes(b"as it was")
    model = learn("cuts", tiny_clips[:1], files=[file])
    assert model.sources[0].sha256 == hashlib.sha256(b"as it was").hexdigest()
    assert model.sources[0].of == "file"
    plain = learn("cuts", tiny_clips[:1])
    assert plain.sources[0].of == "clip"
    assert plain.sources[0].sha256 != learn("cuts", tiny_clips[1:2]).sources[0].sha256
    with pytest.raises(BadRequest, match="files: expected one for each of 1 clips, found 2"):
        learn("cuts", tiny_clips[:1], files=[file, file])


def test_a_model_works_when_its_source_clips_are_gone(tiny_clips, tmp_path):
    from motionloom.constraints import Request

    model = learn("cuts", tiny_clips[:1])
    save_model(model, tmp_path / "m.loom")
    wanted = synthesize(model, Request(seconds=1))
    del model
    assert_same_motion(synthesize(load_model(tmp_path / "m.loom"), Request(seconds=1)), wanted)


def test_real_clips_of_two_subjects_are_learned_together(mocap):
    from motionloom.constraints import Request
    from motionloom.io import load

    clips = [load(mocap / "cmu" / name) for name in ("16_15.bvh", "35_01.bvh") if (mocap / "cmu" / name).exists()]
    model = learn("cuts", clips)
    assert any("T-pose" in str(note) for note in model.notes)
    clip = synthesize(model, Request(seconds=3))
    assert len(clip) == 90
    assert fk(clip)[:, :, 1].min() > -0.2


def test_what_a_model_makes_is_under_the_terms_of_all_its_clips(inputs, tmp_path):
    lines = ("free for all uses", "CC BY-NC 4.0", "")
    for method in METHODS:
        model = learn(
            method,
            [
                dataclasses.replace(c, origin=dataclasses.replace(c.origin, licence=t))
                for c, t in zip(inputs[method], lines, strict=True)
            ],
        )
        assert [source.licence for source in model.sources] == list(lines)
        save_model(model, tmp_path / "walks.loom")
        made = synthesize(load_model(tmp_path / "walks.loom"), Request(seconds=2), seed=1)
        assert made.origin.licence.split(" | ") == list(lines[:2])
