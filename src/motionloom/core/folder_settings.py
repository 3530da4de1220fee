"""Importing libraries that would take settings from a file in the current folder."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import import_module

SETTINGS = {"numba": ".numba_config.yaml", "matplotlib": "matplotlibrc"}


def ignore_folder_settings(library: str) -> None:
    """Import a library without the settings in the current folder, which may have come with a clip.

    Those of numba choose the folder of compiled code, so they can run any code; those of matplotlib can start LaTeX.
    Settings in environment variables and in the user's own folders count as before.
    """
    if library in sys.modules or not os.path.lexists(SETTINGS[library]):
        return
    here = os.getcwd()
    os.chdir(sys.prefix)
    try:
        with suppress(ImportError):  # it is not installed: who needs it says so
            import_module(library)
    finally:
        os.chdir(here)
