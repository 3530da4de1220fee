"""Learning: the influence of joints on each other, and links between similar example frames."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from motionloom.core import BoolArray, Clip, Progress, part, silent
from motionloom.core.note import info
from motionloom.core.progress import each, parts
from motionloom.kinematics.feet.contacts import with_contacts
from motionloom.kinematics.pace import SPEED_CHANGE
from motionloom.methods.live_actions import sustained_speeds
from motionloom.methods.texture.coherent.links import clip_ends, find_links
from motionloom.methods.texture.coherent.parts import body_parts, features
from motionloom.methods.texture.config import DEFAULT, Config
from motionloom.methods.texture.influence import influence_matrix
from motionloom.methods.texture.model import TextureModel, style_names


def fit(
    clips: Sequence[Clip], config: Config = DEFAULT, *, rng: Generator | None = None, progress: Progress | None = None
) -> TextureModel:
    """Learn from clips of one skeleton at one frame rate (see `methods.prepare`). No randomness is involved."""
    report = progress or silent()
    influence = influence_matrix(clips[0].skeleton, config)
    whole = tuple(with_contacts(clip) for clip in each(clips, part(report, 0.0, 0.2), "finding contacts"))
    limbs = body_parts(whole[0].skeleton)
    ends, groups = clip_ends([len(clip) for clip in whole]), link_groups(whole)
    rows = features(whole, limbs)
    steps = parts(part(report, 0.2, 1.0), [1.0] * len(limbs))
    links = tuple(find_links(x, ends, whole[0].fps, groups, step) for x, step in zip(rows, steps, strict=True))
    frames = sum(map(len, whole))
    best = np.sqrt(max(float(np.median(links[0].costs[:, 0])), 0.0))
    notes = [
        f"{len(whole)} clips, {frames} frames; parts: {', '.join(p.name for p in limbs)}",
        f"the best link of a frame differs by {100 * best:.1f} cm (median over frames, RMS over joints of the legs)",
    ]
    return TextureModel(
        skeleton=whole[0].skeleton,
        config=config,
        fps=whole[0].fps,
        notes=info(*notes),
        clips=whole,
        influence=influence,
        links=links,
    )


def link_groups(clips: Sequence[Clip]) -> BoolArray:
    """(G, N) the frames that links lead to: any, and those of each style and speed that not all frames have.

    Speeds count where those of clips differ by more than people notice: then links lead into slow, middle and fast
    clips, each a third of the range.
    """
    marks = [np.concatenate([clip.label(name) for clip in clips]) for name in style_names(clips)]
    speeds = np.array([sustained_speeds([clip]).mean() for clip in clips])
    low, high = speeds.min(), speeds.max()
    if high - low > SPEED_CHANGE:
        bands = np.minimum(3 * (speeds - low) / (high - low), 2).astype(np.int64)
        marks += [np.repeat(bands == k, [len(clip) for clip in clips]) for k in np.unique(bands)]
    return np.stack([np.ones(sum(map(len, clips)), bool), *(m for m in marks if not m.all())])
