"""`motionloom study`: let people rate clips, and analyse what they answered."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionloom.cli.flags import argument, flag, option
from motionloom.cli.options import Json, Seed, columns, load_all, plural, print_json, print_line, with_reading
from motionloom.cli.progress_bars import busy

if TYPE_CHECKING:
    from motionloom.core import Clip
    from motionloom.evaluate.study import Analysis

study = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Let people rate clips on a page of this machine, and analyse their ratings.",
)


@study.command("run")
@with_reading()
def run(
    group: Annotated[
        list[str], option("--group", "NAME=CLIPS", "A group of clips: a file, folder or wildcard; repeatable.")
    ],
    out: Annotated[Path, option("-o --out", "RATINGS.csv", "Ratings; those in it are kept.")],
    question: Annotated[str, flag("--question", "natural: single clips. repetitive: 15 clips in a row.")] = "natural",
    trials: Annotated[int, typer.Option("--trials", min=2, max=200, help="Clips that each participant rates.")] = 15,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0: any free one.")] = 0,
    seed: Seed = 0,
    *,
    reading: Any = None,
) -> None:
    """Serve a page on which people rate clips from 1 to 9, in random order, without knowing their group.

    The page is reachable from this machine alone. End it with Ctrl-C; ratings are written after each answer.
    """
    import numpy as np

    from motionloom.cli.study_server import HOST, Study, serve
    from motionloom.evaluate.study import Rating, make_trials, read_ratings
    from motionloom.io.atomic_files import check_place

    check_place(out)
    groups = _groups(group, reading)
    make_trials(groups, question, np.random.default_rng(seed), trials)  # errors come before the server starts
    earlier: tuple[Rating, ...] = read_ratings(out).answers if out.is_file() else ()
    running = Study(groups, question, out, seed, trials, earlier)
    server = serve(running, port)
    listed = ", ".join(f"{name} ({plural(len(clips), 'clip')})" for name, clips in groups.items())
    print_line(f"{listed}; open http://{HOST}:{server.server_address[1]}/ and end with Ctrl-C")
    try:
        server.serve_forever(poll_interval=0.2)
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()
    print_line(f"{out}: {plural(len(running.ratings()), 'answer')}")


@study.command()
def analyse(
    ratings: Annotated[Path, argument("RATINGS.csv", "A file that `study run` wrote.")],
    margin: Annotated[
        float, typer.Option("--margin", min=0.01, max=8, help="Rating points within which groups are equivalent.")
    ] = 1.0,
    out: Annotated[Path | None, option("-o --out", "DIR", "Folder for a box plot of each question.")] = None,
    json: Json = False,
) -> None:
    """Analyse ratings: means, analysis of variance (one-way, and within participants), and tests of equivalence.

    Rows without a rating are left out and counted; participants who did not rate every group are left out of the
    analysis within participants.
    """
    from motionloom.evaluate.study import analyse_ratings, read_ratings

    read = read_ratings(ratings)
    with busy("analysing") as report:
        found = analyse_ratings(read, margin=margin, progress=report)
    pictures = []
    if out is not None:
        from motionloom.plot.figures import save_figure
        from motionloom.plot.study import box_plot

        for k, one in enumerate(found):
            name = "".join(c if c.isalnum() else "_" for c in one.question)[:40] or str(k)
            pictures.append(out / f"{name}.png")
            save_figure(box_plot(one, read), pictures[-1], dpi=110)
    if json:
        print_json({"questions": [_plain(one) for one in found], "pictures": [str(p) for p in pictures]})
        return
    for one in found:
        _print(one)
    for picture in pictures:
        print_line(f"wrote {picture}")


def _groups(texts: list[str], reading: Any) -> dict[str, list[Clip]]:
    from motionloom.core import BadRequest

    out: dict[str, list[Clip]] = {}
    for text in texts:
        name, sign, where = text.partition("=")
        if not sign or not name.strip() or not where:
            raise BadRequest(f"--group: expected NAME=CLIPS, as ours=variants/, found {text!r}")
        out.setdefault(name.strip(), []).extend(clip for _, clip in load_all([where], reading))
    return out


def _plain(one: Analysis) -> dict[str, Any]:
    return {
        **one._asdict(),
        "groups": [group._asdict() for group in one.groups],
        "one_way": one.one_way._asdict(),
        "repeated": None if one.repeated is None else one.repeated._asdict(),
        "equivalences": [item._asdict() for item in one.equivalences],
    }


def _print(one: Analysis) -> None:
    """The analysis of one question as lines."""
    print_line(
        f"{one.question}: {plural(one.participants, 'participant')}, {plural(one.missing, 'row')} without a rating"
    )
    cells = [(g.name, str(g.ratings), f"{g.mean:.2f}", f"{g.deviation:.2f}", f"{g.quartiles[2]:g}") for g in one.groups]
    print_line("\n".join(columns(("group", "ratings", "mean", "deviation", "median"), cells, left=(0,))))
    for name, test in (("all ratings", one.one_way), ("within participants", one.repeated)):
        if test is not None:
            between, within = f"{test.between:.3g}", f"{test.within:.3g}"
            print_line(
                f"{name}: F({between}, {within}) = {test.f:.2f}, p = {test.p:.3g}, eta squared {test.eta_squared:.2f}"
            )
    if one.repeated is None:
        print_line("within participants: fewer than two rated every group")
    for e in one.equivalences:
        verdict = "equivalent" if e.p < 0.05 else "not shown to be equivalent"
        print_line(
            f"{e.second} - {e.first}: {e.difference:+.2f}, 90 % interval {e.low:.2f} to {e.high:.2f}; {verdict} "
            f"within {one.margin:g} (p = {e.p:.3g})"
        )
