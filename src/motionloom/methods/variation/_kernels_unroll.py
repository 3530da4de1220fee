"""The networks unrolled over time (LAU 6), compiled: plain arrays, no checks.

The first two frames are sampled from the prior network, every further one from the transition network: each node from
the normal distribution of its regression, which all instances take part in.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.methods.variation import _kernels_prior, _kernels_transition
from motionloom.methods.variation._kernels_limb_targets import constrain, room_for
from motionloom.methods.variation._kernels_mix import gaussian, travel
from motionloom.methods.variation._kernels_regression import add_squares, exclude, kth_smallest

WAITING = 0.3  # of the mean length: neighbours this much nearer to or farther from the end than expected count by 1/e
PER_SEQUENCE = 2  # neighbours that vote on the end: many would reach back from it, and never be near enough


@kernel
def first_frames(
    instances: Any, lists: Any, scales: Any, floors: Any, rules: Any, seed: Any, amounts: Any, values: Any
) -> None:  # fmt: skip
    """values (2, D) sampled from the prior network; a node without parents from all instances."""
    nodes, count = instances.shape
    given = np.zeros(nodes)
    room, chosen = np.empty((2, count)), np.empty(count, np.int64)
    degrees = nodes // 2
    for n in range(nodes):
        i = lists.order[n]
        parents = lists.parents[lists.first[i] : lists.first[i + 1]]
        mean, variance = _kernels_prior.predict(
            instances, i, parents, given, -1, scales, floors, rules, room, chosen
        )  # fmt: skip
        given[i] = mean + amounts[i % degrees] * math.sqrt(variance) * gaussian(seed, i)
    values[0], values[1] = given[:degrees], given[degrees:]


@kernel
def near_frames(material: Any, frames: Any, left: Any, expected: float, scale: float, rules: Any, room: Any) -> float:
    """room[0] becomes the weights (T - 2,) of the instances nearest to the whole frames (2, D); the frames to the end.

    `left` (T,) are the frames from each frame to the end of its sequence. Instances for which they are far from the
    `expected` number count as farther away: a body that walks several cycles passes the same poses several times.
    """
    squared, space = room[0], room[1]
    degrees, count = material.values.shape[0], squared.shape[0]
    for m in range(count):
        d = (left[m + 1] - expected) / scale
        squared[m] = rules.width * d * d if expected >= 0.0 else 0.0
    for j in range(degrees):
        add_squares(frames[0, j], material.values[j], 0, material.scales[j] / degrees, squared, count)
        add_squares(frames[1, j], material.values[j], 1, material.scales[j] / degrees, squared, count)
    exclude(material.starts, -1, squared, count)
    limit = kth_smallest(squared, count, min(PER_SEQUENCE * (len(material.starts) - 1), count), space)
    least = squared.min()
    total, remaining = 0.0, 0.0
    for m in range(count):
        w = math.exp(-(squared[m] - least) / rules.width) if squared[m] <= limit else 0.0
        squared[m] = w
        total += w
        remaining += w * left[m + 1]
    for m in range(count):
        squared[m] /= total
    return remaining / total


@kernel
def unroll(
    prior: Any, prior_lists: Any, prior_rules: Any, material: Any, lists: Any, rules: Any, left: Any, contacts: Any,
    body: Any, seed: Any, amounts: Any, endless: bool, steering: Any, start: Any, tasks: Any, lift: float, made: Any,
    stop: Any,
) -> int:  # fmt: skip
    """A variant, written into `made`; returns its length.

    Unless it is `endless`, it ends when it is as long as its neighbours predicted on average: in every frame, the
    frames so far and the weighted mean of those from its neighbours to their ends. A sample that strays ends too, at
    the latest when it is twice as long as the longest sequence.
    """
    degrees, total = material.values.shape
    sequences = len(material.starts) - 1
    room, chosen = np.empty((2, total - 2)), np.empty(total - 2, np.int64)
    frames, mean = np.empty((3, degrees)), np.empty(degrees)
    start_values = np.empty((2, degrees))
    first_frames(prior[0], prior_lists, prior[1], prior[2], prior_rules, seed, amounts, start_values)
    if body.root[3] >= 0:
        start_values[:, body.root[3]] += lift
    track, votes = start.copy(), np.zeros(contacts.shape[1])
    limbs = room_for(body)
    scale = WAITING * total / sequences
    expected, lengths = -1.0, 0.0
    for f in range(len(made.values)):
        if stop[0]:
            return f
        values = made.values[f]
        if f < 2:
            values[:] = start_values[f]
            mean[:] = values
        else:
            frames[0], frames[1] = made.values[f - 2], made.values[f - 1]
            for i in lists.order:
                parents = lists.parents[lists.first[i] : lists.first[i + 1]]
                middle, variance = _kernels_transition.predict(material, i, parents, frames, -1, rules, room, chosen)
                if not material.absolute[i]:
                    middle += frames[1, i]
                mean[i] = middle
                counter = np.int64(2 * degrees + f * degrees + i)
                frames[2, i] = middle + amounts[i] * math.sqrt(variance) * gaussian(seed, counter)
            values[:] = frames[2]
        if f >= 1:
            around = made.values[f - 1 : f + 1]
            vote = near_frames(material, around, left, -1.0 if endless else expected, scale, rules, room)
            lengths += f + vote
            waiting = lengths / f - f
            if not endless and f > 1 and waiting < 0.5:
                return f
            expected = max(waiting - 1.0, 0.0)
            note_neighbours(material, room[0], contacts, made, f, votes)
            if f == 1:
                made.weights[0], made.frames[0], made.contacts[0] = made.weights[1], made.frames[1], made.contacts[1]
        before = made.values[max(f - 2, 0) : max(f, 1)][::-1]
        constrain(body, f, track, values, mean, before, tasks, limbs, mean, math.inf, True)
        travel(body, values, steering[f], track)
    return len(made.values)


@kernel
def note_neighbours(material: Any, weights: Any, contacts: Any, made: Any, f: int, votes: Any) -> None:
    """The weight of each sequence among the neighbours, its mean frame, and the votes (P,) of its foot parts."""
    votes[:] = 0.0
    for s in range(len(material.starts) - 1):
        total, frame = 0.0, 0.0
        for m in range(material.starts[s], material.starts[s + 1] - 2):
            total += weights[m]
            frame += weights[m] * (m + 1 - material.starts[s])
            if weights[m] > 0.0:
                for p in range(len(votes)):
                    if contacts[m + 1, p]:
                        votes[p] += weights[m]
        made.weights[f, s] = total
        made.frames[f, s] = frame / total if total > 0.0 else 0.0
    for p in range(len(votes)):
        made.contacts[f, p] = votes[p] > 0.5
