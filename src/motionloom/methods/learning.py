"""Learn a model by name from clips, which are prepared first."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from motionloom.constraints import MotionParameter
from motionloom.core import BadRequest, Clip, Markers, Progress, part, silent
from motionloom.core.blas import one_blas_thread
from motionloom.core.errors import unknown
from motionloom.core.watched import watched
from motionloom.io.digest import clip_sha256, file_sha256
from motionloom.methods.base import Learned, Measured, Model
from motionloom.methods.prepare_clips import as_they_are, prepare
from motionloom.methods.recipe_steps import learning_steps
from motionloom.methods.table import METHODS


@one_blas_thread()
@watched
def learn(
    method: str,
    clips: Sequence[Clip | Markers],
    config: Any = None,
    *,
    seed: int = 0,
    files: Sequence[str | Path] | None = None,
    trim_tpose: bool = True,
    parameters: Sequence[MotionParameter] = (),
    models: Mapping[str, Model[Any]] | None = None,
    progress: Progress | None = None,
) -> Model[Any]:
    """Learn a model by name from clips. `config` is the method's Config, a mapping of its fields, or None.

    Clips are prepared first (see `prepare`; `model.notes` has its notes). The same seed gives the same model.
    `parameters` are user-defined and measured on every clip; the model stores names and values, never the functions.
    `files`, one for each clip, are hashed for the model's list of sources; without them the clips' arrays are.
    `models` are other models that the method can learn with (`Method.models`), by name.
    """
    if method not in METHODS:
        raise BadRequest(unknown(method, METHODS, "method"))
    module = METHODS[method].module()
    settings = config if isinstance(config, Mapping) else {}
    if config is None or isinstance(config, Mapping):
        config = module.Config.of(settings)
    if not isinstance(config, module.Config):
        raise BadRequest(f"config: expected the Config of {method}, found {type(config).__name__}")
    if files is not None and len(files) != len(clips):
        raise BadRequest(f"files: expected one for each of {len(clips)} clips, found {len(files)}")
    _check_models(method, models or {})
    broken = "mend" if module.MODEL.needs_whole_clips else "leave out"
    report = progress or silent()
    margin = module.MODEL.glitch_margin
    optical = next((k for k, clip in enumerate(clips) if isinstance(clip, Markers)), None)
    if "markers" in METHODS[method].learns_from:
        ready = as_they_are(method, clips, config.fps)
    elif optical is not None:
        raise BadRequest(f"{method} learns from clips; {_name(clips[optical], optical)} contains markers")
    else:
        ready = prepare(
            [clip for clip in clips if isinstance(clip, Clip)],
            config.fps,
            trim_tpose=trim_tpose,
            broken=broken,
            margin=margin,
            progress=part(report, 0.0, 0.1),
        )
    rng = np.random.default_rng([seed])
    given: dict[str, Any] = dict(models or {})
    if "parameters" in signature(module.fit).parameters:
        given["parameters"] = parameters
    model: Model[Any] = module.fit(ready.clips, config, **given, rng=rng, progress=part(report, 0.1, 1.0))
    hashes = [(clip_sha256(c), "clip") for c in clips] if files is None else [(file_sha256(f), "file") for f in files]
    used = [sum(len(c) for c, k in zip(ready.clips, ready.owners, strict=True) if k == i) for i in range(len(clips))]
    sources = tuple(
        Learned(
            name := _name(clip, i),
            frames * model.uses(name),
            sha,
            of,
            clip.origin.licence,
            clip.origin.unit,
            clip.origin.up,
        )
        for i, (clip, frames, (sha, of)) in enumerate(zip(clips, used, hashes, strict=True))
    )
    measured = tuple(
        Measured(p.name, p.unit, p.size, np.stack([p.measured(clip) for clip in ready.clips])) for p in parameters
    )
    own = [p.name for p in parameters]
    made = learning_steps(method, config, clips, seed=seed, trim_tpose=trim_tpose, measured=own, models=models or {})
    notes = config.unused(settings) + ready.notes + model.notes
    report(1.0, "done")
    return dataclasses.replace(model, sources=sources, notes=notes, measured=(*model.measured, *measured), made=made)


def _name(clip: Clip | Markers, number: int) -> str:
    return clip.origin.name or f"clip {number}"


def _check_models(method: str, models: Mapping[str, Model[Any]]) -> None:
    """`BadRequest` for a model that a method cannot learn with."""
    known = METHODS[method].models
    for name, given in models.items():
        if name not in known:
            raise BadRequest(f"{method} does not learn with another model {name!r}; {', '.join(known) or 'with none'}")
        if not isinstance(given, Model):
            raise BadRequest(f"{name}: expected a model, found {type(given).__name__}")
