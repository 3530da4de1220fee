"""Poses of captured clips as hard constraints: their fingers, which textons hold still, are met too."""

from __future__ import annotations

from motionloom.constraints import PoseAt, Request
from motionloom.io import load
from motionloom.methods import learn, synthesize
from motionloom.methods.prepare_clips import prepare


def test_poses_of_the_learned_takes_are_met_with_their_fingers(mocap):
    takes = [load(mocap / f"cmu/60_0{k}.bvh") for k in (1, 2)]
    model = learn("textons", takes)
    first, *_, last = [clip for clip in prepare(takes, model.fps).clips if len(clip) > 150]
    poses = (PoseAt(time=0.0, pose=first[100:101]), PoseAt(time="end", pose=last[60:61]))
    clip = synthesize(model, Request(seconds=8, constraints=poses))  # NoPath if one is not met
    assert all(c.worst(clip) <= c.limit for c in poses)
