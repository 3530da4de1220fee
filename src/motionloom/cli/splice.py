"""`motionloom splice`: put the action of one clip on the locomotion of another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionloom.cli.flags import argument, flag, option
from motionloom.cli.options import (
    Force,
    Json,
    columns,
    for_each,
    plural,
    print_json,
    print_line,
    read_clip,
    warn,
    with_reading,
)
from motionloom.cli.progress_bars import busy

if TYPE_CHECKING:
    from motionloom.blend.splice import Splice
    from motionloom.core import Clip

STAGES = ("time", "space", "posture", "pace", "steady")


@with_reading(trim_tpose=True, rates="Frame rate of the files, or of UPPER and of LOWER: 60,120 [frames/s].")
def splice(
    upper: Annotated[str, argument("UPPER", "The action: a file, a folder or a wildcard.")],
    lower: Annotated[str, argument("LOWER", "The locomotion: a file, a folder or a wildcard.")],
    out: Annotated[Path, option("-o --out", "OUT", "A file; a folder if there are several actions or walks.")],
    plain: Annotated[
        Path | None, option("--plain", "CLIP", "A plain walk of the action's performer: transfer only what differs.")
    ] = None,
    without: Annotated[
        list[str] | None,
        option("--without", "STAGE", "Leave out a stage: time, space, posture, pace, steady; repeatable."),
    ] = None,
    baseline: Annotated[
        str | None, option("--baseline", "NAME", "For comparison: naive, time (aligned in time only), global.")
    ] = None,
    cut: Annotated[
        str,
        option(
            "--cut",
            "PART",
            "What is taken from the action: upper, arms, hands, head, left_arm, right_hand and so on, or any "
            "joint above the hips with all that hangs on it; several with commas.",
        ),
    ] = "upper",
    crop: Annotated[bool, flag("--crop", "End where the action is over, if it is too short.")] = False,
    picture: Annotated[bool, flag("--picture", "Write a filmstrip (.png) of action, walk and result.")] = False,
    force: Force = False,
    json: Json = False,
    *,
    reading: Any = None,
) -> None:
    """Put the upper body of UPPER on the legs of LOWER: in step, upright as the legs require, in the action's posture.

    Hips and legs are those of LOWER, unchanged; the joints above the first spine joint are those of UPPER, timed by its
    legs. Both clips must show steps. A shorter UPPER is repeated if it is cyclic. Of several actions and walks, every
    action is put on every walk; pairs that do not fit are left out and listed, and the exit code is then 1.
    """
    from motionloom.core import BadRequest, Cancelled, MotionloomError, part
    from motionloom.io import check_target, expand_paths, save
    from motionloom.recipes.splicing import splice as splice_clips

    actions, walks = expand_paths([upper]), expand_paths([lower])
    several = len(actions) * len(walks) > 1
    options: dict[str, Any] = {**_stages(without or [], baseline), "cut": cut, "crop": crop}
    targets = {
        (a, b): out / f"{a.stem}_on_{b.stem}.bvh" if several or out.suffix == "" else out
        for a in actions
        for b in walks
    }
    if len(set(targets.values())) < len(targets):
        raise BadRequest("several clips have the same name, so their results would overwrite each other")
    for target in targets.values():
        check_target(target, overwrite=force)
    of_upper, of_lower = for_each(reading, 2)
    usual = None if plain is None else read_clip(plain, of_upper)
    uppers, lowers = ({p: read_clip(p, r) for p in ps} for ps, r in ((actions, of_upper), (walks, of_lower)))
    results: list[dict[str, Any]] = []
    failed: list[dict[str, Any]] = []
    with busy("splicing") as report:
        for i, ((a, b), target) in enumerate(targets.items()):
            now = part(report, i / len(targets), (i + 1) / len(targets))
            try:
                made = splice_clips(uppers[a], lowers[b], plain=usual, **options, progress=now)
            except MotionloomError as error:
                if not several or isinstance(error, Cancelled):
                    raise
                failed.append({"out": None, "upper": str(a), "lower": str(b), "error": str(error)})
                continue
            save(made.clip, target, progress=now)
            if picture:
                _draw(made, uppers[a].name, lowers[b], target)
            results.append(_summary(made, target, a, b))
    if json:
        print_json([*results, *failed])
    else:
        _print(results, len(actions), len(walks))
        for pair in failed:
            warn(f"{pair['upper']} on {pair['lower']}: {pair['error']}")
    if failed:
        raise typer.Exit(1)


def _stages(without: Sequence[str], baseline: str | None) -> dict[str, Any]:
    """The stages as options of the recipe."""
    from dataclasses import asdict

    from motionloom.blend.splice import BASELINES
    from motionloom.core import BadRequest
    from motionloom.core.errors import unknown

    wrong = [name for name in without if name not in STAGES]
    if wrong:
        raise BadRequest(f"--without: expected {', '.join(STAGES)}, found {wrong[0]!r}")
    if baseline is None:
        space = "local" if "space" in without else "aligned"
        return {"space": space, **{name: name not in without for name in STAGES if name != "space"}}
    if without:
        raise BadRequest("--baseline already leaves out stages: give it without --without")
    if baseline not in BASELINES:
        raise BadRequest(unknown(baseline, BASELINES, "baseline"))
    return asdict(BASELINES[baseline])


def _summary(made: Splice, target: Path, upper: Path, lower: Path) -> dict[str, Any]:
    from motionloom.core.note import as_dicts

    timing = made.timing
    own = made.clip.origin.notes
    return {
        "out": str(target),
        "upper": str(upper),
        "lower": str(lower),
        "frames": len(made.clip),
        "fps": made.clip.fps,
        "repeated_s": None if made.loop is None else [round(f / made.upper.fps, 3) for f in made.loop[:2]],
        "cost_cm": None if timing is None else round(100 * timing.cost, 2),
        "crop_s": None if timing is None else round(float(made.action_time(timing.crop)), 3),
        "at_slope_limit": None if timing is None else round(timing.limited, 3),
        "notes": as_dicts(own),
    }


def _draw(made: Splice, action: str, lower: Clip, target: Path) -> None:
    """The action at the times that were used, turned to the way of the walk, the walk and the result, time by time."""
    from motionloom.analysis import at_times
    from motionloom.core import replace
    from motionloom.kinematics.travel import turned
    from motionloom.plot.filmstrip import save_filmstrip
    from motionloom.plot.view import best_yaw

    shown = replace(at_times(made.upper, made.seconds), fps=lower.fps)
    rows = [turned(shown, best_yaw(lower, 1.0) - best_yaw(shown, 1.0)), lower[: len(made.clip)], made.clip]
    titles = [f"{action}, timed by the legs of {lower.name}", lower.name, target.stem]
    save_filmstrip(rows, target.with_suffix(".png"), titles=titles)


def _print(results: Sequence[dict[str, Any]], actions: int, walks: int) -> None:
    rows = [
        (
            r["out"],
            str(r["frames"]),
            "-" if r["cost_cm"] is None else f"{r['cost_cm']:.1f} cm",
            "-" if r["crop_s"] is None else f"{r['crop_s']:.2f} s",
            "no" if r["repeated_s"] is None else "{:.1f} to {:.1f} s".format(*r["repeated_s"]),
        )
        for r in results
    ]
    print_line("\n".join(columns(("clip", "frames", "legs differ", "action from", "repeated"), rows)))
    if len(results) > 1:
        print_line(f"{plural(actions, 'action')} and {plural(walks, 'walk')}: {len(results)} combinations")
    for r in results:
        for note in r["notes"]:
            if note.get("level") == "warning":
                warn(f"{r['out']}: {note['text']}")
