"""EDEN's synthesis written down plainly: no kernels, nothing kept from one cell to the next.

Every distance is computed anew from its definition (3.3, 3.7, 3.11), in double precision, with 2 acos |<q, q'>| for
angles and complex numbers for the ground (z + i x, so that a turn to the left multiplies by exp(i angle)).
"""

from __future__ import annotations

import numpy as np
from texture.oracle_reading import (
    HARD,
    coarse_window,
    example_levels,
    filled_between,
    joint_order,
    key_levels,
    read_keys,
    read_styles,
    style_levels,
)

from motionloom.kinematics.travel import root_headings, without_heading
from motionloom.rotation import multiply, rotate, yaw

EPSILON = np.finfo(float).eps


class Level:
    """One level of the result: a value or None for each joint, and for the root's place, height, heading and tilt."""

    def __init__(self, keys, skeleton, *, between):
        def value(key):
            return None if key is None else key[0]

        given = filled_between(keys) if between else keys
        take = (lambda v: v) if between else value
        self.skeleton = skeleton
        self.turn = [[take(v) for v in frame] for frame in given.turn]
        self.place, self.height = ([take(v) for v in row] for row in (given.place, given.height))
        self.heading = [None if v is None else angle_of(take(v)) for v in given.heading]
        self.source = np.full((len(self.turn), len(skeleton)), -1)

    def root_filled(self, i):
        return any(v is not None for v in (self.place[i], self.height[i], self.heading[i], self.turn[i][0]))

    def forward(self, i, axes):
        if self.heading[i] is None:
            return None
        if self.turn[i][0] is None:
            return np.exp(1j * self.heading[i])
        ahead = rotate(multiply(multiply(yaw(self.heading[i]), self.turn[i][0]), axes), [0, 0, 1.0])
        return ahead[2] + 1j * ahead[0]


def angle_of(turn):
    return 2 * np.arctan2(turn[2], turn[0])


def angle(a, b):
    """EDEN appendix A."""
    return 2 * np.arccos(min(1.0, abs(float(np.dot(a, b)))))


def wrap(a):
    return (a + np.pi) % (2 * np.pi) - np.pi


def tilt_angle(a, b):
    """The least angle over all turns about the vertical of one of them."""
    best = min(np.linspace(-np.pi, np.pi, 721), key=lambda s: angle(multiply(yaw(s), a), b))
    d = multiply(a, b * [1, -1, -1, -1])
    exact = 2 * np.arctan2(np.hypot(d[1], d[3]), np.hypot(d[0], d[2]))
    assert abs(angle(multiply(yaw(best), a), b) - exact) < 0.02
    return exact


def ground(point):
    return point[-1] + 1j * point[0]


def root_frames(level, i, half, *, itself):
    """Offsets of the consecutively filled root frames around i."""
    out = [0] if itself else []
    for step in (-1, 1):
        m = step
        while abs(m) <= half and 0 <= i + m < len(level.place) and level.root_filled(i + m):
            out.append(m)
            m += step
    return sorted(out)


def alignment(pairs):
    """R and t of EDEN 3.5 from (weight, kind, a, b): the turn and the shift."""
    points = [(w, a, b) for w, kind, a, b in pairs if kind == "point"]
    total = sum(w for w, _, _ in points)
    mean_a = sum(w * a for w, a, _ in points) / total if total > 0 else 0.0
    mean_b = sum(w * b for w, _, b in points) / total if total > 0 else 0.0
    both = sum(w * b * np.conj(a) for w, kind, a, b in pairs if kind == "direction")
    if total > 0:
        both = both + sum(w * (b - mean_b) * np.conj(a - mean_a) for w, a, b in points)
    turn = float(np.angle(both)) if both != 0 else 0.0
    return turn, (mean_b - np.exp(1j * turn) * mean_a if total > 0 else 0.0)


class Oracle:
    """The search on one level."""

    def __init__(self, examples, cells, keys, styles, coarse, influence, axes, options, level, number):
        self.examples, self.cells, self.keys, self.styles = examples, cells, keys, styles
        self.coarse, self.influence, self.axes, self.options = coarse, influence, axes, options
        self.window, self.deviation = options.window_at(level), options.falloff_at(level)
        self.point, self.orientation = options.root_weights_at(number)
        self.multi = options.coarse_weight if coarse else 0.0

    def gauss(self, m, deviation):
        return np.exp(-0.5 * (m / deviation) ** 2)

    def sides(self, i, j):
        """What is compared: (weight, examples, cells, i, j, half, deviation, is it this level?)."""
        out = [(1.0, self.examples, self.cells, i, j, (self.window - 1) // 2, self.deviation, True)]
        if self.multi > 0:
            examples, cells, _ = self.coarse
            half = (coarse_window(self.window) - 1) // 2
            out.append((self.multi, examples, cells, i // 2, self.examples.coarse[j], half, self.deviation / 2, False))
        return out

    def align(self, i, j):
        pairs = []
        for w, examples, cells, a, b, half, deviation, own in self.sides(i, j):
            for m in root_frames(cells, a, half, itself=not own):
                g = w * self.gauss(m, deviation)
                if cells.place[a + m] is not None:
                    pairs.append((g * self.point, "point", ground(examples.root[:, b + m]), ground(cells.place[a + m])))
                if cells.heading[a + m] is not None:
                    ahead = ground(examples.forward[:, b + m])
                    pairs.append((g * self.orientation, "direction", ahead, cells.forward(a + m, self.axes)))
        place, heading = self.keys.place[i], self.keys.heading[i]
        if place is not None:
            w = self.point if place[1] == HARD else place[1]
            pairs.append((w, "point", ground(self.examples.root[:, j]), ground(place[0])))
        if heading is not None:
            w = self.orientation if heading[1] == HARD else heading[1]
            wanted = np.exp(1j * angle_of(heading[0]))
            pairs.append((w, "direction", ground(self.examples.forward[:, j]), wanted))
        return alignment(pairs)

    def distance(self, joint, i, j):
        """The distance of the cell from example frame j, and the weight of all that was compared but styles."""
        M, total, weight = self.influence[joint], 0.0, 0.0
        turn, shift = self.align(i, j)
        for w, examples, cells, a, b, half, deviation, own in self.sides(i, j):
            for m in range(-half, half + 1):
                if not 0 <= a + m < len(cells.turn):
                    continue
                g = w * self.gauss(m, deviation)
                for other in range(1, len(M)):
                    value = cells.turn[a + m][other]
                    if value is not None and not (own and m == 0 and other == joint):
                        total += g * M[other] * angle(examples.turns[other, :, b + m], value) ** 2
                        weight += g
            for m in root_frames(cells, a, half, itself=not own):
                g = w * self.gauss(m, deviation) * M[0]
                total += g * self.root_gap(examples, cells, a + m, b + m, turn, shift)
                weight += g
            styles = self.styles if own else self.coarse[2]
            for channel in range(styles.targets.shape[1]):
                s = w * styles.weights[a, channel, joint]
                total += s * (examples.styles[b, channel] - styles.targets[a, channel]) ** 2
        key = self.keys.turn[i][joint]
        if joint and key is not None:
            total += key[1] * angle(self.examples.turns[joint, :, j], key[0]) ** 2
            weight += key[1] + EPSILON
        if not joint:
            extra = self.root_key_gap(i, j, turn, shift)
            total, weight = total + extra[0], weight + extra[1]
        return total, weight, (turn, shift)

    def root_gap(self, examples, cells, i, j, turn, shift):
        out = 0.0
        if cells.place[i] is not None:
            moved = np.exp(1j * turn) * ground(examples.root[:, j]) + shift
            out += self.point * abs(moved - ground(cells.place[i])) ** 2
        if cells.height[i] is not None:
            out += self.point * (examples.root[1, j] - cells.height[i]) ** 2
        own = examples.turns[0, :, j]
        if cells.heading[i] is not None and cells.turn[i][0] is not None:
            wanted = multiply(yaw(cells.heading[i]), cells.turn[i][0])
            out += self.orientation * angle(multiply(yaw(turn), own), wanted) ** 2
        elif cells.heading[i] is not None:
            out += self.orientation * wrap(turn + examples.heading[j] - cells.heading[i]) ** 2
        elif cells.turn[i][0] is not None:
            out += self.orientation * tilt_angle(examples.tilt[j], cells.turn[i][0]) ** 2
        return out

    def root_key_gap(self, i, j, turn, shift):
        keys, own, examples = self.keys, self.influence[0, 0], self.examples
        moved = np.exp(1j * turn) * ground(examples.root[:, j]) + shift
        parts = (
            (keys.place[i], self.point, lambda v: abs(moved - ground(v))),
            (keys.height[i], self.point, lambda v: examples.root[1, j] - v),
            (keys.heading[i], self.orientation, lambda v: wrap(turn + examples.heading[j] - angle_of(v))),
            (keys.turn[i][0], self.orientation, lambda v: tilt_angle(examples.tilt[j], v)),
        )
        total = given = 0.0
        for key, usual, gap in parts:
            if key is not None:
                total += (own * usual if key[1] == HARD else key[1]) * gap(key[0]) ** 2
                given += 1
        return total, given

    def candidates(self, i, joint):
        out = list(self.examples.candidates)
        for channel, need in enumerate(self.styles.required[i, :, joint]):
            if need > 0:
                values = self.examples.styles[out, channel]
                out = [j for j, v in zip(out, values, strict=True) if v >= min(need, values.max())]
        return out

    def choose(self, joint, i, draw, root_source):
        frames = self.candidates(i, joint)
        found = [self.distance(joint, i, j) for j in frames]
        d = np.array([0.0 if t <= 64 * EPSILON * max(w, 1.0) else t for t, w, _ in found])
        if found[0][1] == 0 and root_source in frames:
            return root_source, d.min(), None
        c, positive = self.options.tolerance, d[d > 0]
        limit = c * d.min() if d.min() > 0 else c / 2 * positive.min() if len(positive) else np.inf
        accepted = np.flatnonzero(d <= limit)
        at = accepted[int(draw * len(accepted))]
        return frames[at], d.min(), found[at][2]

    def frame(self, i, order, draws):
        cells, keys, examples, energy, root_source = self.cells, self.keys, self.examples, 0.0, -1
        for joint in order:
            if joint and hard_value(keys.turn[i][joint]) is not None:
                continue
            if not joint:
                own = [hard_value(k) for k in (keys.place[i], keys.height[i], keys.heading[i], keys.turn[i][0])]
                if all(v is not None for v in own):
                    continue
                j, least, (turn, shift) = self.choose(0, i, draws[0], -1)
                moved = np.exp(1j * turn) * ground(examples.root[:, j]) + shift
                cells.place[i] = np.array([moved.imag, moved.real]) if own[0] is None else own[0]
                cells.height[i] = examples.root[1, j] if own[1] is None else own[1]
                heading = root_headings(examples.turns[0, :, j], cells.skeleton)
                cells.heading[i] = float(turn + heading) if own[2] is None else angle_of(own[2])
                tilt = without_heading(examples.turns[0, :, j], cells.skeleton)
                cells.turn[i][0] = tilt if own[3] is None else own[3]
                root_source = j
            else:
                j, least, _ = self.choose(joint, i, draws[joint], root_source)
                cells.turn[i][joint] = examples.turns[joint, :, j]
            cells.source[i, joint] = j
            energy += least
        return energy


def hard_value(key):
    """The value of a hard key, else None."""
    return key[0] if key is not None and key[1] == HARD else None


def synthesize(clips, names, request, influence, axes, options, rng):
    """Sources (F, J) on the finest level, as frames of all clips in a row; its `Level`; E of each level and pass."""
    skeleton, frames = clips[0].skeleton, request.frames
    levels = example_levels(clips, names, options)
    key_pyramid = key_levels(read_keys(request, skeleton, frames), options)
    style_pyramid = style_levels(read_styles(request, names, skeleton, frames), options.levels)
    order = joint_order(skeleton, options.joint_order)
    draws = [[rng.random((len(k.place), len(skeleton))) for _ in range(options.passes)] for k in key_pyramid]
    coarse, energies = None, []
    for level in reversed(range(len(levels))):
        own = key_pyramid[level]
        cells = Level(own, skeleton, between=level == len(levels) - 1)
        given = [i for i in range(len(own.place)) if any(k is not None for k in all_keys(own, i))]
        first = given[0] if given else 0
        for number in range(options.passes):
            search = Oracle(
                levels[level], cells, own, style_pyramid[level], coarse, influence, axes, options, level, number
            )
            order_of_frames = [*range(first, len(cells.turn)), *reversed(range(first))]
            energies.append(sum(search.frame(i, order, draws[level][number][i]) for i in order_of_frames))
        coarse = (levels[level], cells, style_pyramid[level])
    sources = np.where(cells.source >= 0, levels[0].frames[cells.source], -1)
    return sources, cells, energies


def all_keys(keys, i):
    return [*keys.turn[i], keys.place[i], keys.height[i], keys.heading[i]]
