"""The repository as a whole: its script, its pins, its files."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

import motionloom

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ("sh", "dirname", "cat", "cksum", "rm", "id", "echo")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="./run is a POSIX shell script")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The script and what it reads, in a folder with blanks in its name."""
    folder = tmp_path / "a folder" / "with blanks"
    folder.mkdir(parents=True)
    for name in ("run", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """An environment whose PATH has a shell's tools, and no Python."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in TOOLS:
        found = shutil.which(name)
        if found:
            (tools / name).symlink_to(found)
    return {"PATH": str(tools), "HOME": str(tmp_path)}


def call(*command: object, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload]


def test_run_says_what_is_missing_where_there_is_no_suitable_python(clone: Path, bare: dict[str, str]) -> None:
    old = Path(bare["PATH"]) / "python3"
    old.write_text("#!/bin/sh\nexit 1\n")  # what a Python 3.10 answers when it is asked for 3.11 to 3.13
    old.chmod(0o755)
    for command in ("demo", "test", "bench"):
        done = call(clone / "run", command, env=bare, cwd="/")
        assert done.returncode == 1
        assert "motionloom needs Python 3.11, 3.12 or 3.13, and found none of them on the PATH." in done.stderr
        assert not (clone / ".venv").exists()


def test_run_leaves_no_broken_environment_behind(clone: Path, bare: dict[str, str]) -> None:
    """Debian's python3 without python3-venv fails half-way: what it leaves is deleted, and the line to type is said."""
    half = Path(bare["PATH"]) / "python3"
    half.write_text(
        '#!/bin/sh\n[ "$1" = -c ] && exit 0\n/bin/mkdir -p .venv/bin\necho "ensurepip is not available"\nexit 1\n'
    )
    half.chmod(0o755)
    for _ in range(2):
        done = call(clone / "run", "demo", env=bare, cwd="/")
        assert done.returncode == 1
        assert "ensurepip is not available" in done.stderr
        assert "sudo apt-get install python3-venv" in done.stderr
        assert sorted(p.name for p in clone.iterdir()) == ["constraints.txt", "pyproject.toml", "run"]


def test_run_explains_itself_from_anywhere(clone: Path, bare: dict[str, str]) -> None:
    for word in ((), ("help",), ("--help",)):
        done = call(clone / "run", *word, env=bare, cwd="/")
        assert done.returncode == 0
        assert all(f"  {name}" in done.stdout for name in ("demo", "test", "docs", "wheel", "bench", "motionloom"))
    done = call(clone / "run", "dmeo", env=bare, cwd="/")
    assert done.returncode == 2
    assert "usage: ./run COMMAND" in done.stderr


def test_run_finds_files_where_the_caller_is(clone: Path, bare: dict[str, str], tmp_path: Path) -> None:
    """With an environment that is there already: the command is started in the caller's folder, and gets its words."""
    tools = clone / ".venv" / "bin"
    tools.mkdir(parents=True)
    for name, text in (("python", "exit 0"), ("motionloom", 'pwd; echo "$@"')):
        (tools / name).write_text(f"#!/bin/sh\n{text}\n")
        (tools / name).chmod(0o755)
    for _ in range(2):
        done = call(clone / "run", "motionloom", "info", "my walk.bvh", env=bare, cwd=tmp_path)
        assert done.returncode == 0
        assert done.stdout.splitlines()[-2:] == [str(tmp_path), "info my walk.bvh"]


def test_ci_runs_the_test_command_of_the_readme() -> None:
    assert "\n./run test\n" in (ROOT / ".ci" / "run").read_text()
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert os.access(ROOT / "run", os.X_OK)


def test_version_and_licence_are_the_same_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert motionloom.__version__ == project["version"] == citation["version"]
    assert project["license"] == citation["license"] == "MIT"
    assert (ROOT / "LICENSE").read_text().startswith("MIT License")
    assert f"\n## {project['version']}\n" in (ROOT / "CHANGELOG.md").read_text()


def test_every_requirement_is_pinned_so_that_a_commit_installs_the_same_tomorrow() -> None:
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if line and line[0] != "#"]
    assert all(re.fullmatch(r"[\w.-]+==[\w.+]+( *;.*)?", line) for line in lines)
    pinned = {_plain(line.partition("==")[0]) for line in lines}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    wanted += [r for extra in project["project"]["optional-dependencies"].values() for r in extra]
    needed = {_plain(re.split(r"[\s<>=!~;\[]", r)[0]) for r in wanted} - {"motionloom"}
    assert needed <= pinned, needed - pinned


def test_every_pinned_version_has_the_checksums_of_its_files() -> None:
    pins = (ROOT / "constraints.txt").read_text().split()
    listed = re.split(r"\n(?! )", (ROOT / "requirements.txt").read_text().rstrip())
    assert [entry.split()[0] for entry in listed] == pins
    assert all(re.fullmatch(r"\S+( \\\n    --hash=sha256:[0-9a-f]{64})+", entry) for entry in listed)
    assert "--require-hashes" in (ROOT / "run").read_text()


def _plain(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def test_no_source_file_has_two_subjects() -> None:
    long = {str(p.relative_to(ROOT)): n for p in (ROOT / "src").rglob("*.py") if (n := _lines(p)) >= 400}
    assert long == {}


def _lines(path: Path) -> int:
    return path.read_text("utf-8").count("\n")
