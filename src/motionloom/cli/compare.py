"""`motionloom compare`: several methods on the same clips, with the same measures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from motionloom.cli.flags import option
from motionloom.cli.options import Clips, Json, Seed, columns, load_all, plural, print_json, print_line, with_reading
from motionloom.cli.progress_bars import busy
from motionloom.cli.requests import RequestOption, Root, given_request


@with_reading(omit=("trim_tpose",))
def compare(
    clips: Clips,
    request: RequestOption,
    methods: Annotated[
        str,
        option("--methods", "NAMES", "`all`, or names: cuts,motion-graph; with settings: 'cuts,cuts: {shortest: 2s}'."),
    ] = "all",
    count: Annotated[int, option("--count", "N", "Takes of each method.", min=1)] = 2,
    budget: Annotated[
        float | None, option("--budget", "S", "Time limit for each method to learn and make takes [s].", min=0.1)
    ] = None,
    out: Annotated[Path | None, option("-o --out", "FILE.html", "Write a page with animated results.")] = None,
    seed: Seed = 0,
    root: Root = None,
    json: Json = False,
    *,
    reading: Any = None,
) -> None:
    """Run every method that honours the request on the same clips with the same seeds, and tabulate the results."""
    from motionloom.evaluate import compare_methods
    from motionloom.evaluate.compare.verdict import problem_lines, verdict_lines
    from motionloom.evaluate.tables import comparison_dict, comparison_rows

    loaded = [clip for _, clip in load_all(clips, reading)]
    constraints = given_request(request, clips, root)
    names = None if methods == "all" else _names(methods)
    with busy("comparing") as report:
        found = compare_methods(
            loaded, constraints, methods=names, seed=seed, count=count, budget=budget, progress=report
        )
    if out is not None:
        from motionloom.plot.quality import comparison_page

        comparison_page(found, out)
    if json:
        print_json(comparison_dict(found))
        return
    takes = f"seed {seed}, {plural(count, 'take')} of each"
    print_line(f"{plural(len(loaded), 'source clip')}, {takes}; windows compare {found.joints} joints")
    for note in found.notes:
        print_line(f"  {note}")
    print_line("\n".join(columns(*comparison_rows(found))))
    for line in problem_lines(found):
        print_line(f"  {line}")
    print_line("\n".join(verdict_lines(found)))
    if out is not None:
        print_line(f"{out}: the results as animations")


def _names(text: str) -> list[str]:
    """The methods of `--methods`, separated by commas outside of braces."""
    import re

    return [name.strip() for name in re.split(r",(?![^{]*\})", text) if name.strip()]
