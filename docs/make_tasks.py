"""Runs the commands of docs/tasks.md and keeps their pictures: python docs/make_tasks.py [FOLDER]

FOLDER keeps the clips too, for looking at them; by default they are made in a temporary folder.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def commands() -> list[list[str]]:
    """The commands of the page, each as its words after `motionloom`."""
    lines = "".join(re.findall(r"```sh\n(.*?)```", (HERE / "tasks.md").read_text("utf-8"), re.DOTALL)).splitlines()
    return [shlex.split(line)[1:] for line in lines]


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else temporary).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        for words in commands():
            print("motionloom", shlex.join(words), flush=True)
            subprocess.run([sys.executable, "-P", "-m", "motionloom", *words], cwd=folder, check=True)
            if words[0] == "view":
                (HERE / "tasks" / words[-1]).write_bytes((folder / words[-1]).read_bytes())


if __name__ == "__main__":
    main()
