"""What EDEN's synthesis reads, written down plainly for the oracle: keys, styles, examples, and their pyramids.

Nothing here comes from `motionloom.methods.texture`. A value that is not given is None.
"""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import numpy as np

from motionloom.analysis.alignment import reflected
from motionloom.constraints import PoseAt, RootAt, Style
from motionloom.kinematics.travel import body_axes, root_headings, without_heading
from motionloom.rotation import multiply, rotate, slerp

HARD = np.inf
SHIFT = {"none": 0, "reflected": 1}


def frame_number(moment):
    """The tests give moments in frames: 3f."""
    assert isinstance(moment, str)
    assert moment.endswith("f")
    return int(moment[:-1])


# ---- keys: for each frame and joint, or part of the root, a pair (value, weight) or None ----


def read_keys(request, skeleton, frames):
    keys = SimpleNamespace(
        turn=[[None] * len(skeleton) for _ in range(frames)],
        place=[None] * frames,
        height=[None] * frames,
        heading=[None] * frames,
    )
    for c in request.constraints:
        if isinstance(c, Style):
            continue
        i, weight = frame_number(c.time), HARD if c.weight is None else c.weight
        if isinstance(c, PoseAt):
            names = skeleton.names if c.joints == ("all",) else c.joints
            shown = c.pose.clip
            for name in names:
                j = skeleton.names.index(name)
                turn = shown.rotations[0, j]
                keys.turn[i][j] = (turn if j else without_heading(turn, skeleton), weight)
            if "Hips" in names:
                keys.height[i] = (shown.root[0, 1], weight)
        else:
            assert isinstance(c, RootAt)
            if c.position is not None:
                keys.place[i] = (np.array(c.position), weight)
            if c.height is not None:
                keys.height[i] = (c.height, weight)
            if c.heading is not None:
                keys.heading[i] = (about_vertical(c.heading), weight)
    if request.start is not None:
        keys.place[0] = (np.array(request.start.position), HARD)
        keys.heading[0] = (about_vertical(request.start.heading), HARD)
    return keys


def about_vertical(angle):
    return np.array([np.cos(angle / 2), 0, np.sin(angle / 2), 0])


def rows_of(keys):
    """Every row of cells over time, by name: (list, is it a rotation?)."""
    joints = len(keys.turn[0])
    rows = {("turn", j): ([frame[j] for frame in keys.turn], True) for j in range(joints)}
    rows["place"], rows["height"], rows["heading"] = (keys.place, False), (keys.height, False), (keys.heading, True)
    return rows


def from_rows(rows, joints):
    frames = len(rows["place"])
    turn = [[rows["turn", j][i] for j in range(joints)] for i in range(frames)]
    return SimpleNamespace(turn=turn, place=rows["place"], height=rows["height"], heading=rows["heading"])


def halved(row, average):
    """A row at half the rate (3.6.2): each value is averaged with the mean of its neighbours, then in pairs."""

    def both(a, b):
        if a is None or b is None:
            return b if a is None else a
        return average(a, b)

    def at(i):
        return row[i] if 0 <= i < len(row) else None

    smooth = [both(at(i), both(at(i - 1), at(i + 1))) for i in range(len(row))]
    return [both(smooth[i], smooth[i + 1] if i + 1 < len(smooth) else None) for i in range(0, len(smooth), 2)]


def mean(a, b):
    return (np.asarray(a) + b) / 2


def mean_turn(a, b):
    total = a + (b if np.dot(a, b) >= 0 else -b)
    return total / np.linalg.norm(total)


def key_levels(keys, options):
    """3.6.3: on coarser levels every key is soft, and keeps a share of its weight."""
    out = [keys]
    for _ in range(1, options.levels):
        rows = {}
        for name, (row, turns) in rows_of(out[-1]).items():
            values = halved([None if k is None else k[0] for k in row], mean_turn if turns else mean)
            soft = [None if k is None else options.hard_key_weight if k[1] == HARD else k[1] for k in row]
            weights = halved(soft, mean)
            rows[name] = [
                None if v is None else (v, options.key_share * w) for v, w in zip(values, weights, strict=True)
            ]
        out.append(from_rows(rows, len(out[0].turn[0])))
    return out


def filled_between(keys):
    """The values before the first pass over the coarsest level: keys, and what lies between two of them."""
    rows = {}
    for name, (row, turns) in rows_of(keys).items():
        out, given = [None if k is None else k[0] for k in row], [i for i, k in enumerate(row) if k is not None]
        for a, b in pairwise(given):
            for i in range(a + 1, b):
                t = (i - a) / (b - a)
                out[i] = slerp(out[a], out[b], t) if turns else out[a] + t * (out[b] - out[a])
        rows[name] = out
    return from_rows(rows, len(keys.turn[0]))


# ---- styles: for each frame and label a target, a weight for each joint, and what a candidate needs ----


def read_styles(request, names, skeleton, frames):
    targets = np.zeros((frames, len(names)))
    weights, required = np.zeros((2, frames, len(names), len(skeleton)))
    for i in range(frames):
        asked = [c for c in request.constraints if isinstance(c, Style) and covers(c, i)]
        for c in asked:
            targets[i, names.index(c.label)] = 1.0
            for j, name in enumerate(skeleton.names):
                g, share = names.index(c.label), influence(c, name)
                weights[i, g, j] = max(weights[i, g, j], strength(c) * share)
                if c.weight is None and share > 0:
                    required[i, g, j] = 0.5
        for g, name in enumerate(names):
            if asked and name not in {c.label for c in asked}:
                weights[i, g] = [max(strength(c) * influence(c, joint) for c in asked) for joint in skeleton.names]
    return SimpleNamespace(targets=targets, weights=weights, required=required)


def strength(style):
    return style.importance * (1.0 if style.weight is None else style.weight)


def influence(style, joint):
    """Of a style on one joint: the tests give all joints, names, or pairs of names and influences."""
    if style.joints == ("all",):
        return 1.0
    return dict(item if isinstance(item, tuple) else (item, 1.0) for item in style.joints).get(joint, 0.0)


def covers(style, i):
    return style.span is None or frame_number(style.span[0]) <= i < frame_number(style.span[1])


def style_levels(styles, levels):
    """3.6.4: targets are averaged where the style counts, importances everywhere."""
    out = [styles]
    for _ in range(1, levels):
        fine, count = out[-1], out[-1].targets.shape[1]
        weights = np.array(halved(list(fine.weights), mean))
        targets, required = np.zeros(weights.shape[:2]), np.zeros(weights.shape)
        for g in range(count):
            row = [fine.targets[i, g] if fine.weights[i, g].any() else None for i in range(len(fine.targets))]
            targets[:, g] = [0.0 if v is None else v for v in halved(row, mean)]
            required[:, g] = np.where(np.array(halved(list(fine.required[:, g]), mean)) > 0.25, 0.5, 0.0)
        out.append(SimpleNamespace(targets=targets, weights=weights, required=required))
    return out


# ---- examples ----


def coarse_window(window):
    """K_sub = (K - 1) / 2 + 1, or the next odd number."""
    half = (window - 1) // 2 + 1
    return half + 1 - half % 2


def example_levels(clips, names, options):
    """Every level of the examples, one clip after the other."""
    shown = [(clip, [[float(clip.label(n)[i]) for n in names] for i in range(len(clip))]) for clip in clips]
    levels = [shown]
    for _ in range(1, options.levels):
        levels.append([coarser_example(*example) for example in levels[-1]])
    return [
        example_level(levels[n], levels[n + 1] if n + 1 < len(levels) else None, n, options) for n in range(len(levels))
    ]


def coarser_example(clip, labels):
    rotations = np.stack(
        [np.array(halved(list(clip.rotations[:, j]), mean_turn)) for j in range(len(clip.skeleton))], 1
    )
    root = np.array(halved(list(clip.root), mean))
    values = halved([np.array(row) for row in labels], mean)
    return type(clip)(clip.skeleton, root, rotations, clip.fps / 2), values


def margin(count, n, options):
    """Frames that a clip is continued by at each end of a level."""
    half = (options.window_at(n) - 1) // 2
    if n:
        half = max(half, (coarse_window(options.window_at(n - 1)) - 1) // 2)
    return half * SHIFT[options.padding] if count > half else 0


def example_level(level, beyond, n, options):
    out = SimpleNamespace(rotations=[], root=[], styles=[], candidates=[], coarse=[], frames=[])
    half, above = (options.window_at(n) - 1) // 2, (coarse_window(options.window_at(n)) - 1) // 2
    start = coarse_start = 0
    for k, (clip, labels) in enumerate(level):
        count, pad = len(clip), margin(len(clip), n, options)
        longer = reflected(clip, pad)
        order = [abs(t) if t < count else 2 * (count - 1) - t for t in range(-pad, count + pad)]
        fewer = len(beyond[k][0]) if beyond else 0
        more = margin(fewer, n + 1, options) if beyond else 0
        for row, t in enumerate(range(-pad, count + pad)):
            whole = 0 <= t < count and t - half >= -pad and t + half < count + pad
            if beyond:
                if options.coarse_weight > 0:
                    whole = whole and t // 2 - above >= -more and t // 2 + above < fewer + more
                out.coarse.append(coarse_start + more + min(max(t // 2, 0), fewer - 1))
            if whole:
                out.candidates.append(len(out.root))
            out.rotations.append(longer.rotations[row])
            out.root.append(longer.root[row])
            out.styles.append(labels[order[row]])
            out.frames.append(start + t if 0 <= t < count else -1)
        start, coarse_start = start + count, coarse_start + fewer + 2 * more
    skeleton, rotations = level[0][0].skeleton, np.array(out.rotations)
    return SimpleNamespace(
        turns=rotations.transpose(1, 2, 0),
        root=np.array(out.root).T,
        forward=rotate(multiply(rotations[:, 0], body_axes(skeleton)), [0, 0, 1.0]).T[[0, 2]],
        heading=root_headings(rotations[:, 0], skeleton),
        tilt=without_heading(rotations[:, 0], skeleton),
        styles=np.array(out.styles).reshape(len(out.styles), -1),
        candidates=out.candidates,
        coarse=out.coarse,
        frames=np.array(out.frames),
    )


def joint_order(skeleton, kind):
    """The root first; then as in the file, level by level, or branch by branch."""
    children = {j: [k for k in range(len(skeleton)) if skeleton.parents[k] == j] for j in range(len(skeleton))}
    if kind == "file":
        return list(range(len(skeleton)))
    if kind == "depth-first":

        def branch(j):
            return [j, *(k for child in children[j] for k in branch(child))]

        return branch(0)
    out, row = [], [0]
    while row:
        out, row = out + row, [k for j in row for k in children[j]]
    return out
