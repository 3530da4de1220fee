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

from PIL import Image

HERE = Path(__file__).resolve().parent
COLOURS = 64  # of the pictures, so that their files stay small


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
                picture = Image.open(folder / words[-1]).convert("RGB")
                picture.quantize(COLOURS, dither=Image.Dither.NONE).save(HERE / "tasks" / words[-1], optimize=True)


if __name__ == "__main__":
    main()
