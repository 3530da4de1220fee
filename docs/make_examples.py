"""Runs every numbered example and writes docs/examples.md with its code and picture: python docs/make_examples.py"""

from __future__ import annotations

import ast
import runpy
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
FOLDER = HERE.parent / "examples"
EXAMPLES = sorted(FOLDER.glob("[0-9][0-9]_*.py"))
WIDTH = 800  # pixels of a picture

INTRO = """# Examples

<!-- Made from examples/ by docs/make_examples.py: edit the example, and run it. -->

Programs of a page each, in `examples/` of the repository. Each runs alone, in under a minute, on clips
that it computes itself: `python examples/00_read_a_file.py`. The tests run all of them.
Requests for each method, with comments, are in `examples/requests/`.
"""


def section(path: Path) -> str:
    """Title, picture and code of an example."""
    code = path.read_text("utf-8")
    title = (ast.get_docstring(ast.parse(code)) or "").partition("\n")[0].splitlines()[0]
    head, _, rest = title.partition(": ")
    text = rest[:1].upper() + rest[1:]
    return f"## {head}\n\n{text}\n\n![{head}](examples/{path.stem}.png)\n\n```python\n{code.strip()}\n```\n"


def page() -> str:
    """The whole page."""
    return "\n".join([INTRO, *map(section, EXAMPLES)])


def shrink(source: Path, target: Path) -> None:
    """The picture in few pixels and colours, so that the file stays small."""
    from PIL import Image

    picture = Image.open(source).convert("RGB")
    size = (WIDTH, round(picture.height * WIDTH / picture.width))
    small = picture.resize(size, Image.Resampling.LANCZOS) if picture.width > WIDTH else picture
    small.quantize(64, dither=Image.Dither.NONE).save(target, optimize=True)


def main() -> None:
    """The page, and a picture of every example."""
    (HERE / "examples").mkdir(exist_ok=True)
    (HERE / "examples.md").write_text(page(), "utf-8")
    for path in EXAMPLES:
        with tempfile.TemporaryDirectory() as folder:
            sys.argv = [str(path), folder]
            runpy.run_path(str(path), run_name="__main__")
            shrink(Path(folder) / f"{path.stem}.png", HERE / "examples" / f"{path.stem}.png")


if __name__ == "__main__":
    main()
