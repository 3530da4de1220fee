"""Similarity measures against the matrix products they need, against one another, and plain against fast."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numba import njit

from benchmarks.timing import best_seconds, figure
from motionloom.analysis import Curvature, JointAngles, JointPositions, Judge, Measure, PointCloud, optimal_attributes
from motionloom.analysis.comparison import frame_weights
from motionloom.analysis.curvature_similarity import relative_positions
from motionloom.analysis.path_curvature import joint_curvatures
from motionloom.core import Clip, End, Skeleton
from motionloom.kinematics.fk import fk
from motionloom.rotation import exp

JOINTS = 31
STREAM = """
import resource, time
import numpy as np
from motionloom.analysis import PointCloud, best_of_tiles
rng = np.random.default_rng(0)
t = np.arange({frames})[:, None, None] / 60
body = rng.normal(0, 0.3, (1, 31, 3)) + 0.2 * np.sin(t * rng.uniform(2, 9, (31, 3)) + rng.uniform(0, 6, (31, 3)))
points = body + np.concatenate([np.sin(t / 9), 0 * t, t / 50], 2)
PointCloud().between(points[:50], points[:50], np.ones(31)).matrix()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
ready = PointCloud().between(points, points[::-1], np.ones(31))
found = best_of_tiles(ready, 100_000)
print(time.perf_counter() - start, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024, len(found))
"""


def random_clip(frames: int, seed: int) -> Clip:
    """A body of 31 joints that moves smoothly."""
    rng = np.random.default_rng(0)
    parents = np.array([-1, *(int(rng.integers(max(0, j - 4), j)) for j in range(1, JOINTS))])
    ends = tuple(End(j, (0.0, 0.1, 0.0)) for j in range(JOINTS) if j not in parents)
    body = Skeleton(tuple(f"joint{j}" for j in range(JOINTS)), parents, rng.normal(0, 0.2, (JOINTS, 3)), (), ends)
    rng = np.random.default_rng(seed)
    waves = np.arange(frames)[:, None, None] / 60 * rng.uniform(3, 9, (JOINTS, 3)) + rng.uniform(0, 6, (JOINTS, 3))
    root = np.stack([np.sin(np.arange(frames) / 90), np.ones(frames), np.arange(frames) / 50], 1)
    return Clip(body, root, exp(0.5 * np.sin(waves)), 60.0)


@njit(cache=True)
def plain_clouds(p: Any, q: Any, taps: Any, out: Any) -> None:
    """GUAN 2.28 as it stands: every pair gathers its windows, finds the best turn and shift, and sums again."""
    n, joints = taps.size, p.shape[1]
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            sx = sz = tx = tz = cross = dot = 0.0
            for f in range(n):
                w = taps[f] / joints
                for k in range(joints):
                    x, z, u, v = p[i + f, k, 0], p[i + f, k, 2], q[j + f, k, 0], q[j + f, k, 2]
                    sx += w * x
                    sz += w * z
                    tx += w * u
                    tz += w * v
                    cross += w * (x * v - u * z)
                    dot += w * (x * u + z * v)
            angle = np.arctan2(cross - (sx * tz - tx * sz), dot - (sx * tx + sz * tz))
            c, s = np.cos(angle), np.sin(angle)
            x0, z0 = sx - tx * c - tz * s, sz + tx * s - tz * c
            total = 0.0
            for f in range(n):
                for k in range(joints):
                    dx = p[i + f, k, 0] - (c * q[j + f, k, 0] + s * q[j + f, k, 2] + x0)
                    dy = p[i + f, k, 1] - q[j + f, k, 1]
                    dz = p[i + f, k, 2] - (c * q[j + f, k, 2] - s * q[j + f, k, 0] + z0)
                    total += taps[f] / joints * (dx * dx + dy * dy + dz * dz)
            out[i, j] = total


@njit(cache=True)
def plain_relative(p: Any, q: Any, out: Any) -> None:
    """GUAN 3.3 as it stands."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = 0.0
            for k in range(p.shape[1]):
                for c in range(3):
                    d = p[i, k, c] - q[j, k, c]
                    total += d * d
            out[i, j] = total


@njit(cache=True)
def plain_correlation(a: Any, b: Any, radius: int, apart: Any, most: float, out: Any) -> None:
    """GUAN 3.11 as it stands, for candidates only."""
    n = 2 * radius + 1
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            if apart[i, j] > most:
                continue
            total = 0.0
            for k in range(a.shape[1]):
                x = y = 0.0
                for f in range(n):
                    x += a[i + f, k]
                    y += b[j + f, k]
                for f in range(n):
                    total += (a[i + f, k] - x / n) * (b[j + f, k] - y / n)
            out[i, j] = total


def plain_curvature(a: Clip, b: Clip) -> np.ndarray[Any, Any]:
    """D_rp, then curvature of the best 5 %, in plain loops."""
    p, q = relative_positions(a)[0][4:-4], relative_positions(b)[0][4:-4]
    apart, out = np.empty((len(p), len(q))), np.zeros((len(p), len(q)))
    plain_relative(p, q, apart)
    most = np.partition(apart.ravel(), apart.size // 20)[apart.size // 20]
    plain_correlation(joint_curvatures(a), joint_curvatures(b), 4, apart, most, out)
    return out


def figures() -> list[dict[str, Any]]:
    return [*against_products(), *against_each_other(), *plain_and_fast(), *long_clips(), *search()]


def against_products() -> list[dict[str, Any]]:
    p, q = fk(random_clip(3000, 1)), fk(random_clip(3000, 2))
    rng, w = np.random.default_rng(0), np.ones(JOINTS)
    x, y = (rng.random((3000, 5 * JOINTS), np.float32) for _ in range(2))
    cloud, short_p, short_q = PointCloud(), p[:300], q[:236]
    cloud.between(p[:50], q[:50], w).matrix()
    mine, products = best_seconds([lambda: cloud.between(p, q, w).matrix(), lambda: x @ y.T], rounds=9)
    (quick,) = best_seconds([lambda: cloud.between(short_p, short_q, w).matrix()], rounds=300)
    size = "3,000 x 3,000 frames, 31 joints, 11-frame windows"
    return [
        figure(
            "point-cloud matrix, times the float32 products it needs",
            round(mine / products, 2),
            "<= 4",
            unit="x",
            note=f"{size}: {1e3 * mine:.0f} ms, products {1e3 * products:.0f} ms",
        ),
        figure("point-cloud matrix, 300 x 236 frames from ready positions", round(1e3 * quick, 2), "< 1", unit="ms"),
    ]


def against_each_other() -> list[dict[str, Any]]:
    a, b = random_clip(3000, 1), random_clip(3000, 2)
    measures: list[Measure] = [
        PointCloud(),
        JointAngles(weights="uniform"),
        JointPositions(weights="uniform"),
        Curvature(weights="uniform"),
    ]
    for measure in measures:
        measure.matrix(a[:60], b[:60])
    cloud, *others = best_seconds([partial(measure.matrix, a, b) for measure in measures], rounds=7)
    return [
        figure(
            f"{measure.name} matrix, times the point-cloud matrix",
            round(seconds / cloud, 2),
            "<= 2",
            unit="x",
            note=f"3,000 x 3,000 frames, from clips, 31 joints each: {1e3 * seconds:.0f} against {1e3 * cloud:.0f} ms",
        )
        for measure, seconds in zip(measures[1:], others, strict=True)
    ]


def plain_and_fast() -> list[dict[str, Any]]:
    a, b = random_clip(300, 1), random_clip(236, 2)
    p, q, taps = fk(a), fk(b), frame_weights(5, "triangle")
    out = np.empty((290, 226))
    cloud, bend = PointCloud(), Curvature(weights="uniform")
    jobs: list[Callable[[], Any]] = [
        partial(plain_clouds, p, q, taps, out),
        partial(plain_curvature, a, b),
        partial(cloud.matrix, a, b),
        partial(bend.matrix, a, b),
    ]
    for job in jobs:
        job()
    assert np.abs(out - cloud.matrix(a, b)).max() < 1e-5, "plain and fast do not agree"
    slow_cloud, slow_bend, fast_cloud, fast_bend = (1e3 * s for s in best_seconds(jobs, rounds=3))
    long_a, long_b = random_clip(3000, 1), random_clip(3000, 2)
    pair = [partial(cloud.matrix, long_a, long_b), partial(bend.matrix, long_a, long_b)]
    big_cloud, big_bend = (1e3 * s for s in best_seconds(pair, rounds=5))
    return [
        figure(
            "D_rp + curvature faster than point clouds, plain against plain",
            round(slow_cloud / slow_bend, 1),
            "",
            unit="x",
            note=f"300 x 236 frames, plain compiled loops: {slow_bend:.0f} against {slow_cloud:.0f} ms (GUAN: 35 x)",
        ),
        figure(
            "D_rp + curvature faster than point clouds, fast against fast",
            round(big_cloud / big_bend, 2),
            "",
            unit="x",
            note=f"3,000 x 3,000: {big_bend:.0f} against {big_cloud:.0f} ms; 300 x 236: {fast_bend:.1f} against "
            f"{fast_cloud:.1f} ms, most of it spent on the curvature of the paths",
        ),
        figure("point-cloud matrix faster than the plain loops", round(slow_cloud / fast_cloud), "", unit="x"),
    ]


def long_clips() -> list[dict[str, Any]]:
    program = STREAM.format(frames=50_000)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    seconds, megabytes, kept = (float(x) for x in done.stdout.split())
    name = "50,000 x 50,000 point-cloud distances by tiles"
    return [
        figure(name, round(seconds, 1), "", unit="s", note=f"keeps the best {kept:,.0f} pairs"),
        figure(f"{name}, memory beyond the positions", round(megabytes), "<= 300", unit="MB"),
    ]


def search() -> list[dict[str, Any]]:
    a, b = random_clip(150, 1), random_clip(150, 2)
    measure, by = JointAngles(weights="uniform"), Judge(weights="uniform")
    measure.matrix(a, b)
    (seconds,) = best_seconds([lambda: optimal_attributes(measure, [(a, b)], rounds=1, by=by)], rounds=2)
    return [
        figure(
            "optimal attribute weights, 10 x 10 x 10 sets, two clips of 150 frames",
            round(seconds, 2),
            "< 10",
            unit="s",
            note="GUAN: more than 4 hours; sets that are multiples of each other are tried once",
        )
    ]
