"""Motion parameters that a user defines by a function in a Python file (`--measure file.py:function`)."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from motionloom.constraints.parameters import MotionParameter
from motionloom.core import BadRequest


def load_parameter(spec: str) -> MotionParameter:
    """A user's own parameter from `file.py:function`; the file is run, so only call this for what a user named.

    A function takes a clip and returns one number or three; `function.unit`, `.size` and `.tolerance` may be set. A
    `MotionParameter` under that name is taken as it is.
    """
    file, _, name = spec.rpartition(":")
    path = Path(file)
    if not file or not name.isidentifier():
        raise BadRequest(f"expected FILE.py:FUNCTION, found {spec!r}")
    found = importlib.util.spec_from_file_location(f"motionloom_measure_{path.stem}", path)
    if not path.is_file() or found is None or found.loader is None:
        why = "it is not a Python file" if path.is_file() else "there is no such file"
        raise BadRequest(f"cannot read {file!r}: {why}")
    module = importlib.util.module_from_spec(found)
    try:
        found.loader.exec_module(module)
    except Exception as error:  # a user's file may raise anything
        raise BadRequest(f"{file} cannot be run: {type(error).__name__}: {error}") from error
    made = getattr(module, name, None)
    if isinstance(made, MotionParameter):
        return made
    if not callable(made):
        raise BadRequest(f"{file} has no function {name!r}")
    lines = (made.__doc__ or "").strip().splitlines()
    facts = {key: getattr(made, key) for key in ("unit", "size", "tolerance") if hasattr(made, key)}
    return MotionParameter(
        **{"name": name, "unit": "", "size": 1, "help": lines[0] if lines else "", "measure": made} | facts
    )
