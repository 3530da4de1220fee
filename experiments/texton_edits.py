"""LI fig. 11: one frame of a texton edited, more and more, and what becomes of the motion."""

from __future__ import annotations

import numpy as np
from texton_material import about_hips, apart

from motionloom.constraints import PoseAt
from motionloom.core import Clip, replace
from motionloom.evaluate.measures.smoothness import peak_acceleration
from motionloom.kinematics.fk import fk
from motionloom.kinematics.local_frames import Frames, restore
from motionloom.methods.textons import Options, TextonModel
from motionloom.methods.textons.plan.pieces import piece_of, plan_of
from motionloom.methods.textons.render.edit_pose import MAX_SPREADS, apply_pose, distance_to_texton, edit_pose
from motionloom.rotation import from_euler, multiply


def frames_of(model: TextonModel, frames: Frames) -> Clip:
    """Frames as a clip, from the origin."""
    return restore(frames, model.skeleton, model.fps)


def raised_arm(frame: Frames, model: TextonModel, degrees: float) -> PoseAt:
    """The frame with its left arm turned by an angle."""
    clip = frames_of(model, frame)
    turns = clip.rotations.copy()
    j = model.skeleton.joint("left_upper_arm")
    turns[:, j] = multiply(turns[:, j], from_euler(np.radians([0.0, 0.0, degrees]), "xyz"))
    return PoseAt(time=0.0, pose=replace(clip, rotations=turns))


def one_edit(model: TextonModel, observed: int) -> tuple[list[list[str]], list[Clip]]:
    """Fig. 11: one frame edited, more and more; how far it is from the texton, and what becomes of the motion."""
    plan = plan_of([piece_of(model.segments, observed)])
    t = plan.frames // 2
    as_observed = Options(drive_variation=0.0, noise=0.0)
    plain = model.render_uncleaned(plan, np.random.default_rng(0), as_observed)
    was = model.synthesizer.piece_frames(plan.pieces[0], None, np.random.default_rng(0), noise=0.0)[t : t + 1]
    usual = peak_acceleration(fk(plain), plain.fps)
    rows, drawn = [], [plain]
    for degrees in (5, 15, 30, 45, 60, 90, 120):
        pose = raised_arm(was, model, degrees)
        bent = edit_pose(model.synthesizer, plan, t, pose)
        edited = model.render_uncleaned(bent, np.random.default_rng(0), as_observed)
        far = distance_to_texton(model.synthesizer.charts, plan.pieces[0].texton, apply_pose(was, pose, model.skeleton))
        away = 100 * apart(edited, plain)
        ratio = peak_acceleration(fk(edited), edited.fps) / usual
        wide = np.flatnonzero(away > 0.1 * away.max())
        warned = "yes" if far.spreads > MAX_SPREADS else "no"
        rows.append(
            [
                f"{degrees}°",
                f"{far.spreads:.2f}",
                warned,
                f"{away[t]:.1f}",
                f"{len(wide) / plain.fps:.2f}",
                f"{ratio:.2f}",
            ]
        )
        if degrees in (30, 90):
            drawn.append(edited)
    return rows, drawn


def many_edits(model: TextonModel) -> list[list[str]]:
    """Edits of many segments by many angles: what the motion's peak acceleration does, by distance in spreads."""
    found = []
    for observed in range(0, len(model.observed), 3):
        plan = plan_of([piece_of(model.segments, observed)])
        t = plan.frames // 2
        made = model.synthesizer.piece_frames(plan.pieces[0], None, np.random.default_rng(0), noise=0.0)
        usual = peak_acceleration(about_hips(frames_of(model, made)), model.fps)
        for degrees in (10, 25, 45, 70, 100, 140):
            pose = raised_arm(made[t : t + 1], model, degrees)
            far = distance_to_texton(
                model.synthesizer.charts, plan.pieces[0].texton, apply_pose(made[t : t + 1], pose, model.skeleton)
            )
            piece = edit_pose(model.synthesizer, plan, t, pose).pieces[0]
            edited = model.synthesizer.piece_frames(piece, None, np.random.default_rng(0), noise=0.0)
            found.append([far.spreads, peak_acceleration(about_hips(frames_of(model, edited)), model.fps) / usual])
    values = np.array(found)
    rows = []
    for low, high in ((0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1.0), (1.0, 1.5), (1.5, 9.0)):
        ratios = values[(values[:, 0] >= low) & (values[:, 0] < high), 1]
        if len(ratios):
            share = f"{(ratios > 1.5).mean():.0%}"
            rows.append(
                [f"{low:g} to {high:g}", str(len(ratios)), f"{np.median(ratios):.2f}", f"{ratios.max():.2f}", share]
            )
    return rows
