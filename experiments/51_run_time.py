"""GUAN table 4.1: how long the four measures take on a walk of 300 frames and a run of 236.

    python experiments/51_run_time.py

Writes out/experiments/similarity_run_time.{png,json} and docs/experiments/similarity_run_time.md.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from similarity_material import in_one_thread, publish, table, walk_and_run

from motionloom.analysis import MEASURES, PointCloud, joint_weights
from motionloom.analysis.comparison import frame_weights
from motionloom.analysis.curvature_similarity import correlation, correlation_fft, relative_positions
from motionloom.analysis.path_curvature import joint_curvatures
from motionloom.core import Clip
from motionloom.kinematics.fk import fk
from motionloom.plot.figures import new_figure
from motionloom.plot.similarity import bars

GUAN = {"curvature": 1.842, "joint-positions": 7.585, "joint-angles": 9.844, "point-cloud": 65.422}


def plain_curvature(a: Clip, b: Clip, used: np.ndarray) -> None:
    """The two stages in plain loops, with the same joints as the fast measure."""
    from benchmarks.similarity import plain_correlation, plain_relative

    (p, owners), (q, _) = relative_positions(a), relative_positions(b)
    chosen = [k for k, j in enumerate(owners) if j in used]
    p, q = np.ascontiguousarray(p[4:-4, chosen]), np.ascontiguousarray(q[4:-4, chosen])
    apart, out = np.empty((len(p), len(q))), np.zeros((len(p), len(q)))
    plain_relative(p, q, apart)
    most = np.partition(apart.ravel(), apart.size // 20)[apart.size // 20]
    kappa = [np.ascontiguousarray(joint_curvatures(c)[:, used]) for c in (a, b)]
    plain_correlation(*kappa, 4, apart, most, out)


def main() -> None:
    from benchmarks.similarity import plain_clouds  # found through similarity_material
    from benchmarks.timing import best_seconds

    a, b = walk_and_run()
    measures = {name: cls(weights="lee") for name, cls in MEASURES.items()}
    w = joint_weights(a.skeleton, "lee")
    used = np.flatnonzero(w)
    p, q = (np.ascontiguousarray(fk(c)[:, used]) for c in (a, b))
    out = np.empty((len(a) - 10, len(b) - 10))
    kappa = [joint_curvatures(c) for c in (a, b)]
    jobs = {
        **{name: partial(m.matrix, a, b) for name, m in measures.items()},
        "point-cloud, height-free": partial(PointCloud(weights="lee", freedom="height").matrix, a, b),
        "point-cloud, 3-D": partial(PointCloud(weights="lee", freedom="rigid").matrix, a, b),
        "plain loops: point-cloud": partial(plain_clouds, p, q, frame_weights(5, "triangle"), out),
        "plain loops: curvature": partial(plain_curvature, a, b, used),
        "correlation of all pairs, matrix product": partial(correlation, *kappa, w),
        "correlation of all pairs, Fourier": partial(correlation_fft, *kappa, w),
    }
    for job in jobs.values():
        job()
    times = dict(zip(jobs, best_seconds(list(jobs.values()), rounds=40), strict=True))
    names = list(measures)
    rows = []
    for name, seconds in times.items():
        then = [f"{GUAN[name]:.2f} s", f"{GUAN[name] / seconds:,.0f}"] if name in GUAN else ["", ""]
        rows.append([name, f"{1e3 * seconds:.1f} ms", *then])
    plain = times["plain loops: point-cloud"] / times["plain loops: curvature"]
    fast = times["point-cloud"] / times["curvature"]
    page = f"""
# Run time of the four similarity measures

GUAN table 4.1 again: `{a.name}` ({len(a)} frames) against `{b.name}` ({len(b)} frames), Lee's {len(used)} joints for
all, clips in, matrix out, one thread, best of 40.

![run times](similarity_run_time.png)

{table(["measure", "here", "GUAN (1.16 GHz P4)", "times faster"], rows)}

GUAN found D_rp + curvature 35 times faster than point clouds. In plain compiled loops we find {plain:.0f} times: a pair
of clouds touches 11 frames of all joints twice, a pair under D_rp touches one frame once, and only 5 % of the pairs go
on to curvature. But window sums are sums along diagonals of one-frame sums, and those are matrix products: then a pair
of clouds costs five multiplications a joint too, and the advantage is gone. Fast against fast, D_rp + curvature takes
{1 / fast:.1f} times as long here; nearly all of that is the curvature and the velocities of {len(a) + len(b)} frames,
not the {len(a) * len(b):,} pairs. `benchmarks/similarity.py` has the figures for 3,000 x 3,000 frames.

Cross-correlation in the Fourier domain (GUAN 5.2) agrees to rounding, and is no gain for windows of 9 frames.
"""
    figure = new_figure(8.0, 3.2)
    ax = bars(
        names,
        {"GUAN 2004": [1e3 * GUAN[n] for n in names], "motionloom": [1e3 * times[n] for n in names]},
        unit="run time [ms]",
        title=f"{len(a)} x {len(b)} frames",
        ax=figure.add_subplot(),
    )
    ax.set_yscale("log")
    numbers = {
        "seconds": times,
        "guan_seconds": GUAN,
        "ratio_plain": plain,
        "ratio_fast": fast,
        "clips": [a.name, b.name],
    }
    publish("similarity_run_time", figure, numbers, page)


if __name__ == "__main__":
    in_one_thread()
    main()
