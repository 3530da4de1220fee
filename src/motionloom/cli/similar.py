"""`motionloom similar`: find the most similar frames of two clips."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from motionloom.cli.flags import flag, option
from motionloom.cli.options import Json, print_json, print_line, with_reading
from motionloom.cli.pairs import (
    RATES_OF_TWO,
    ClipA,
    ClipB,
    MeasureName,
    OutFolder,
    Share,
    clip_dict,
    fraction,
    load_two,
    read_threshold,
    with_measure,
    write_csv,
    write_json,
)
from motionloom.cli.progress_bars import busy

if TYPE_CHECKING:
    from motionloom.analysis import Similarity


@with_reading(trim_tpose=True, rates=RATES_OF_TWO)
@with_measure
def similar(
    a: ClipA,
    b: ClipB,
    out: OutFolder,
    measure: MeasureName = "point-cloud",
    share: Share = 1.0,
    threshold: Annotated[
        str | None,
        option(
            "--threshold",
            "X",
            "Keep all pairs up to this distance: 8cm (root mean square) for point-cloud; for other measures a "
            "number in their unit.",
        ),
    ] = None,
    minima: Annotated[bool, flag("--minima", "Keep only local minima among them.")] = False,
    contacts: Annotated[bool, flag("--contacts", "Keep only pairs with the same feet on the ground.")] = False,
    window: Annotated[float | None, option("--window", "S", "Window length of point-cloud and curvature [s].")] = None,
    json: Json = False,
    *,
    reading: Any = None,
    measuring: Any = None,
) -> None:
    """Compare every frame of A with every frame of B: matrix.npz, pairs.csv, matrix.png and similar.json in DIR.

    For curvature also curvature.png: the curvature of the paths of feet and hands.

    Clips of different frame rates are compared at the lower one.
    """
    from motionloom.analysis import Curvature, find_similar, measure_named
    from motionloom.kinematics import with_contacts

    one, other = load_two(a, b, reading)
    radius = None if window is None else max(1, round(window * one.fps / 2))
    chosen = measure_named(measure, radius=radius, **measuring)
    if contacts:
        one, other = with_contacts(one), with_contacts(other)
    rules: dict[str, Any] = {"threshold": read_threshold(threshold, measure), "minima": minima, "contacts": contacts}
    with busy("comparing") as report:
        found = find_similar(one, other, chosen, share=fraction(share), **rules, progress=report)
    summary = write_similarity(found, out)
    if json:
        print_json(summary)
        return
    print_line(f"{out}: {len(found.pairs)} pairs of {found.matrix.size:,} by {measure}")
    if isinstance(chosen, Curvature) and threshold is None and chosen.share < fraction(share):
        print_line(f"  the first stage lets {100 * chosen.share:g} % of the pairs pass (--candidates), not {share:g} %")
    for pair in summary["best"]:
        value = f"{pair['value']:.4g} {summary['unit']}"
        print_line(f"  {one.name} {pair['seconds_a']:.2f} s   {other.name} {pair['seconds_b']:.2f} s   {value}")


def write_similarity(found: Similarity, folder: Path) -> dict[str, Any]:
    """Write matrix.npz, pairs.csv, matrix.png and similar.json; returns the content of the last."""
    import io

    import numpy as np

    from motionloom.analysis.similarity import readable
    from motionloom.io.atomic_files import write_whole
    from motionloom.plot.figures import save_figure
    from motionloom.plot.similarity import similarity_matrix

    a, b, pairs = found.a, found.b, found.pairs
    arrays = io.BytesIO()
    np.savez_compressed(arrays, values=found.matrix, first=found.first, fps=(a.fps, b.fps))
    write_whole(folder / "matrix.npz", [arrays.getvalue()])
    values, unit = readable(found.measure.unit, pairs.values)
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
    write_csv("frame_a,frame_b,seconds_a,seconds_b,value", [list(row.values()) for row in rows], folder / "pairs.csv")
    save_figure(similarity_matrix(found).figure, folder / "matrix.png")
    files = ["matrix.npz", "pairs.csv", "matrix.png", "similar.json"]
    if found.measure.name == "curvature":
        _draw_curvatures(found, folder / "curvature.png")
        files.append("curvature.png")
    summary = {
        "measure": found.measure.name,
        "unit": unit,
        "a": clip_dict(a),
        "b": clip_dict(b),
        "first_frames": list(found.first),
        "shape": list(found.matrix.shape),
        "pairs": len(pairs),
        "best": rows[:5],
        "files": files,
    }
    write_json(summary, folder / "similar.json")
    return summary


def _draw_curvatures(found: Similarity, path: Path) -> None:
    """The curvature of feet and hands of both clips, one above the other."""
    from motionloom.analysis.path_curvature import joint_curvatures
    from motionloom.plot.figures import new_figure, save_figure
    from motionloom.plot.similarity import curvature_curves

    figure = new_figure(11.0, 5.5)  # hands have their own scale: their paths are far less curved than those of feet
    for row, clip in zip(figure.subplots(2, 2), (found.a, found.b), strict=True):
        bends, body = joint_curvatures(clip), clip.skeleton
        for ax, part, rest in zip(row, ("foot", "hand"), (0, len(body) - 1), strict=True):
            joints = [j for side in ("left", "right") if (j := body.find(f"{side}_{part}")) is not None]
            curves = {body.names[j]: bends[:, j] for j in joints or [rest]}
            curvature_curves(curves, clip.fps, title=clip.name, ax=ax)
    save_figure(figure, path)
