"""`motionloom similar`: which frames of two clips look alike."""

from __future__ import annotations

import json as text
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionloom.cli.bars import busy
from motionloom.cli.options import Fps, Json, Roles, Unit, Up, print_json, say, warn

if TYPE_CHECKING:
    from motionloom.analysis import Similarity
    from motionloom.core import Clip

MeasureName = Annotated[
    str,
    typer.Option("--measure", metavar="NAME", help="joint-angles, joint-positions, point-cloud or curvature."),
]
ClipA = Annotated[Path, typer.Argument(metavar="A", help="A clip.", show_default=False)]
ClipB = Annotated[Path, typer.Argument(metavar="B", help="A clip with the same joints.", show_default=False)]
Share = Annotated[float, typer.Option("--share", metavar="PERCENT", help="Keep the best pairs, this many of 100 [%].")]
KeepTpose = Annotated[bool, typer.Option("--trim-tpose/--keep-tpose", help="Drop a T-pose in frame 0.")]
WeightSet = Annotated[
    str | None,
    typer.Option("--weights", metavar="SET", help="Joint weights: uniform, lee, wang-bodenheimer, or role=w,role=w."),
]


def similar(
    a: ClipA,
    b: ClipB,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="Folder for the results.")],
    measure: MeasureName = "point-cloud",
    share: Share = 1.0,
    threshold: Annotated[
        float | None, typer.Option("--threshold", metavar="X", help="Keep all pairs up to this, in the measure's unit.")
    ] = None,
    minima: Annotated[bool, typer.Option("--minima", help="Keep only local minima among them.")] = False,
    contacts: Annotated[
        bool, typer.Option("--contacts", help="Keep only pairs with the same feet on the ground.")
    ] = False,
    window: Annotated[
        float | None, typer.Option("--window", metavar="S", help="Window length of point-cloud and curvature [s].")
    ] = None,
    weights: WeightSet = None,
    json: Json = False,
    unit: Unit = None,
    up: Up = None,
    fps: Fps = None,
    trim_tpose: KeepTpose = True,
    roles: Roles = None,
) -> None:
    """Compare every frame of A with every frame of B: matrix.npz, pairs.csv, matrix.png and similar.json in DIR.

    With curvature also curvature.png: how feet and hands bend their ways.

    Clips of different frame rates are compared at the lower one.
    """
    from motionloom.analysis import find_similar, measure_named

    one, other = load_two(a, b, unit=unit, up=up, fps=fps, trim_tpose=trim_tpose, roles=roles)
    radius = None if window is None else max(1, round(window * one.fps / 2))
    chosen = measure_named(measure, weights=read_weights(weights), radius=radius)
    if contacts:
        from motionloom.kinematics.feet.contacts import with_contacts

        one, other = with_contacts(one), with_contacts(other)
    rules: dict[str, Any] = {"threshold": threshold, "minima": minima, "contacts": contacts}
    with busy("comparing") as report:
        found = find_similar(one, other, chosen, share=part_of(share), **rules, progress=report)
    summary = write_similarity(found, out)
    if json:
        print_json(summary)
        return
    say(f"{out}: {len(found.pairs)} pairs of {found.matrix.size:,} under {measure}")
    for pair in summary["best"]:
        said = f"{pair['value']:.4g} {summary['unit']}"
        say(f"  {one.name} {pair['seconds_a']:.2f} s   {other.name} {pair['seconds_b']:.2f} s   {said}")


def part_of(percent: float) -> float:
    """`--share` in percent as a part of 1, checked."""
    from motionloom.core import BadRequest

    if not 0 < percent <= 100:
        raise BadRequest(f"--share: expected more than 0 and at most 100 %, found {percent:g}")
    return percent / 100


def load_two(a: Path, b: Path, **options: Any) -> tuple[Clip, Clip]:
    """Both clips at one frame rate; a resampled one is said."""
    from motionloom.analysis import same_rate
    from motionloom.io import load

    first, second = load(a, **options), load(b, **options)
    one, other = same_rate(first, second)
    report_rates((first, one), (second, other))
    return one, other


def report_rates(*pairs: tuple[Clip, Clip]) -> None:
    """A warning for each clip that was resampled to the other one's frame rate."""
    for before, after in pairs:
        if before.fps != after.fps:
            warn(f"{before.name} resampled from {before.fps:g} to {after.fps:g} fps, to compare like with like")


def read_weights(said: str | None) -> Any:
    """`lee`, or `left_arm=2,head=0.5`, as the library takes it."""
    if said is None or "=" not in said:
        return said
    from motionloom.core import BadRequest

    table = {}
    for part in said.split(","):
        name, _, value = part.partition("=")
        try:
            table[name.strip()] = float(value)
        except ValueError:
            raise BadRequest(f"--weights: expected role=number, found {part!r}") from None
    return table


def write_similarity(found: Similarity, folder: Path) -> dict[str, Any]:
    """matrix.npz, pairs.csv, matrix.png and similar.json; the summary is returned."""
    import numpy as np

    from motionloom.analysis.similarity import readable
    from motionloom.plot.figures import save_figure
    from motionloom.plot.similarity import similarity_matrix

    folder.mkdir(parents=True, exist_ok=True)
    a, b, pairs = found.a, found.b, found.pairs
    np.savez_compressed(folder / "matrix.npz", values=found.matrix, first=found.first, fps=(a.fps, b.fps))
    values, unit = readable(found.measure.unit, pairs.values)
    lines = ["frame_a,frame_b,seconds_a,seconds_b,value"]
    rows = [
        {
            "frame_a": int(i),
            "frame_b": int(j),
            "seconds_a": round(int(i) / a.fps, 4),
            "seconds_b": round(int(j) / b.fps, 4),
            "value": float(f"{v:.6g}"),
        }
        for (i, j), v in zip(pairs.frames, values, strict=True)
    ]
    lines += [",".join(str(v) for v in row.values()) for row in rows]
    (folder / "pairs.csv").write_text("\n".join(lines) + "\n")
    save_figure(similarity_matrix(found).figure, folder / "matrix.png")
    summary = {
        "measure": found.measure.name,
        "unit": unit,
        "a": {"name": a.name, "frames": len(a), "fps": a.fps},
        "b": {"name": b.name, "frames": len(b), "fps": b.fps},
        "first_frames": list(found.first),
        "shape": list(found.matrix.shape),
        "pairs": len(pairs),
        "best": rows[:5],
        "files": ["matrix.npz", "pairs.csv", "matrix.png", "similar.json"],
    }
    if found.measure.name == "curvature":
        _draw_curvatures(found, folder / "curvature.png")
        summary["files"] = [*summary["files"], "curvature.png"]  # type: ignore[misc]
    (folder / "similar.json").write_text(text.dumps(summary, indent=2) + "\n")
    return summary


def _draw_curvatures(found: Similarity, path: Path) -> None:
    """The curvature of feet and hands of both clips, one above the other."""
    from motionloom.analysis.bend import joint_curvatures
    from motionloom.plot.figures import new_figure, save_figure
    from motionloom.plot.similarity import curvature_curves

    figure = new_figure(11.0, 5.5)  # hands bend their ways far less than feet: a scale of their own
    for row, clip in zip(figure.subplots(2, 2), (found.a, found.b), strict=True):
        bends, body = joint_curvatures(clip), clip.skeleton
        for ax, part, rest in zip(row, ("foot", "hand"), (0, len(body) - 1), strict=True):
            found_joints = [j for side in ("left", "right") if (j := body.find(f"{side}_{part}")) is not None]
            curves = {body.names[j]: bends[:, j] for j in found_joints or [rest]}
            curvature_curves(curves, clip.fps, title=clip.name, ax=ax)
    save_figure(figure, path)
