"""The application as a whole."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from motionloom.cli.app import COMMANDS, GROUPS, app, exit_code
from motionloom.core import BadRequest, FormatError, Unmet, compiling
from motionloom.methods import METHODS


def test_help_lists_every_command_in_its_group(run: Any) -> None:
    answer = run("--help")
    assert answer.code == 0
    for group, following in zip(GROUPS, (*GROUPS[1:], None), strict=True):
        text = answer.out.partition(f"\n{group}:\n")[2].partition(f"\n{following}:\n")[0]
        listed = [line.split()[0] for line in text.splitlines() if line.startswith("  ") and line[2] != " "]
        assert listed == [name for name, command in COMMANDS.items() if command.group == group]


def test_commands_of_single_methods_come_from_the_table_of_methods(run: Any) -> None:
    for method in METHODS.values():
        for name in method.commands:
            assert COMMANDS[name].module == f"motionloom.cli.methods.{method.folder}"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_reports_that_kernels_are_compiled(run: Any, command: str, monkeypatch: Any) -> None:
    """Also those that show no progress: `choices` once compiled for half a minute without a word."""
    monkeypatch.setattr(compiling, "_notices", [])
    run(command, "--help")
    assert len(compiling._notices) == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(run: Any, command: str) -> None:
    answer = run(command, "--help")
    assert answer.code == 0
    assert "Usage:" in answer.out


def test_the_version_is_the_package_s(run: Any) -> None:
    assert run("--version").out.strip() == f"motionloom {version('motionloom')}"


def test_an_unknown_command_is_wrong_usage(run: Any) -> None:
    answer = run("infos")
    assert answer.code == 2
    assert "no command 'infos'; did you mean 'info'?" in answer.err


def test_the_exit_code_is_2_for_wrong_usage_1_for_other_mistakes_and_none_for_ours() -> None:
    assert exit_code(BadRequest("x")) == 2
    assert exit_code(FormatError("x")) == 1
    assert exit_code(Unmet("x")) == 1
    assert exit_code(ZeroDivisionError()) is None
    assert exit_code(BrokenPipeError()) is None


def test_a_machine_that_refuses_is_one_line_too(run: Any, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    answer = run("demo", "-o", tmp_path / "file" / "out", "--only", "cleaning")
    assert (answer.code, answer.err) == (1, f"motionloom: {tmp_path / 'file' / 'out' / 'clips'}: Not a directory\n")
    for name in ("walk.png", "walk.html"):
        answer = run("view", folder / "walk_1.bvh", "-o", tmp_path / "file" / name)
        assert (answer.code, answer.err) == (
            1,
            f"motionloom: {name}: cannot be written: {tmp_path / 'file'} is a file, not a folder\n",
        )


def test_more_than_the_memory_holds_is_one_line_too(
    run: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOTIONLOOM_LIMITS", "seconds=1e14 frames=1e16")
    assert run("learn", "cuts", folder / "walk_1.bvh", "-o", tmp_path / "walk.loom").code == 0
    answer = run("synthesize", tmp_path / "walk.loom", "-r", "{seconds: 1e13}", "-o", tmp_path / "long.bvh")
    assert answer.code == 1
    assert answer.err.startswith("motionloom: not enough memory")


def test_help_imports_no_numbers_library() -> None:
    code = (
        "import sys\nfrom motionloom.cli.app import app\n"
        "try:\n    app(['--help'])\nexcept SystemExit:\n    pass\n"
        "print([m for m in ('numpy', 'scipy', 'numba', 'matplotlib', 'yaml', 'rich.table') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_info_of_one_clip_imports_no_large_library(folder: Path) -> None:
    """What takes time at the start are imports: half a second of processor time is all that there is."""
    code = (
        f"import sys\nfrom motionloom.cli.app import app\n"
        f"try:\n    app(['info', {str(folder / 'walk_1.bvh')!r}])\nexcept SystemExit:\n    pass\n"
        "print([m for m in ('scipy', 'numba', 'matplotlib', 'yaml', 'PIL') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "walk_1" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_entry_point_is_this_application() -> None:
    from motionloom import cli

    assert callable(cli.main)
    assert app.info.help


def test_warm_uses_a_method_once_and_rejects_unknown_ones(run):
    answer = run("warm", "cuts")
    assert answer.code == 0
    assert answer.out == "cuts: ready\n"
    wrong = run("warm", "cutz")
    assert wrong.code == 2
    assert "did you mean 'cuts'" in wrong.err


def test_after_warm_files_edits_and_live_characters_need_no_compiling():
    """Each kernel that these use has been compiled, or read from the cache, in the process that ran `warm`."""
    code = """
from motionloom.cli.warm import warm
warm(["motion-graph"])
from motionloom.io.bvh import _kernels as bvh
from motionloom.kinematics.feet import _kernels_lock as lock
from motionloom.blend.splice import _kernels as splice
used = (bvh.parse_rows, bvh.format_rows, lock.lock_step, splice.best_rotation)
print([kernel.py_func.__name__ for kernel in used if not kernel.signatures])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_commands_use_one_blas_thread_unless_the_environment_states_a_number():
    """Models do not depend on the number of cores, and small matrices are not shared out."""
    code = "import os, sys; sys.argv = ['motionloom', '--version']\nfrom motionloom.cli import main\n"
    code += "try:\n    main()\nfinally:\n    print(os.environ['OPENBLAS_NUM_THREADS'], 'numpy' in sys.modules)"
    for given, used in ((None, "1"), ("2", "2")):
        environment = {k: v for k, v in os.environ.items() if k != "OPENBLAS_NUM_THREADS"}
        environment |= {} if given is None else {"OPENBLAS_NUM_THREADS": given}
        done = subprocess.run([sys.executable, "-P", "-c", code], env=environment, capture_output=True, text=True)
        assert done.stdout.split()[-2:] == [used, "False"]


def test_a_command_ends_without_another_search_for_cycles():
    """Python's own at its exit took 0.2 s of the half second that Ctrl-C may take."""
    code = "import gc, sys; sys.argv = ['motionloom', '--version']\nfrom motionloom.cli import main\n"
    code += "try:\n    main()\nfinally:\n    print(len(gc.get_objects()))"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True)
    assert int(done.stdout.split()[-1]) < 100
