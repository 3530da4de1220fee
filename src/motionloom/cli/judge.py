"""`motionloom judge`: compare similarity measures by the pairs of frames that they choose."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from motionloom.cli.flags import flag, option
from motionloom.cli.options import Json, columns, print_json, print_line, with_reading
from motionloom.cli.pairs import (
    RATES_OF_TWO,
    ClipA,
    ClipB,
    Share,
    WeightSet,
    fraction,
    load_two,
    read_weights,
    write_json,
)
from motionloom.cli.progress_bars import busy


@with_reading(trim_tpose=True, rates=RATES_OF_TWO)
def judge(
    a: ClipA,
    b: ClipB,
    out: Annotated[Path | None, option("-o --out", "DIR", "Folder for judge.json and judge.png.")] = None,
    share: Share = 1.0,
    weights: WeightSet = None,
    optimal: Annotated[
        bool, flag("--optimal", "Also search for the best attribute weights of the two weighted measures.")
    ] = False,
    json: Json = False,
    *,
    reading: Any = None,
) -> None:
    """Compare the four measures on two clips: differences of position, velocity and acceleration of the best pairs."""
    from motionloom.analysis import MEASURES, Judge, Similarity, measure_named
    from motionloom.analysis import judge as judged

    one, other = load_two(a, b, reading)
    chosen = read_weights(weights) or "lee"
    measures = {name: measure_named(name, weights=chosen) for name in MEASURES}
    by = Judge(weights=chosen)
    with busy("judging") as progress:
        table = judged(list(measures.values()), one, other, share=fraction(share), by=by, rounds=3, progress=progress)
    rows = {
        name: {
            "pairs": verdict.pairs,
            "position_rms_cm": 100 * verdict.position_rms,
            "velocity_rms_m_s": verdict.velocity**0.5,
            "acceleration_rms_m_s2": verdict.acceleration**0.5,
            "milliseconds": 1000 * verdict.seconds,
        }
        for name, (verdict, _) in table.items()
    }
    report: dict[str, Any] = {"a": one.name, "b": other.name, "share_percent": share, "measures": rows}
    if optimal:
        report["optimal"] = _optimal(measures, one, other, fraction(share), by)
    if out is not None:
        from motionloom.plot.figures import new_figure, save_figure
        from motionloom.plot.similarity import panel_size, similarity_matrix

        wide, tall = panel_size((len(one), len(other)), (one.fps, other.fps), longest=5.0)
        figure = new_figure(2 * wide, 2 * tall)
        for k, (name, (_, pairs)) in enumerate(table.items()):
            found = Similarity(one, other, measures[name], measures[name].matrix(one, other), pairs)
            similarity_matrix(found, ax=figure.add_subplot(2, 2, k + 1))
        save_figure(figure, out / "judge.png", dpi=110)
        write_json(report, out / "judge.json")
    if json:
        print_json(report)
        return
    head = ("measure", "pairs", "D_p", "D_v", "D_a", "time")
    lines = [
        (
            name,
            str(row["pairs"]),
            f"{row['position_rms_cm']:.2f} cm",
            f"{row['velocity_rms_m_s']:.2f} m/s",
            f"{row['acceleration_rms_m_s2']:.1f} m/s²",
            f"{row['milliseconds']:.1f} ms",
        )
        for name, row in rows.items()
    ]
    print_line("\n".join(columns(head, lines)))
    for name, best in report.get("optimal", {}).items():
        weights_text = ", ".join(f"{term} {w:.3g}" for term, w in best["weights"].items())
        print_line(f"best weights for {name}: {weights_text}; D_p {best['position_rms_cm']:.2f} cm")


def _optimal(measures: dict[str, Any], a: Any, b: Any, share: float, by: Any) -> dict[str, Any]:
    """The best attribute weights of the measures that have any."""
    from motionloom.analysis import optimal_attributes, uneven_grid

    out = {}
    for name, count in (("joint-angles", 10), ("joint-positions", 6)):
        grid = uneven_grid(count)
        with busy(f"weights of {name}") as report:
            found = optimal_attributes(measures[name], [(a, b)], share=share, grid=grid, by=by, progress=report)
        out[name] = {
            "weights": dict(zip(found.names, found.weights, strict=True)),
            "position_rms_cm": 100 * found.score**0.5,
            "best_possible_rms_cm": 100 * found.best_possible**0.5,
            "sets_tried": len(found.sets),
        }
    return out
