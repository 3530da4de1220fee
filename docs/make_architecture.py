"""Draws the path of a clip through the code, docs/architecture.svg: python docs/make_architecture.py

Every box names a function of the package; tests/test_architecture.py checks that all of them exist.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
WIDTH, HEIGHT, GAP, TOP = 224, 78, 26, 52


class Stage(NamedTuple):
    """One box: a title, the function that does it, and what it does in one line."""

    title: str
    function: str  # module and name, below `motionloom.`
    text: str


LANES: dict[str, tuple[Stage, ...]] = {
    "learn": (
        Stage("walk.bvh", "", "clips in files, and their side files"),
        Stage("read", "io.formats.load", "metres, y up, labels, licence, roles"),
        Stage("prepare", "methods.prepare_clips.prepare", "one skeleton, one frame rate, no T-pose"),
        Stage("fit", "methods.learning.learn", "the method's own fit makes a Model"),
        Stage("walks.loom", "methods.store.save_model", "arrays and a JSON header"),
    ),
    "synthesize": (
        Stage("request.yaml", "constraints.Request.from_file", "constraints, length, options"),
        Stage("check", "methods.request_check.check_request", "all problems, before any work"),
        Stage("plan", "methods.base.Model.plan", "what is shown when"),
        Stage("render", "methods.base.Model.render", "frames; hard constraints hold"),
        Stage("finish", "methods.finish.finish", "feet cleaned, residuals checked"),
    ),
    "result": (
        Stage("sign", "methods.synthesis.signed", "origin of every frame, recipe, licence"),
        Stage("write", "io.formats.save", "long.bvh and long.origin.json"),
        Stage("measure", "evaluate.evaluate_clips", "quality relative to the source"),
        Stage("draw", "plot.filmstrip.save_filmstrip", "filmstrip, player, pages"),
        Stage("repeat", "recipes.repeat.again", "the same bytes from the recipe"),
    ),
}
COLOURS = {"learn": "#dbeafe", "synthesize": "#dcfce7", "result": "#fef3c7"}


def box(stage: Stage, x: int, y: int, colour: str) -> str:
    """A stage as a rounded rectangle with three lines of text."""
    lines = [(stage.title, 20, "bold 15px"), (stage.function, 42, "11px"), (stage.text, 63, "12px")]
    words = "".join(
        f'<text x="{x + WIDTH / 2}" y="{y + dy}" text-anchor="middle" '
        f'style="font:{font} {"monospace" if dy == 42 else "sans-serif"}" fill="#111">{escape(text)}</text>'
        for text, dy, font in lines
        if text
    )
    shape = f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="8" fill="{colour}" stroke="#475569"/>'
    return shape + words


def arrow(x1: float, y1: float, x2: float, y2: float) -> str:
    """A straight arrow."""
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="#475569" stroke-width="2" marker-end="url(#head)"/>'


def draw() -> str:
    """The picture: one lane for learning, one for synthesis, one for the result."""
    step_x, step_y = WIDTH + GAP, HEIGHT + 58
    width, height = 5 * step_x + 20, len(LANES) * step_y + 36
    tip = '<path d="M0 0 L8 4 L0 8 z" fill="#475569"/>'
    facts = 'viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        "<title>The path of a clip from file to result</title>",
        f'<defs><marker id="head" {facts}>{tip}</marker></defs>',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for row, (lane, stages) in enumerate(LANES.items()):
        y = TOP + row * step_y
        parts.append(f'<text x="20" y="{y - 12}" style="font:bold 14px sans-serif" fill="#334155">{lane}</text>')
        for column, stage in enumerate(stages):
            x = 20 + column * step_x
            parts.append(box(stage, x, y, COLOURS[lane]))
            chained = lane != "result" or column == 0  # measure, draw and repeat all start from the written file
            if column and (chained or column == 1):
                parts.append(arrow(x - GAP, y + HEIGHT / 2, x, y + HEIGHT / 2))
    low = TOP + HEIGHT
    model, planned = 20 + 4 * step_x + WIDTH / 2, 20 + 2 * step_x + WIDTH / 2
    parts.append(arrow(model - WIDTH / 2, low, planned + 40, TOP + step_y))  # the model is planned with
    last = 20 + 4 * step_x
    parts.append(arrow(last, TOP + step_y + HEIGHT, 20 + WIDTH, TOP + 2 * step_y))
    bottom, written = TOP + 2 * step_y + HEIGHT, 20 + step_x + WIDTH / 2
    for column in (2, 3, 4):
        end = 20 + column * step_x + WIDTH / 2
        curve = f"M{written} {bottom} C{written} {bottom + 34} {end} {bottom + 34} {end} {bottom + 2}"
        parts.append(f'<path d="{curve}" fill="none" stroke="#475569" stroke-width="2" marker-end="url(#head)"/>')
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    (HERE / "architecture.svg").write_text(draw(), "utf-8")
