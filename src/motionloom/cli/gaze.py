"""`motionloom gaze`: turn the gaze of a clip with a gaze map; and the command that learns one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from motionloom.cli.bars import busy
from motionloom.cli.options import Force, Json, columns, plural, print_json, print_line, warn, with_reading
from motionloom.cli.requests import Root, given_request


@with_reading(trim_tpose=True)
def gaze(
    gaze_map: Annotated[Path, typer.Argument(metavar="MAP", help="A gaze map, as `motionloom learn gaze` writes it.")],
    clip: Annotated[Path, typer.Argument(metavar="CLIP", help="The clip whose gaze is turned.")],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="The clip to write.")],
    request: Annotated[
        str | None,
        typer.Option("-r", "--request", metavar="FILE|YAML", help="Constraints look_at: a request file, or YAML."),
    ] = None,
    along: Annotated[
        float | None,
        typer.Option("--along", metavar="M", min=0.3, help="Look at the ground so far ahead [m]."),
    ] = None,
    eyes: Annotated[bool, typer.Option("--eyes", help="Add eye joints to a body without eyes.")] = False,
    root: Root = None,
    force: Force = False,
    json: Json = False,
    *,
    reading: Any = None,
) -> None:
    """Let the body of CLIP look where a request asks, by spine, neck, head and eyes; all other joints stay as they are.

    A look begins so early that the gaze has arrived when the span of its look_at begins.
    """
    import numpy as np

    from motionloom.core.note import as_dicts
    from motionloom.io import check_target, load, save
    from motionloom.recipes.gazing import turn_gaze

    check_target(out, overwrite=force)
    asked = None if request is None else given_request(request, [str(clip)], root)
    source = load(clip, reading)
    with busy("turning the gaze") as report:
        made = turn_gaze(source, gaze_map, asked, along=along, with_eyes=eyes, progress=report)
    save(made, out)
    rows = [] if asked is None else [(c, float(np.degrees(np.abs(c.residual(made)).max()))) for c in asked.constraints]
    if json:
        looks = [{"constraint": c.describe(), "worst_deg": round(worst, 4)} for c, worst in rows]
        print_json({"out": str(out), "frames": len(made), "looks": looks, "notes": as_dicts(made.origin.notes)})
        return
    print_line(f"{out}: {plural(len(made), 'frame')}")
    for constraint, worst in rows:
        print_line(f"  {constraint.describe()}: at most {worst:.2f} deg off")
    for note in made.origin.notes:
        if note.text.startswith("gaze:"):
            print_line(f"  {note.text}")


def learn_map(
    targets: Annotated[Path, typer.Argument(metavar="TARGETS.csv", help="Takes: file, yaw, pitch (degrees).")],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="MAP", help="Where to write the map, as me.gaze.json.")],
    markers: Annotated[
        Path | None, typer.Option("--markers", metavar="FILE", help="Names of the markers (TOML), if they are others.")
    ] = None,
    faithful: Annotated[
        bool, typer.Option("--faithful", help="HECK's thresholds and nearest examples instead of fitted curves.")
    ] = False,
    force: Force = False,
    json: Json = False,
) -> None:
    """Learn a gaze map from takes of gaze shifts, as optical markers (C3D, TRC, CSV).

    TARGETS.csv lists the takes beside it: file, yaw (left) and pitch (up) in degrees; start and end in seconds crop a
    take by hand. A take shows a rest, the shift, and a rest.
    """
    import numpy as np

    from motionloom.io.replacing import check_place
    from motionloom.methods.gaze.learn import learn_gaze, read_marking, read_targets

    check_place(out)
    entries = read_targets(targets)
    marking = None if markers is None else read_marking(markers)
    with busy("learning") as report:
        learned = learn_gaze(entries, marking=marking, faithful=faithful, progress=report)
    learned.gaze_map.save(out)
    rows = [
        {
            "file": entry.path.name,
            "yaw": round(float(np.degrees(entry.target[0])), 3),
            "pitch": round(float(np.degrees(entry.target[1])), 3),
            "seconds": round(found.motion.seconds, 4),
            "overshoot": round(found.motion.overshoot, 4),
            "lost_deg": round(float(np.degrees(found.lost)), 3),
        }
        for entry, found in learned.takes
    ]
    if json:
        print_json({"out": str(out), "takes": rows, "rejected": list(learned.rejected)})
    else:
        head = ("take", "yaw", "pitch", "length", "overshoot", "lost")
        table = [
            (
                str(r["file"]),
                f"{r['yaw']:g}",
                f"{r['pitch']:g}",
                f"{r['seconds']:.2f} s",
                f"{r['overshoot']:.3f}",
                f"{r['lost_deg']:.2f} deg",
            )
            for r in rows
        ]
        print_line(f"{out}: a gaze map of {plural(len(rows), 'take')}")
        print_line("\n".join(columns(head, table)))
    for text in learned.rejected:
        warn(f"left out: {text}")
