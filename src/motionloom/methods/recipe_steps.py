"""The steps that learning and synthesis add to a clip's recipe (`Origin.made`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from motionloom.constraints import GivenClip, Pose, PoseAlong, PoseAt, Request
from motionloom.core import BadRequest, Clip, Made, Markers, Read, made_here
from motionloom.core.recipe import Input
from motionloom.io.digest import clip_sha256, file_sha256
from motionloom.methods.packing import Packer

if TYPE_CHECKING:
    from motionloom.methods.base import Model


def learning_steps(
    method: str,
    config: Any,
    clips: Sequence[Clip | Markers],
    *,
    seed: int,
    trim_tpose: bool = True,
    measured: Sequence[str] = (),
    models: Mapping[str, Model[Any]] | None = None,
) -> tuple[Made, ...]:
    """All steps up to a model: those of its clips, each once, then learning; `models` are those learned with."""
    before: list[Made] = []
    for clip in clips:
        before += [step for step in clip.origin.made if step not in before]
    reads = tuple(_read(clip, i) for i, clip in enumerate(clips))
    unread = next((read.name for read in reads if not read.sha256), "")
    gap = f"{unread} was not read from a file, or was edited after it was read" if unread else ""
    others = {name: other.file for name, other in (models or {}).items()}
    unsaved = next((name for name, file in others.items() if file is None), "")
    gap = gap or (f"the model given as {unsaved} was not read from a file" if unsaved else "")
    edits: list[Mapping[str, Any]] = [] if trim_tpose else [{"trim_tpose": False}]
    if others:
        edits.append({"models": {name: file.name for name, file in others.items() if file is not None}})
    step = made_here(
        "learn",
        method=method,
        config=Packer().pack(config, "config"),
        learning_seed=seed,
        clips=reads,
        edits=tuple(edits),
        measured=tuple(measured),
        files=(*settings_files(config), *(file for file in others.values() if file is not None)),
        learning_gap=gap,
    )
    return (*before, step)


def synthesis_step(
    model: Model[Any],
    command: str,
    *,
    request: Request | None = None,
    seed: int | None = None,
    take: int | None = None,
    edits: Iterable[Mapping[str, Any]] = (),
    clips: Iterable[Clip] = (),
) -> Made:
    """The step of a result: the learning of its model, the request, and the other inputs of the command.

    `clips` are used in addition to the model's (a performance, for example).
    """
    unknown = made_here("learn", learning_gap="the learning of its model is not recorded")
    learning = model.made[-1] if model.made else unknown
    text, gap = _request_text(request)
    return replace(
        learning,
        command=command,
        method=model.method,
        model=model.file,
        request=text,
        seed=seed,
        take=take,
        edits=(*learning.edits, *edits),
        files=(*learning.files, *_ground(request)),
        poses=(*_poses(request), *(_read(clip, i) for i, clip in enumerate(clips))),
        gap=gap,
    )


def settings_files(config: Any) -> tuple[Input, ...]:
    """The files that settings of learning name, without their folders."""
    paths = [Path(path) for name in config.FILES if (path := getattr(config, name)) is not None]
    return tuple(Input(path.name, file_sha256(path)) for path in paths)


def _read(clip: Clip | Markers, number: int) -> Read:
    read = clip.origin.read or Read(clip.origin.name or f"clip {number}", "")
    return replace(read, content=clip_sha256(clip))


def _request_text(request: Request | None) -> tuple[str | None, str]:
    """The request as YAML, or None and the reason why it cannot be written."""
    if request is None:
        return None, ""
    try:
        return request.to_yaml(), ""
    except BadRequest as error:
        return None, str(error)


def _poses(request: Request | None) -> list[Read]:
    """The clips whose frames a request uses as poses, under the names in the request."""
    out: dict[str, Read] = {}
    for c in request.constraints if request is not None else ():
        given = c.pose if isinstance(c, PoseAt) else c.clip if isinstance(c, PoseAlong) else None
        if isinstance(given, (Pose, GivenClip)) and (read := given.reading()) is not None:
            out[read.name] = read
    return list(out.values())


def _ground(request: Request | None) -> tuple[Input, ...]:
    if request is None or not request.ground.sha256:
        return ()
    return (Input(request.ground.source, request.ground.sha256),)
