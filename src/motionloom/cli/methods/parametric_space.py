"""`motionloom bake`: a space as clips for the blend space of a game engine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from motionloom.cli.flags import argument, option
from motionloom.cli.options import Force, plural, print_line
from motionloom.cli.progress_bars import busy
from motionloom.core import part


def bake(
    model: Annotated[Path, argument("MODEL", "A .loom file of parametric-space, multilinear or verbs.")],
    out: Annotated[Path, option("-o --out", "DIR", "Folder for the clips and space.json.")],
    to: Annotated[str, option("--to", "SUFFIX", "Format of the clips: glb, bvh ...")] = "glb",
    force: Force = False,
) -> None:
    """Write the examples of a space as clips, and their triangulation, for blend spaces of Godot, Unity or Unreal.

    space.json lists parameters, duration, speed and the phases at which feet come down and leave the ground. All clips
    have the same phase at the same share of their length. GLB files hold their row of it as extras.
    """
    import json

    from motionloom.io import check_target, save
    from motionloom.io.atomic_files import write_whole
    from motionloom.methods.space.baked import baked
    from motionloom.methods.space.model import SpaceModel
    from motionloom.methods.store import load_model_of

    learned = load_model_of(SpaceModel, model, "parametric-space, multilinear or verbs")  # type: ignore[type-abstract]
    found = baked(learned)
    targets = [out / f"vertex_{k:03d}.{to.lstrip('.')}" for k in range(len(found.clips))]
    for target in targets:
        check_target(target, overwrite=force)
    with busy("writing") as report:
        for k, (clip, target) in enumerate(zip(found.clips, targets, strict=True)):
            own = part(report, k / len(targets), (k + 1) / len(targets))
            save(clip, target, extras=found.facts["vertices"][k], progress=own)
            found.facts["vertices"][k]["file"] = target.name
    write_whole(out / "space.json", [json.dumps(found.facts, indent=1).encode()])
    simplices = len(found.facts["simplices"])
    print_line(f"{out}: {plural(len(found.clips), 'clip')}, space.json with {plural(simplices, 'cell')}")
