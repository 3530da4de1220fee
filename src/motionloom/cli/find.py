"""`motionloom find`: find stretches of a folder's clips that show the same action as a query."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionloom.cli.flags import argument, flag, option
from motionloom.cli.options import Json, load_all, plural, print_json, print_line, with_reading
from motionloom.cli.pairs import read_threshold
from motionloom.cli.progress_bars import busy, progress

if TYPE_CHECKING:
    from motionloom.recipes.matching import FileSpan, Library

WEB = ".matches"  # how the name of a stored match web ends


@with_reading(trim_tpose=True)
def find(
    query: Annotated[str, argument("QUERY", "A clip of the folder, or frames of it: walk.bvh#120-190.")],
    folder: Annotated[Path, argument("FOLDER", "The folder of clips.")],
    web: Annotated[Path | None, option("--web", "FILE", f"The stored match web; by default FOLDER{WEB} here.")] = None,
    threshold: Annotated[
        str, option("--threshold", "X", "Largest distance of similar frames (root mean square).")
    ] = "10cm",
    window: Annotated[
        float,
        option(
            "--window",
            "S",
            "Time around a frame that is compared: a short one compares poses, a long one speeds, too [s].",
            min=0.02,
            max=2.0,
        ),
    ] = 0.33,
    joints: Annotated[
        str, option("--joints", "NAME,NAME", "Joints that are compared: groups, roles or names.")
    ] = "all",
    rounds: Annotated[int, option("--rounds", "N", "Each match is a query of the next round; 1: none is.", min=1)] = 3,
    support: Annotated[
        int, option("--support", "N", "How many queries must lead to a match, from the second round on.", min=1)
    ] = 1,
    pictures: Annotated[Path | None, option("--pictures", "FOLDER", "Draw the query and each match.")] = None,
    cut: Annotated[
        Path | None, option("--cut", "FOLDER", "Write the query and all matches as clips (which are not searched).")
    ] = None,
    margin: Annotated[
        float, option("--margin", "S", "Motion before and after what is cut, as `learn` expects [s].", min=0.0, max=2.0)
    ] = 0.25,
    ask: Annotated[bool, flag("--ask", "Ask for each new match whether it is one; the answers are stored.")] = False,
    accept: Annotated[str, option("--accept", "N,N", "These matches are right; stored.")] = "",
    reject: Annotated[str, option("--reject", "N,N", "These are not; stored, and left out.")] = "",
    json: Json = False,
    *,
    reading: Any = None,
) -> None:
    """Find the stretches that show the same action as a query, in all clips of a folder (HECK 3.5).

    Similar stretches of all pairs of clips are found once and stored; then a query takes milliseconds. Matches are
    ranked by round and distance. Declined matches are left out, and nothing is looked for from them.
    """
    from motionloom.recipes.matching import (
        find_spans,
        load_decisions,
        query_span,
        rejected_spans,
        save_decisions,
        span_name,
    )  # fmt: skip

    stored = web or Path(f"{folder.resolve().name or 'root'}{WEB}")
    decided = stored.with_name(f"{stored.name}.json")
    near = read_threshold(threshold, "point-cloud") or 0.0
    library = opened(folder, stored, near, window, tuple(joints.split(",")), reading, apart=cut, quiet=json)
    span = query_span(library, query, folder)
    name = span_name(library, span)
    decisions = load_decisions(decided)
    rows = decisions.setdefault(name, {})
    refused = rejected_spans(library, rows, folder)
    found = find_spans(library, span, rounds=rounds, support=support, rejected=refused)
    names = [span_name(library, s) for s, _ in found]
    before = dict(rows)
    for numbers, yes in ((accept, True), (reject, False)):
        rows.update({names[n - 1]: yes for n in chosen(numbers, len(names))})
    if pictures is not None:
        draw(folder, library, span, [s for s, _ in found], pictures, reading)
    if ask:
        for n, one in enumerate(names, 1):
            if one not in rows:
                rows[one] = typer.confirm(f"{n}: is {one} a match?", default=True)
    if rows != before:
        save_decisions({q: r for q, r in decisions.items() if r}, decided)
    kept = [(s, m) for (s, m), one in zip(found, names, strict=True) if rows.get(one, True)]
    if cut is not None:
        write_cuts(folder, library, [span, *(s for s, _ in kept)], cut, margin, reading)
    if json:
        print_json(
            [
                {"clip": library.files[s.clip], "first": s.first, "last": s.last, "distance": m.distance,
                 "round": m.round, "decided": rows.get(span_name(library, s))}
                for s, m in kept
            ]
        )  # fmt: skip
        return
    print_line(f"{name}: {len(kept)} match{'' if len(kept) == 1 else 'es'}")
    for n, ((_, match), one) in enumerate(zip(found, names, strict=True), 1):
        answer = (", yes" if rows[one] else ", no") if one in rows else ""
        print_line(f"  {n:3d}  {one}  {100 * match.distance:.1f} cm, round {match.round}{answer}")


def chosen(text: str, count: int) -> list[int]:
    """Numbers of matches, from 1."""
    from motionloom.core import BadRequest

    try:
        numbers = [int(part) for part in text.split(",")] if text else []
    except ValueError:
        raise BadRequest(f"expected numbers of matches, as 1,4, found {text!r}") from None
    if any(not 1 <= n <= count for n in numbers):
        raise BadRequest(f"expected numbers from 1 to {count}, found {text!r}")
    return numbers


def opened(
    folder: Path,
    stored: Path,
    threshold: float,
    window: float,
    joints: tuple[str, ...],
    reading: Any,
    *,
    apart: Path | None,
    quiet: bool,
) -> Library:
    """The stored web of a folder; it is built where there is none, or where clips or settings are others.

    Clips in the folder `apart`, which the matches are written to, are not searched.
    """
    from motionloom.core import BadRequest
    from motionloom.io import expand_paths
    from motionloom.recipes.matching import build_library, load_current, save_library

    if not folder.is_dir():
        raise BadRequest(f"{folder}: expected a folder of clips")
    not_searched = {stored.resolve(), *([apart.resolve()] if apart else [])}
    clips = [p for p in expand_paths([str(folder)]) if not_searched.isdisjoint([p.resolve(), *p.resolve().parents])]
    settings: dict[str, Any] = {"threshold": threshold, "window": window, "joints": joints, "reading": reading}
    current = load_current(stored, folder, clips, **settings)
    if current is not None:
        return current
    loaded = load_all([str(path) for path in clips], reading)
    with busy("comparing clips") as report:
        library = build_library([p for p, _ in loaded], [c for _, c in loaded], folder, **settings, progress=report)
    save_library(library, stored)
    skipped = f"; {plural(library.web.skipped, 'pair')} with other skeletons skipped" if library.web.skipped else ""
    if not quiet:
        print_line(f"{stored}: {plural(len(library.files), 'clip')}, {plural(len(library.web.ends), 'path')}{skipped}")
    return library


def write_cuts(folder: Path, library: Library, spans: list[FileSpan], out: Path, margin: float, reading: Any) -> None:
    """Each stretch as a BVH file, with a margin of motion at both ends where its clip has it."""
    from motionloom.io import save
    from motionloom.recipes.matching import span_clip

    out.mkdir(parents=True, exist_ok=True)
    for s in progress(spans, "writing"):
        stem = library.files[s.clip].rpartition(".")[0].replace("/", "_")
        save(span_clip(library, s, folder, reading, margin=margin), out / f"{stem}_{s.first}-{s.last}.bvh")
    print_line(f"{out}: {plural(len(spans), 'clip')}")


def draw(folder: Path, library: Library, query: FileSpan, spans: list[FileSpan], out: Path, reading: Any) -> None:
    """A filmstrip of the query above each match."""
    from motionloom.plot.filmstrip import save_filmstrip
    from motionloom.recipes.matching import span_clip, span_name

    out.mkdir(parents=True, exist_ok=True)
    first = span_clip(library, query, folder, reading)
    with busy("drawing") as report:
        for n, s in enumerate(spans):
            report(n / len(spans), "drawing")
            titles = [span_name(library, query), span_name(library, s)]
            save_filmstrip(
                [first, span_clip(library, s, folder, reading)], out / f"match_{n + 1:03d}.png", titles=titles, poses=8,
                aligned=False,
            )  # fmt: skip
