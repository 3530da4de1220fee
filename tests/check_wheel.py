"""Build the wheel and try it in a new environment, without the clone: python tests/check_wheel.py

The package index must be reachable: the build tools and all requirements are installed as for a new user.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "motionloom"
LEFT_OUT = {"__pycache__"}


def run(*command: object, folder: Path) -> str:
    """The output of a command, run in `folder` without the Python settings of this process; exits if it fails."""
    outside = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")}
    print("+", *(Path(c).name if isinstance(c, Path) else c for c in command), flush=True)
    done = subprocess.run([str(c) for c in command], cwd=folder, env=outside, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{done.stdout}\n{done.stderr}\nexit code {done.returncode}")
    return done.stdout


def build(folder: Path) -> Path:
    """The wheel, built as `pip install .` builds it: in an environment of its own."""
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, ROOT, folder=folder)
    (wheel,) = folder.glob("motionloom-*.whl")
    return wheel


def check_content(wheel: Path) -> None:
    """Every file of the package is in the wheel, nothing of the tests is, and the metadata are complete."""
    names = set(zipfile.ZipFile(wheel).namelist())
    files = {p for p in PACKAGE.rglob("*") if p.is_file() and not LEFT_OUT & set(p.parts)}
    missing = {p.relative_to(PACKAGE.parent).as_posix() for p in files} - names
    assert not missing, f"not in the wheel: {sorted(missing)}"
    (metadata,) = (n for n in names if n.endswith("/METADATA"))
    others = {n for n in names if not n.startswith("motionloom/") and "dist-info/" not in n}
    assert not others, f"in the wheel, but not of the package: {sorted(others)}"
    text = zipfile.ZipFile(wheel).read(metadata).decode()
    for line in ("License-Expression: MIT", "License-File: LICENSE", "Provides-Extra: all", "Keywords:", "Classifier:"):
        assert line in text, f"{line!r} is not in the metadata"
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert f"Version: {version}" in text


def check_installed(wheel: Path, folder: Path) -> None:
    """The demo works with the wheel alone, without pictures, and with all extras; so does the README's Python."""
    home = folder / "environment"
    venv.create(home, with_pip=True)
    tools = home / ("Scripts" if os.name == "nt" else "bin")
    python, motionloom = tools / "python", tools / "motionloom"
    pins = ROOT / "constraints.txt"
    run(python, "-m", "pip", "install", "--quiet", "-c", pins, wheel, folder=folder)
    place = run(python, "-c", "import motionloom; print(motionloom.__file__)", folder=folder).strip()
    assert Path(place).is_relative_to(home), place
    print(run(motionloom, "--version", folder=folder).strip())
    work = folder / "work"
    work.mkdir()
    run(motionloom, "demo", "-o", work / "base", folder=work)
    assert "motionloom[plot]" in (work / "base" / "index.html").read_text("utf-8")
    run(python, "-m", "pip", "install", "--quiet", "-c", pins, f"{wheel}[all]", folder=folder)
    run(motionloom, "demo", "-o", work / "out", folder=work)
    assert (work / "out" / "index.html").stat().st_size > 100_000
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    run(python, "-c", code, folder=work)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = build(folder)
        check_content(wheel)
        check_installed(wheel, folder)
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB, works outside the clone")


if __name__ == "__main__":
    main()
