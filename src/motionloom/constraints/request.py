"""The request to a method: length, frame rate, start, ground, options and constraints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from motionloom.constraints.base import Constraint
from motionloom.constraints.fields import Point2, frame_rate, positive, read_value, written_value
from motionloom.constraints.ground_heights import FLAT, Ground
from motionloom.constraints.parameters import MotionParameter, Parameters
from motionloom.constraints.pose import Load, PoseAt
from motionloom.constraints.pose_along import PoseAlong
from motionloom.constraints.request_text import parse_values, read_request_text
from motionloom.constraints.root import RootAt, Start
from motionloom.constraints.table import KINDS
from motionloom.core import BadRequest
from motionloom.core.arrays import put
from motionloom.core.errors import Problems
from motionloom.core.files import Files
from motionloom.core.units import Moment, Quantity, duration, fail, nearest, whole


@dataclass(frozen=True)
class Request:
    """A request to a method. Give `seconds` or `frames` or neither, never both."""

    seconds: float | None = None
    frames: int | None = None
    fps: float | None = None  # None: the model's
    start: Start | None = None  # None: the clip is placed afterwards (see `beginning`)
    options: Mapping[str, Any] = field(default_factory=dict)  # checked against the method's own Options
    ground: Ground = FLAT
    parameters: Mapping[str, Any] = field(default_factory=dict)  # short for one Parameters over all of it
    constraints: tuple[Constraint, ...] = ()
    table: Mapping[str, MotionParameter] | None = field(default=None, compare=False, repr=False)  # None: PARAMETERS

    def __post_init__(self) -> None:
        if self.seconds is not None and self.frames is not None:
            raise BadRequest(
                f"expected seconds or frames, found both ({self.seconds} and {self.frames})", where=("frames",)
            )
        if self.seconds is not None:
            put(self, "seconds", positive(duration(self.seconds, ("seconds",)), ("seconds",)))
        if self.frames is not None:
            put(self, "frames", positive(whole(self.frames, ("frames",)), ("frames",)))
        if self.fps is not None:
            put(self, "fps", frame_rate(self.fps))
        put(self, "options", MappingProxyType(dict(self.options)))
        values = {n: read_value(v, None, ("parameters", n)) for n, v in self.parameters.items()}
        put(self, "parameters", MappingProxyType(values))
        put(self, "constraints", tuple(self.constraints))
        for i, c in enumerate(self.constraints):
            if not isinstance(c, Constraint):
                raise fail(("constraints", i), f"one of the constraints ({', '.join(KINDS)})", c)

    def __reduce__(self) -> tuple[Any, ...]:
        shared = (self.seconds, self.frames, self.fps, self.start, dict(self.options), self.ground)
        return (Request, (*shared, dict(self.parameters), self.constraints, self.table))

    @property
    def all_constraints(self) -> tuple[Constraint, ...]:
        """All constraints: one for each value of `parameters`, then those of `constraints`, several values apart."""
        short = (Parameters(values=tuple(self.parameters.items())),) if self.parameters else ()
        return tuple(part for c in short + self.constraints for part in c.parts(self.table))

    def length(self, fps: float) -> int | None:
        """The number of requested frames at this frame rate (at least one), or None: the method's natural end."""
        if self.frames is not None:
            return max(1, nearest(self.frames * fps / (self.fps or fps)))
        return None if self.seconds is None else max(1, nearest(self.seconds * fps))

    def given_beginning(self, frames: int, fps: float) -> tuple[Point2 | None, float | None]:
        """The position and heading at frame 0 as far as they are given: those of a hard `root_at` there, or `start`.

        Without a start, those of a soft `root_at` count, too: a body that may be anywhere begins there.
        """
        position, heading = (None, None) if self.start is None else (self.start.position, self.start.heading)
        at_start = [c for c in self.constraints if isinstance(c, RootAt) and c.frame(frames, fps) == 0]
        soft = [c for c in at_start if c.weight] if self.start is None else []
        for c in (*soft, *(c for c in at_start if c.hard)):
            position = position if c.position is None else c.position
            heading = heading if c.heading is None else c.heading
        return position, heading

    def beginning(self, frames: int, fps: float) -> Start:
        """Where the result starts: as given (see `given_beginning`), else at the origin and with heading 0."""
        position, heading = self.given_beginning(frames, fps)
        return Start((0.0, 0.0) if position is None else position, 0.0 if heading is None else heading)

    def located(self, error: BadRequest) -> BadRequest:
        """The error of a constraint of this request (see `Constraint.problem`) with its path; others as they are."""
        found = [i for i, c in enumerate(self.constraints) if c is error.about]
        return error.in_constraint(found[0], self.constraints[found[0]].key()) if found else error

    def at_fps(self, fps: float) -> Request:
        """The same request for a result at another frame rate: times given in frames (`90f`) keep their instant."""
        if self.fps is None or self.fps == fps:
            return replace(self, fps=fps)
        ratio = fps / self.fps
        moved = tuple(_retimed(c, ratio) for c in self.constraints)
        frames = None if self.frames is None else self.length(fps)
        return replace(self, fps=fps, frames=frames, constraints=moved)

    def resolved(self, load: Load, files: Files | None = None) -> Request:
        """The same request with every pose and clip that it names loaded; `files` are the folders that may be read."""
        made, problems = [], Problems()
        for i, c in enumerate(self.constraints):
            with problems.collect_constraint(i, c.key()):
                if isinstance(c, (PoseAt, PoseAlong)):
                    field = "pose" if isinstance(c, PoseAt) else "clip"
                    c = c.resolved(load if files is None else _inside(load, files, field))
                made.append(c)
        problems.raise_found()
        return replace(self, constraints=tuple(made))

    @classmethod
    def from_yaml(
        cls, text: str, load: Load | None = None, files: Files | None = None, name: str = "request"
    ) -> Request:
        """A request from YAML text, which is never interpreted as the name of a file.

        `load` reads the clips whose poses the request names; `files` lists the folders that may be read (by default the
        current one); error messages use `name` as the name of the text.
        """
        files = files or Files()
        request = cls(**parse_values(text, files, name))
        return request if load is None else request.resolved(load, files)

    @classmethod
    def from_file(cls, path: str | Path, load: Load | None = None, files: Files | None = None) -> Request:
        """A request from a YAML file. File names in it are resolved in its folder first, then in those of `files`."""
        text, files = read_request_text(path, files)
        return cls.from_yaml(text, load, files, Path(path).name)

    def to_yaml(self) -> str:
        """The request as YAML that `from_yaml` reads back to an equal one."""
        import yaml

        out: dict[str, Any] = {}
        for name in ("seconds", "frames", "fps"):
            if getattr(self, name) is not None:
                out[name] = getattr(self, name)
        if self.start is not None:
            out["start"] = self.start.to_plain()
        if self.options:
            out["options"] = {n: written_value(v) if isinstance(v, Quantity) else v for n, v in self.options.items()}
        if not self.ground.flat:
            if not self.ground.source:
                raise BadRequest(
                    "these heights come from no file, so they cannot be written to a request", where=("ground",)
                )
            out["ground"] = {"heights": self.ground.source}
        if self.parameters:
            out["parameters"] = {n: written_value(v) for n, v in self.parameters.items()}
        if self.constraints:
            out["constraints"] = [{c.key(): c.to_plain()} for c in self.constraints]
        return yaml.safe_dump(out, sort_keys=False, default_flow_style=None, width=110, allow_unicode=True)


def _retimed(constraint: Constraint, ratio: float) -> Constraint:
    """Every time that counts frames counts those of another frame rate, as seconds would."""

    def convert(when: Moment) -> Moment:
        if isinstance(when, str) and when.endswith("f"):
            head, sep, count = when.rpartition("-")
            return f"{head}{sep}{nearest(int(count[:-1]) * ratio)}f"
        return when

    changes: dict[str, Any] = {}
    for f in fields(constraint):
        value = getattr(constraint, f.name)
        if f.name in ("time", "by"):
            changes[f.name] = convert(value)
        elif f.name in ("span", "times") and value is not None:
            changes[f.name] = tuple(convert(v) for v in value)
        elif f.name == "path" and value is not None:
            changes[f.name] = tuple((convert(w[0]), *w[1:]) for w in value)
    return replace(constraint, **changes)


def _inside(load: Load, files: Files, field: str) -> Load:
    """`load` for names that must lie inside the folders of `files`; an error names the field."""
    return lambda path: load(str(files.resolve(path, (field,))))
