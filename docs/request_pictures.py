"""A picture of every constraint on a computed clip, with its residual; used by make_request_reference.py."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from motionloom.constraints import (
    PARAMETERS,
    Act,
    Avoid,
    Constraint,
    GivenClip,
    HeadFor,
    LookAt,
    Pace,
    Parameters,
    Plant,
    PoseAlong,
    PoseAt,
    PositionAt,
    Reach,
    RootAt,
    RootPath,
    Style,
    StyleAlong,
    gaze,
    solve,
    walked,
)
from motionloom.constraints.pose import Pose
from motionloom.core import Clip, concatenate
from motionloom.core.units import Quantity
from motionloom.kinematics import fk, placed, travel
from motionloom.kinematics.pace import pace as pace_of
from motionloom.samples import make

BODY, TARGET, GHOST = "#334155", "#dc2626", "#94a3b8"
LABELS = {"walk": "#60a5fa", "run": "#f59e0b"}

SHOWN: dict[str, Callable[[], Constraint]] = {
    "pose_at": lambda: PoseAt(time=1.5, pose=Pose(waving(), "wave.bvh#90"), joints=("right_arm",)),
    "pose_along": lambda: PoseAlong(clip=GivenClip(arms(), "wave.bvh"), span=(1, 2), joints=("right_arm",)),
    "position_at": lambda: PositionAt(joint="right_hand", time=1.5, target=(-0.15, 1.75, 2.35)),
    "plant": lambda: Plant(joint="left_foot", span=(1.2, 1.7)),
    "root_at": lambda: RootAt(time="end", position=(0.6, 4.0), heading=0.6),
    "root_path": lambda: RootPath(points=((0.0, 0.0), (0.35, 1.4), (1.2, 2.8), (2.3, 3.7), (3.6, 4.25))),
    "reach": lambda: Reach(position=(1.0, 3.0), by=4.0, tolerance=0.3),
    "style": lambda: Style(label="run", span=(3.0, "end")),
    "style_along": lambda: StyleAlong(label="run", stretch=(5.0, 9.0)),
    "parameters": lambda: Parameters(
        values=(("speed", Quantity(1.3, "speed")), ("turn", Quantity(np.radians(100), "angle")))
    ),
    "pace": lambda: Pace(speed=(1.2, 1.5), span=(0.0, 2.5)),
    "look_at": lambda: LookAt(target=(1.5, 1.4, 3.0), span=(1.0, 3.0)),
    "head_for": lambda: HeadFor(heading=1.3),
    "act": lambda: Act(action="run", span=(3.0, 4.0)),
    "avoid": lambda: Avoid(center=(-0.1, 2.6), radius=0.5),
}


def waving() -> Clip:
    """One frame of a person who waves."""
    return make("wave", seed=1)[90:91]


def arms() -> Clip:
    """A second of a person who waves."""
    clip = make("wave", seed=1)
    return clip[round(clip.fps) : round(2 * clip.fps)]


def walk(**settings: Any) -> Clip:
    """A walk that starts at the origin and faces +z."""
    return placed(make("walk", seed=1, **{"speed": 1.3, "seconds": 4, **settings}))


def sticks(ax: Any, clip: Clip, frames: Iterable[int], colour: str = BODY, *, width: float = 1.6) -> None:
    """Stick figures seen from the side: z to the right, y up."""
    points = fk(clip)
    for frame in frames:
        for joint, parent in enumerate(clip.skeleton.parents):
            if parent >= 0:
                ends = points[frame, [parent, joint]]
                ax.plot(ends[:, 2], ends[:, 1], color=colour, lw=width, solid_capstyle="round")


def side_view(ax: Any) -> None:
    """Equal axes with a ground line, in metres."""
    ax.axhline(0, color=GHOST, lw=1)
    ax.set_aspect("equal")
    ax.set_xlabel("z [m]")
    ax.set_ylabel("y [m]")


def top_view(ax: Any, clip: Clip, colours: Any = None) -> None:
    """The ground from above, +z to the right and +x (left of the body) up: the path of the hips, with headings."""
    path = travel(clip)
    ax.scatter(path.place[:, 1], path.place[:, 0], s=5, c=BODY if colours is None else colours, zorder=3)
    for frame in range(0, len(clip), round(clip.fps / 2)):
        arrow(ax, path.place[frame], float(path.heading[frame]), 0.3, BODY)
    ax.set_aspect("equal")
    ax.set_xlabel("z [m]")
    ax.set_ylabel("x [m]")
    ax.margins(0.1, 0.25)


def arrow(ax: Any, place: Any, heading: float, length: float, colour: str) -> None:
    """A heading on the ground."""
    x, z = place
    tip = (z + length * np.cos(heading), x + length * np.sin(heading))
    ax.annotate("", tip, (z, x), arrowprops={"arrowstyle": "-|>", "color": colour, "mutation_scale": 12})


def colours_of(clip: Clip) -> list[str]:
    """For each frame the colour of its label."""
    running = clip.label("run")
    return [LABELS["run" if on else "walk"] for on in running]


def walk_then_run() -> Clip:
    """Three seconds of walking, then three of running, cut together: only its labels matter here."""
    first, second = walk(seconds=3), make("run", seed=1, seconds=3)
    end = travel(first)
    return concatenate([first, placed(second, end.place[-1], float(end.heading[-1]))])


def pose_at(ax: Any, wanted: PoseAt) -> Clip:
    clip = solve(walk(seconds=3), [wanted])
    frame = wanted.frame(len(clip), clip.fps)
    sticks(ax, clip, range(frame - 60, frame + 61, 20), GHOST, width=1.0)
    sticks(ax, clip, [frame], TARGET, width=2.4)
    sticks(ax, placed(waving(), (0.0, 5.0)), [0], BODY)
    ax.text(4.9, 1.3, "pose", ha="right")
    side_view(ax)
    return clip


def pose_along(ax: Any, wanted: PoseAlong) -> Clip:
    clip = solve(walk(seconds=3), [wanted])
    frames = wanted.frames(len(clip), clip.fps)
    sticks(ax, clip, range(0, len(clip), 20), GHOST, width=1.0)
    sticks(ax, clip, range(frames.start, frames.stop, 20), TARGET, width=2.0)
    side_view(ax)
    return clip


def position_at(ax: Any, wanted: PositionAt) -> Clip:
    clip = solve(walk(seconds=3), [wanted])
    frame, hand = wanted.frame(len(clip), clip.fps), clip.skeleton.joint(wanted.joint)
    trail = fk(clip)[:, hand]
    sticks(ax, clip, [frame - 30, frame + 30], GHOST, width=1.0)
    sticks(ax, clip, [frame], BODY, width=2.0)
    ax.plot(trail[frame - 40 : frame + 41, 2], trail[frame - 40 : frame + 41, 1], color=TARGET, lw=1)
    ax.plot(wanted.target[2], wanted.target[1], "*", color=TARGET, ms=14)
    side_view(ax)
    return clip


def plant(ax: Any, wanted: Plant) -> Clip:
    clip = solve(walk(seconds=3), [wanted])
    frames, foot = wanted.frames(len(clip), clip.fps), clip.skeleton.joint(wanted.joint)
    trail = fk(clip)[:, foot]
    sticks(ax, clip, [frames.start, (frames.start + frames.stop) // 2, frames.stop - 1], GHOST, width=1.2)
    ax.plot(trail[:, 2], trail[:, 1], color=BODY, lw=1)
    still = trail[frames.start : frames.stop]
    ax.plot(still[:, 2], still[:, 1], "o", color=TARGET, ms=6)
    ax.set_xlim(still[0, 2] - 1.2, still[0, 2] + 1.2)
    side_view(ax)
    return clip


def root_at(ax: Any, wanted: RootAt) -> Clip:
    clip = solve(walk(), [wanted])
    top_view(ax, clip)
    x, z = wanted.position or (0.0, 0.0)
    ax.plot(z, x, "*", color=TARGET, ms=14, zorder=4)
    arrow(ax, (x, z), wanted.heading or 0.0, 0.8, TARGET)
    ax.set(xlim=(-0.5, 5), ylim=(-0.6, 1.4))
    return clip


def root_path(ax: Any, wanted: RootPath) -> Clip:
    clip = walk(seconds=4.6, turn=0.27)
    x, z = np.array(wanted.points).T
    ax.plot(z, x, "o-", color=TARGET, lw=1.5)
    top_view(ax, clip)
    return clip


def reach(ax: Any, wanted: Reach) -> Clip:
    clip = walk(turn=0.2)
    top_view(ax, clip)
    x, z = wanted.position
    ax.add_patch(circle(x, z, wanted.tolerance))
    ax.plot(z, x, "*", color=TARGET, ms=14, zorder=4)
    ax.plot(*travel(clip).place[wanted.arrival(clip)][::-1], "o", color=BODY, ms=8)
    return clip


def avoid(ax: Any, wanted: Avoid) -> Clip:
    clip = walk(turn=0.25, seconds=4)
    top_view(ax, clip)
    ax.add_patch(circle(*wanted.center, wanted.radius, hatch="//"))
    return clip


def style(ax: Any, wanted: Style | Act) -> Clip:
    clip = walk_then_run()
    times = np.arange(len(clip)) / clip.fps
    for name, level in (("walk", 0.0), ("run", 1.0)):
        on = clip.label(name)
        ax.fill_between(times, level, level + 0.8 * on, color=LABELS[name], step="post", lw=0)
    frames = wanted.frames(len(clip), clip.fps)
    ax.axvspan(frames.start / clip.fps, frames.stop / clip.fps, fill=False, ec=TARGET, lw=2)
    ax.set_yticks([0.4, 1.4], ["walk", "run"])
    ax.set_xlabel("time [s]")
    return clip


def act(ax: Any, wanted: Act) -> Clip:
    return style(ax, wanted)


def head_for(ax: Any, wanted: HeadFor) -> Clip:
    clip = walk(turn=0.35)
    top_view(ax, clip)
    arrow(ax, travel(clip).place[-1], wanted.heading, 0.9, TARGET)
    return clip


def style_along(ax: Any, wanted: StyleAlong) -> Clip:
    clip = walk_then_run()
    top_view(ax, clip, colours_of(clip))
    metres, place = walked(clip), travel(clip).place
    for distance in wanted.stretch:
        x, z = place[int(np.abs(metres - distance).argmin())]
        ax.plot([z, z], [x - 0.6, x + 0.6], color=TARGET, lw=2)
        ax.text(z, x + 0.7, f"{distance:g} m", ha="center", color=TARGET)
    ax.set_ylim(-2, 3)
    return clip


def pace(ax: Any, wanted: Pace) -> Clip:
    clip = walk_then_run()
    times, frames = np.arange(len(clip)) / clip.fps, wanted.frames(len(clip), clip.fps)
    ax.plot(times, pace_of(clip), color=BODY, lw=2)
    low, high = wanted.speed
    ax.fill_between([frames.start / clip.fps, frames.stop / clip.fps], low, high, color=TARGET, alpha=0.25, lw=0)
    ax.set(xlabel="time [s]", ylabel="speed [m/s]", ylim=(0, None))
    return clip


def parameters(ax: Any, wanted: Parameters) -> Clip:
    clip = walk(turn=np.pi / 8, seconds=4)
    top_view(ax, clip)
    for height, (name, value) in zip((0.95, 0.85), wanted.values, strict=True):
        measured, unit = float(PARAMETERS[name].measured(clip)[0]), PARAMETERS[name].unit
        text = f"{name}: {measured:.2f} {unit}, requested {value.value:.2f}"
        ax.text(0.03, height, text, transform=ax.transAxes, va="top")
    return clip


def look_at(ax: Any, wanted: LookAt) -> Clip:
    clip = solve(placed(make("walk", seed=1, speed=0.9, seconds=4)), [wanted])
    start, direction = gaze(clip)
    top_view(ax, clip)
    frames = wanted.frames(len(clip), clip.fps)
    for frame in range(frames.start, frames.stop, 15):
        line = np.stack([start[frame], start[frame] + direction[frame] * 1.2])
        ax.plot(line[:, 2], line[:, 0], color="#f59e0b", lw=1)
    target = wanted.target or (0.0, 0.0, 0.0)
    ax.plot(target[2], target[0], "*", color=TARGET, ms=14)
    return clip


def circle(x: float, z: float, radius: float, **more: Any) -> Any:
    """A red circle on the ground."""
    from matplotlib.patches import Circle

    return Circle((z, x), radius, fill=False, ec=TARGET, lw=1.5, **more)


def draw_all(folder: Path) -> None:
    """One PNG for each constraint, in few colours so that the files stay small."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from PIL import Image

    for key, build in SHOWN.items():
        figure = Figure(figsize=(6.4, 3.6), layout="constrained")
        FigureCanvasAgg(figure)
        ax = figure.subplots()
        wanted = build()
        clip = globals()[key](ax, wanted)
        met = "met" if wanted.met(clip) else "not met"
        ax.set_title(f"{key}: residual {wanted.worst(clip):.3f} {wanted.unit}, tolerance {wanted.limit:.3g}: {met}")
        path = folder / f"{key}.png"
        figure.savefig(path, dpi=90)
        Image.open(path).convert("RGB").quantize(48, dither=Image.Dither.NONE).save(path, optimize=True)
