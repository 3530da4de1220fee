"""Requests that can be kept, for every class of constraint: read off a take that the model made without any.

That take keeps the request, so a way to keep it exists. `REQUESTS[kind](model, take, rng)` gives one constraint.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from motionloom.constraints import (
    PARAMETERS,
    Act,
    Avoid,
    Constraint,
    HeadFor,
    LookAt,
    Pace,
    Parameters,
    Plant,
    PoseAlong,
    PoseAt,
    PositionAt,
    Reach,
    Request,
    RootAt,
    RootPath,
    Style,
    StyleAlong,
    gaze,
)
from motionloom.core import Clip
from motionloom.kinematics.fk import fk
from motionloom.kinematics.pace import pace as pace_of
from motionloom.kinematics.travel import travel
from motionloom.methods import Model, synthesize

SECONDS = 4.0


def pose_at(model: Model, take: Clip, rng: Generator) -> PoseAt:
    frame = int(rng.integers(len(take)))
    joints = [("all",), ("upper",), ("left_arm", "head")][int(rng.integers(3))]
    return PoseAt(time=f"{frame}f", pose=take[frame : frame + 1], joints=joints)


def pose_along(model: Model, take: Clip, rng: Generator) -> PoseAlong:
    """Half a second of the take, of the legs, an arm, or all joints."""
    count = round(take.fps / 2)
    first = int(rng.integers(len(take) - count))
    joints = [("all",), ("lower",), ("left_arm",)][int(rng.integers(3))]
    asked = PoseAlong(clip=take[first : first + count], span=(f"{first}f", f"{first + count}f"), joints=joints)
    return PoseAlong(clip=take, joints=joints) if model.refuses(asked, len(take)) else asked  # a base motion is whole


def position_at(model: Model, take: Clip, rng: Generator) -> PositionAt:
    frame = int(rng.integers(len(take)))
    joint = str(rng.choice(["left_hand", "right_hand", "left_foot", "head"]))
    target = fk(take)[frame, take.skeleton.joint(joint)]
    return PositionAt(joint=joint, time=f"{frame}f", target=target)


def plant(model: Model, take: Clip, rng: Generator) -> Plant:
    """The foot where it moves least for a quarter of a second, and how far it does."""
    joint = str(rng.choice(["left_foot", "right_foot"]))
    count = round(take.fps / 4)
    places = fk(take)[:, take.skeleton.joint(joint)]
    spans = np.lib.stride_tricks.sliding_window_view(places, count, axis=0)
    start = int(np.ptp(spans, axis=2).max(1).argmin())
    asked = Plant(joint=joint, span=(f"{start}f", f"{start + count}f"))
    return replace(asked, tolerance=max(0.01, 1.2 * asked.worst(take)))


def root_at(model: Model, take: Clip, rng: Generator) -> RootAt:
    """Anywhere in the take; at time 0, where the method takes no other, any place and heading will do."""
    frame = int(rng.integers(len(take)))
    path = travel(take)
    asked = RootAt(
        time=f"{frame}f",
        position=path.place[frame],
        heading=float(path.heading[frame]),
        height=float(take.root[frame, 1]) if rng.random() < 0.3 else None,
    )
    if model.refuses(asked, len(take)):
        place = tuple(rng.uniform(-5, 5, size=2))
        return RootAt(time=0, position=place, heading=float(rng.uniform(-3, 3)))
    return asked


def pace(model: Model, take: Clip, rng: Generator) -> Pace:
    """The speeds of the take, over all of it or a part."""
    span = None if rng.random() < 0.5 else (1.0, 3.0)
    part = take if span is None else take[round(span[0] * take.fps) : round(span[1] * take.fps)]
    speed = pace_of(part)
    return Pace(speed=(float(speed.min()), float(speed.max())), span=span)


def root_path(model: Model, take: Clip, rng: Generator) -> RootPath:
    at = np.linspace(0, len(take) - 1, 9).astype(int)
    return RootPath(points=travel(take).place[at])


def reach(model: Model, take: Clip, rng: Generator) -> Reach:
    frame = int(rng.integers(len(take) // 2, len(take)))
    path = travel(take)
    heading = float(path.heading[frame]) if rng.random() < 0.5 else None
    return Reach(position=path.place[frame], heading=heading, by=f"{min(frame + 5, len(take) - 1)}f")


def style(model: Model, take: Clip, rng: Generator) -> Style:
    """A label (not a contact) that the take carries throughout, over all of it or a part."""
    labels = [n for n in take.label_names if ":" not in n and take.label(n).all()]
    assert labels, "the clips of this test carry a label"
    span = None if rng.random() < 0.5 else (1.0, 2.5)
    return Style(label=str(rng.choice(labels)), span=span)


def head_for(model: Model, take: Clip, rng: Generator) -> HeadFor:
    """The direction in which the take travels at its end, or at three seconds."""
    span = None if rng.random() < 0.5 else (0.0, 3.0)
    free = HeadFor(heading=0.0, span=span)
    return HeadFor(heading=float(free.residual(take)[0]), span=span)


def act(model: Model, take: Clip, rng: Generator) -> Act:
    label = style(model, take, rng).label
    return Act(action=label, span=(1.0, 2.0))


def style_along(model: Model, take: Clip, rng: Generator) -> StyleAlong:
    """The same over a part of the way."""
    first = float(rng.uniform(0, 1.5))
    return StyleAlong(label=style(model, take, rng).label, stretch=(first, first + 1.0))


def parameters(model: Model, take: Clip, rng: Generator) -> Parameters:
    known = [n for n in sorted(PARAMETERS) if not model.refuses(Parameters(values={n: "0"}), len(take))]
    name = str(rng.choice(known))
    unit = PARAMETERS[name].unit
    return Parameters(values={name: f"{float(PARAMETERS[name].measured(take)[0])!r}{unit}"})


def look_at(model: Model, take: Clip, rng: Generator) -> LookAt:
    """A point three metres ahead of the eyes, where the take looks anyway, with room for what it sways."""
    start = int(rng.integers(len(take) - 10))
    eye, direction = gaze(take)
    target = eye[start] + 3 * direction[start]
    asked = LookAt(target=target, span=(f"{start}f", f"{start + 5}f"))
    return replace(asked, tolerance=max(asked.tolerance, 1.2 * asked.worst(take)))


def avoid(model: Model, take: Clip, rng: Generator) -> Avoid:
    """A circle beside the way."""
    place, joints = travel(take).place, fk(take)[..., [0, 2]]
    center = place[int(rng.integers(len(place)))] + rng.uniform(-3, 3, size=2)
    room = float(np.linalg.norm(joints - center, axis=2).min())
    return Avoid(center=center, radius=0.8 * room)


REQUESTS: dict[type[Constraint], Callable[[Model, Clip, Generator], Constraint]] = {
    PoseAt: pose_at,
    PoseAlong: pose_along,
    PositionAt: position_at,
    Plant: plant,
    RootAt: root_at,
    RootPath: root_path,
    Reach: reach,
    Style: style,
    StyleAlong: style_along,
    HeadFor: head_for,
    Act: act,
    Pace: pace,
    Parameters: parameters,
    LookAt: look_at,
    Avoid: avoid,
}


def feasible(model: Model, kind: type[Constraint], seed: int, *, soft: bool = False) -> Request:
    """One request with one constraint of a class, which some take of this model keeps."""
    rng = np.random.default_rng([1000, seed])
    take = synthesize(model, Request(seconds=SECONDS), seed=1000 + seed)
    constraint = REQUESTS[kind](model, take, rng)
    return Request(seconds=SECONDS, constraints=(replace(constraint, weight=1.0 if soft else None),))
