"""FBX writer: Blender imports the clip's GLB file and exports it. Needs Blender, as a Python module or a program."""

from __future__ import annotations

import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from motionloom.core import BadRequest, Clip, FormatError, MissingExtra, Progress
from motionloom.io import blender_script
from motionloom.io.gltf.write import write_glb
from motionloom.jobs import JobFailed, in_worker, start
from motionloom.jobs.other_program import run_program

PROGRAM = "MOTIONLOOM_BLENDER"  # environment variable: a Blender program, or a Python that has bpy
MISSING = (
    f"FBX files are written by Blender: name a Blender program in the environment variable {PROGRAM}, or a Python 3.11 "
    "of another environment in which you typed: pip install bpy"
)


def write_fbx(
    clip: Clip,
    path: str | Path,
    *,
    unit: str | float | None = None,
    up: str | None = None,
    progress: Progress | None = None,
) -> None:
    """Write a clip as FBX: what Blender makes of its GLB file, with the mesh, skin and materials of a glTF rig.

    Blender runs in a process of its own. The file is in centimetres with y up, as Blender writes it.
    """
    if unit is not None or up is not None:
        raise BadRequest("Blender writes FBX in centimetres with y up: another unit or up axis cannot be chosen")
    command, path = blender(), Path(path)
    with TemporaryDirectory(prefix="motionloom_") as folder:
        source = Path(folder) / f"{path.stem}.glb"
        write_glb(clip, source)
        words = [*command, str(source), str(path.resolve()), repr(float(clip.fps))]
        try:
            if in_worker():
                run_program(words, ())
            else:
                start(run_program, words, (), name=path.name).result(progress)
        except JobFailed as error:
            raise FormatError(f"Blender did not write it ({error})", path=path) from None
    if not path.is_file():
        raise FormatError("Blender did not write it", path=path)


def blender() -> list[str]:
    """The command that runs `blender_script` in Blender; its arguments follow."""
    script = str(Path(blender_script.__file__).resolve())
    program = os.environ.get(PROGRAM) or (sys.executable if find_spec("bpy") else shutil.which("blender"))
    if program is None:
        raise MissingExtra(MISSING)
    if Path(program).stem.lower().startswith("python"):
        return [program, "-P", script]
    return [program, "--background", "--factory-startup", "--python-exit-code", "1", "--python", script, "--"]
