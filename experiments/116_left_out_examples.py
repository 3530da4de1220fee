"""Parametric spaces without one of their examples: its parameters are requested, and it is compared with the result.

    python experiments/116_left_out_examples.py

Writes docs/experiments/left_out_examples.md. Clips are in ../shared/mocap (CMU). Takes about three minutes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from similarity_material import CREDIT, PAGES, REAL
from space_material import apart, errors, spaces

from motionloom.core import Clip
from motionloom.methods import learn
from motionloom.methods.space.measure import blend_once

MOST = 10  # examples left out of one space


class Without(NamedTuple):
    """What a space makes of the parameters of an example that it was learned without."""

    error: float  # % of the range, of the requested parameters
    joints: float  # cm: mean distance of joints from the example
    nearest: float  # cm: the same for the example with the nearest parameters
    end: float  # cm: how far the hips are from the example's at the end


def without(model: Any, settings: dict[str, Any], k: int) -> Without | None:
    """Learn the space again without example k, and ask for its parameters; None where the rest cannot reach them."""
    cyclic = model.space.rows.cyclic
    others = [clip for i, clip in enumerate(model.examples) if i != k]
    again = {**settings, "cut": "none", "mirror": "none", "repeat": "yes" if cyclic else "no"}
    rest = learn("parametric-space", others, again)
    asked = model.space.values[k : k + 1]
    found = rest.space.weights(asked)
    if found.outside[0]:
        return None
    truth = played(model, np.eye(len(model.examples))[k])
    scaled = (rest.space.values - asked) / rest.space.ranges
    near = np.eye(len(scaled))[int((scaled**2).sum(1).argmin())]
    made, other = (apart(played(rest, w), truth) for w in (found.weights[0], near))
    error = float(errors(rest, asked, found.weights)[0])
    return Without(error, 100 * made.mean(), 100 * other.mean(), 100 * float(made[-1, 0]))


def played(model: Any, weights: Any) -> Clip:
    """A blend from its beginning to its end."""
    return blend_once(model.space.rows, model.skeleton, weights, model.fps, model.tables)


def main() -> None:
    if not REAL:
        raise SystemExit("needs the clips of ../shared/mocap")
    rows = []
    for name, (clips, settings) in spaces().items():
        model = learn("parametric-space", clips, settings)
        values = model.space.values
        if len(values) < values.shape[1] + 3:
            rows.append(f"| {name} | {len(values)} | too few | | | | |")
            continue
        order = np.random.default_rng(0).permutation(len(values))
        extreme = {int(i) for d in range(values.shape[1]) for i in (values[:, d].argmin(), values[:, d].argmax())}
        chosen = [int(k) for k in order if values.shape[1] > 1 or k not in extreme][:MOST]
        tried = [without(model, settings, k) for k in chosen]
        found = np.array([one for one in tried if one is not None])
        if not len(found):
            rows.append(f"| {name} | {len(values)} | 0 of {len(tried)} | | | | |")
            continue
        error, joints, nearest, end = found.mean(0)
        rows.append(
            f"| {name} | {len(values)} | {len(found)} of {len(tried)} | {error:.3f} / {found[:, 0].max():.2f} "
            f"| {joints:.1f} | {nearest:.1f} | {end:.1f} |"
        )
        print(rows[-1], flush=True)
    text = f"""# Examples left out of a space

Every space is learned again without one of its examples, whose parameters are then requested: of at most {MOST}
examples, not the extremes of a space of one parameter. `reached` counts those that the other examples' blends can
reach. `error`: how far the result is from the requested parameters, in % of the range, without corrections. `joints`:
mean distance of joints from the example that was left out; `nearest`: that of the remaining example with the nearest
parameters; `end`: distance of the hips at the end. (`experiments/116_left_out_examples.py`)

| space | examples | reached | error, mean / worst % | joints, cm | nearest, cm | end, cm |
| --- | --- | --- | --- | --- | --- | --- |
{chr(10).join(rows)}

Parameters are met whether or not an example lies there. The motion of a person is not determined by one or two
parameters: where examples with nearly equal parameters are already 5 to 10 cm apart, no blend of the others can be
nearer than that to the one that is missing. Samples differ in their parameters alone, so there the blend is near it.

{CREDIT}
"""
    (PAGES / "left_out_examples.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
