"""The scores of LAU written down as they are printed: slow, and obviously right."""

from __future__ import annotations

import math

import numpy as np


def regression(distances, values, k, width, floor, effective):
    """Mean and variance of eq 5 and 6."""
    near = sorted(range(len(distances)), key=lambda m: (distances[m], m))[:k]
    weights = [math.exp(-(distances[m] - distances[near[0]]) / width) for m in near]
    total = sum(weights)
    mean = sum(w * values[m] for w, m in zip(weights, near, strict=True)) / total
    count = total**2 / sum(w * w for w in weights) if effective else len([w for w in weights if w > 0])
    if count <= 1 + 1e-9:
        return mean, floor
    spread = sum(w * (values[m] - mean) ** 2 for w, m in zip(weights, near, strict=True)) / total
    return mean, max(count / (count - 1) * spread, floor)


def log_normal(x, mean, variance):
    return -0.5 * (math.log(2 * math.pi * variance) + (x - mean) ** 2 / variance)


def prior_score(instances, edges, scales, floors, rules):
    """Eq 3: instances (2 D, N), each judged by all others."""
    total = 0.0
    for j in range(instances.shape[1]):
        others = [m for m in range(instances.shape[1]) if m != j]
        for i in range(len(instances)):
            parents = np.flatnonzero(edges[i])
            values = [instances[i, m] for m in others]
            if not len(parents):
                mean, variance = np.mean(values), max(np.var(values, ddof=1), floors[i])
            else:
                far = [sum(scales[p] * (instances[p, j] - instances[p, m]) ** 2 for p in parents) for m in others]
                mean, variance = regression(far, values, rules.neighbours, rules.width, floors[i], rules.effective)
            total += log_normal(instances[i, j], mean, variance)
    return total


def transition_score(sequences, edges, order, scales, floors, rules, absolute, growing=False):
    """Eq 4: every sequence (F, D) from its first two frames, by the means of the others."""
    count, total, made = sequences[0].shape[1], 0.0, []
    for left_out, sequence in enumerate(sequences):
        others = [s[t : t + 3] for k, s in enumerate(sequences) if k != left_out for t in range(len(s) - 2)]
        frames = [sequence[0], sequence[1]]
        spread = np.zeros(count)
        for t in range(2, len(sequence)):
            new = np.zeros(count)
            for i in order:
                given = np.concatenate([frames[-2], frames[-1], new])
                far, values = [], []
                for a, b, c in others:
                    change = (frames[-1][i] - frames[-2][i]) - (b[i] - a[i])
                    known = np.concatenate([a, b, c])
                    d = rules.velocity * scales[i] * change**2
                    d += sum(scales[p % count] * (given[p] - known[p]) ** 2 for p in np.flatnonzero(edges[i]))
                    far.append(d)
                    values.append(c[i] if absolute[i] else c[i] - b[i])
                mean, variance = regression(far, values, rules.neighbours, rules.width, floors[i], rules.effective)
                spread[i] = variance if absolute[i] else spread[i] + variance
                new[i] = mean if absolute[i] else frames[-1][i] + mean
                total += log_normal(sequence[t][i], new[i], spread[i] if growing else variance)
            frames.append(new)
        made.append(np.stack(frames))
    return total, made
