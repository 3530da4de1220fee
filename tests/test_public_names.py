"""The names that `import motionloom` offers."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import motionloom
from motionloom.cli.app import COMMANDS

ROOT = Path(motionloom.__file__).parent

BEHIND = {
    "info": "clip_facts",
    "convert": "convert_files",
    "fetch": "fetch",
    "samples": "samples",
    "view": "save_filmstrip",
    "check": "check_files",
    "clean": "clean_files",
    "retarget": "retarget_files",
    "append": "append",
    "trim": "trim_files",
    "loop": "loop_files",
    "label": "label_files",
    "blend": "blend_clips",
    "bands": "change_bands",
    "fourier": "fourier_motion",
    "splice": "splice",
    "similar": "find_similar",
    "find": "find_matches",
    "judge": "judge",
    "align": "align",
    "evaluate": "evaluate_clips",
    "compare": "compare_methods",
    "study": "analyse_ratings",
    "learn": "learn",
    "synthesize": "attempt",
    "again": "again",
    "methods": "describe",
    "stream": "stream_clip",
}
"""Commands, and the public function behind each; those of single methods are in the folder of the method."""


@pytest.mark.parametrize("name", motionloom.__all__)
def test_every_public_name_can_be_imported(name):
    assert getattr(motionloom, name) is not None


def test_a_misspelt_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'laod'"):
        motionloom.laod  # noqa: B018


def test_every_command_has_a_public_function_behind_it():
    general = {name for name, command in COMMANDS.items() if ".methods." not in command.module}
    assert general - {"demo", "warm"} == set(BEHIND)
    assert set(BEHIND.values()) <= set(motionloom.__all__)


def test_folders_can_be_used_without_an_import_of_their_own():
    code = "import motionloom as ml; print(ml.kinematics.headings.__name__, ml.plot.save_filmstrip.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "headings save_filmstrip\n"


def test_every_folder_but_the_command_line_is_a_public_name():
    folders = {p.name for p in ROOT.iterdir() if (p / "__init__.py").is_file()}
    assert folders - {"cli"} <= set(motionloom.__all__)


def test_type_checkers_see_the_same_names():
    tree = ast.parse((ROOT / "__init__.py").read_text())
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    seen = {(node.module, alias.name) for node in block.body for alias in node.names}
    names = {(f"motionloom.{home}", name) for name, home in motionloom._NAMES.items()}
    assert seen == names | {("motionloom", folder) for folder in motionloom._FOLDERS}


def test_importing_motionloom_imports_no_numbers_library():
    code = "import motionloom, sys; print([m for m in ('numpy', 'scipy', 'numba', 'matplotlib') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
