"""CMU's bodies, Bandai-Namco's and the sample person: motions put from one on the other, and back again.

    python experiments/57_retarget.py

Writes out/experiments/retarget.{png,json} and docs/experiments/retarget.md. Needs ../shared/mocap.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from similarity_material import MOCAP, REAL, publish, table

from motionloom.core import Clip
from motionloom.io import load
from motionloom.kinematics import fk, measure_skate, resample
from motionloom.kinematics.retarget import retarget
from motionloom.plot import filmstrip
from motionloom.samples import make

CLIPS = ("16_15 walk", "16_35 jog", "143_32 walk and turn", "60_01 salsa", "13_17 boxing", "118_03 jump")
BONES = (("thigh", "shin"), ("shin", "foot"), ("upper_arm", "forearm"), ("forearm", "hand"))


def capture(name: str) -> Clip:
    clip = load(MOCAP / f"{name}.bvh", trim_tpose=True, fps=60.0 if name.startswith("143") else None)
    return resample(clip, 60.0)[:360]


def error(a: Clip, b: Clip) -> tuple[float, float, float]:
    """Distance of all joints in cm: mean, 95th percentile, largest."""
    apart = 100 * np.linalg.norm(fk(a) - fk(b), axis=-1)
    return float(apart.mean()), float(np.percentile(apart, 95)), float(apart.max())


def degrees(a: Clip, b: Clip) -> float:
    """Mean angle between the bones of the limbs of two bodies."""
    places = fk(a), fk(b)
    out = []
    for side in ("left", "right"):
        for top, low in BONES:
            lines = []
            for clip, at in zip((a, b), places, strict=True):
                line = at[:, clip.skeleton.joint(f"{side}_{low}")] - at[:, clip.skeleton.joint(f"{side}_{top}")]
                lines.append(line / np.linalg.norm(line, axis=-1, keepdims=True))
            out.append(np.degrees(np.arccos(np.clip((lines[0] * lines[1]).sum(-1), -1, 1))).mean())
    return float(np.mean(out))


def around(clip: Clip, way: list[Clip], plant: bool) -> list[Clip]:
    """The clip on each body of `way` in turn; each time the pose of the last body is known from its own clip."""
    made = [clip]
    likes = [clip, *way]
    for k, body in enumerate(way):
        made.append(retarget(made[-1], body, like=likes[k], plant=plant)[0])
    return made


def skate(clip: Clip) -> str:
    found = measure_skate(clip).b
    return "" if found is None else f"{found:.1f}"


def main() -> None:
    if not REAL:
        print("needs the real clips of ../shared/mocap, which are not here")
        return
    bandai = load(MOCAP.parent / "bandai" / "dataset-2_walk-turn-left_normal_001.bvh")
    punch = load(MOCAP.parent / "bandai" / "dataset-1_punch_normal_001.bvh")
    person = make("walk", seconds=3)
    rows: list[list[str]] = []
    feet: list[list[str]] = []
    numbers: dict[str, Any] = {}
    shown: list[Clip] = []
    lowered: list[str] = []
    took = frames = 0.0
    trips = [(name, capture(name.split()[0]), [bandai, person]) for name in CLIPS]
    reference = capture("16_15")
    trips.append(("Bandai-Namco punch", punch, [reference, person]))
    trips.append(("sample dance", make("dance", fps=60)[:360], [bandai, reference]))
    for name, clip, way in trips:
        start = time.perf_counter()
        planted = around(clip, [*way, clip], plant=True)
        took, frames = took + time.perf_counter() - start, frames + 3 * len(clip)
        turned = around(clip, [*way, clip], plant=False)
        errors = error(turned[-1], clip), error(planted[-1], clip)
        angles = degrees(turned[2], clip), degrees(planted[2], clip)
        drop = 100 * float((fk(clip) - fk(turned[-1]))[..., 1].mean())
        if drop > 2.0:
            lowered.append(f"{name} {drop:.1f} cm")
        numbers[name] = {"turned": errors[0], "planted": errors[1], "degrees": angles}
        spread = [f"{a[0]:.1f} / {a[1]:.1f} / {a[2]:.1f}" for a in errors]
        rows.append([name, *spread, *(f"{a:.1f}" for a in angles)])
        feet.append([name, skate(clip), skate(turned[1]), skate(planted[1]), skate(planted[2]), skate(planted[3])])
        if name.startswith("60_01"):
            shown = planted
    names = ["the capture: CMU, 31 joints", "on Bandai-Namco's body: 21 joints, all bones along x at rest"]
    names += ["from there on the sample person: 24 joints", "and back on CMU's body"]
    less = sum(float(row[3]) <= float(row[1]) for row in feet)
    worse = "\n".join(
        f"- {row[0]}, {where}: {row[k]} cm/s, {row[1]} in the source"
        for row in feet
        for k, where in ((3, "on the first body"), (4, "on the second body"), (5, "when it is back"))
        if float(row[k]) > float(row[1])
    )
    figure = filmstrip(shown, titles=names, poses=8).figure
    bodies = "Bandai-Namco's body, from there on the sample person's, and from there back"
    page = f"""
# Motions on other bodies

Each clip is put on {bodies}
on its own (the last two rows go round the other way: the punch over CMU's body and the person's, the dance over
Bandai-Namco's and CMU's). Three skeletons with 31, 21 and 24 joints; three, two and three
spine joints; two, one and one neck joints; rest poses: T with the legs apart, every bone along x, T.

![a salsa on three bodies](retarget.png)

Distance of all joints from the original after the whole round (mean / 95th percentile / largest, cm), and the mean
angle between the bones of arms and legs on the second body and in the original:

{table(["clip", "rotations alone [cm]", "planted [cm]", "limbs, rotations alone [°]", "limbs, planted [°]"], rows)}

Skate (measure (b), cm/s): in the source, on the first body by rotations alone, and with feet planted after each step:

{table(["clip", "source", "1st body, rotations alone", "1st body", "2nd body", "back"], feet)}

{frames / took:.0f} frames a second, planting included.

Findings: with rotations alone, every bone of a limb points exactly where it did, whatever the rest poses; what is
lost in the round trip is the bending of spine and neck that a body with fewer joints cannot show. A body whose own clip
stands higher above y = 0 than soles are thick is put on the floor there, so some come back lower:
{", ".join(lowered) or "none"}. Planting moves limbs
by a few degrees, as hips are wider here and feet longer there, and in return feet slide no more on the first body than
in the source, in {less} of {len(feet)} clips. On a longer way that does not last. Feet slide more here:

{worse}

Boxing feet glide in the capture itself. The salsa shows what a way round costs: its hands, 25 cm apart, come near to
touching on Bandai-Namco's narrow shoulders, and from then on they are held together. Feet do not
point along the same line on all bodies: the bone from ankle to toe slopes by 15° in CMU's files and by 40° in
Bandai-Namco's when the sole is flat, so soles are matched, not bones.
"""
    publish("retarget", figure, numbers | {"frames per second": frames / took, "skate": feet}, page, dpi=60)


if __name__ == "__main__":
    main()
