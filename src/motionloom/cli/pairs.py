"""Arguments and options of commands that compare clips: similar, judge, align, append."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from motionloom.cli.flags import added_options, argument, option
from motionloom.cli.options import for_each, read_clip, warn

if TYPE_CHECKING:
    from motionloom.core import Clip
    from motionloom.io import Reading

MAX_BARE = 1.0  # m: of a length without a unit
RATES_OF_TWO = "Frame rate of the files, or of A and of B: 60,120 [frames/s]."
ClipA = Annotated[Path, argument("A", "A clip.")]
ClipB = Annotated[Path, argument("B", "A clip with the same joints.")]
OutFolder = Annotated[Path, option("-o --out", "DIR", "Folder for the results.")]
MeasureName = Annotated[str, option("--measure", "NAME", "joint-angles, joint-positions, point-cloud or curvature.")]
Share = Annotated[float, option("--share", "PERCENT", "Share of all pairs to keep, the best ones [%].")]
WeightSet = Annotated[
    str | None, option("--weights", "SET", "Joint weights: uniform, lee, wang-bodenheimer, or role=w,role=w.")
]

MEASURE_OPTIONS: dict[str, tuple[Any, Any]] = {
    "weights": (WeightSet, None),
    "freedom": (
        Annotated[
            str | None,
            option(
                "--freedom",
                "HOW",
                "point-cloud: how B may be moved onto A: ground (turned and shifted on the floor), height (also "
                "up and down: stairs), rigid (any rotation: ramps).",
            ),
        ],
        None,
    ),
    "attributes": (
        Annotated[
            str | None,
            option(
                "--attributes",
                "W,W,W",
                "Weights of the terms. joint-angles: root velocity, angles, joint velocities (0.05,1,0.02); "
                "joint-positions: positions, velocities, root velocity, root acceleration (1,1,1,1).",
            ),
        ],
        None,
    ),
    "normalise_by": (
        Annotated[
            Path | None, option("--normalise-by", "FOLDER", "joint-positions: normalise by the clips of a folder.")
        ],
        None,
    ),
    "candidates": (
        Annotated[
            float | None,
            option("--candidates", "PERCENT", "curvature: share of pairs that the first stage keeps (5) [%]."),
        ],
        None,
    ),
    "speed_floor": (
        Annotated[
            float | None,
            option("--speed-floor", "M/S", "curvature: a joint that is slower is at rest (0.05) [m/s].", min=0.0),
        ],
        None,
    ),
    "normalised": (
        Annotated[
            str | None,
            option(
                "--normalised",
                "WHAT",
                "curvature: correlation of windows, or the mean of that of joints (no joint decides alone).",
            ),
        ],
        None,
    ),
}
"""Settings of the measures as options, as `analysis.measure_named` takes them."""


def with_measure(run: Callable[..., None]) -> Callable[..., None]:
    """Give a command the settings of the measures; their values are passed as the argument `measuring`."""
    return added_options(run, MEASURE_OPTIONS, "measuring", _measuring)


def _measuring(values: dict[str, Any]) -> dict[str, Any]:
    from motionloom.core import BadRequest

    weights, folder = values.pop("weights"), values.pop("normalise_by")
    out: dict[str, Any] = {name: value for name, value in values.items() if value is not None}
    if "attributes" in out:
        try:
            out["attributes"] = [float(part) for part in out["attributes"].split(",")]
        except ValueError:
            raise BadRequest(f"--attributes: expected numbers, as 0.05,1,0.02, found {out['attributes']!r}") from None
    if "candidates" in out:
        out["candidates"] = fraction(out["candidates"], "--candidates")
    if weights is not None:
        out["weights"] = read_weights(weights)
    if folder is not None:
        out["scales"] = _folder_scales(folder, out.get("weights"))
    return out


def _folder_scales(folder: Path, weights: Any) -> list[float]:
    """The normalisation of joint-positions by all clips of a folder (GUAN 2.6.1)."""
    from dataclasses import astuple

    from motionloom.analysis.joint_positions import scales
    from motionloom.core import MotionloomError
    from motionloom.io import expand_paths

    clips = []
    for path in expand_paths([folder]):
        try:
            clips.append(read_clip(path, trim_tpose=True))
        except MotionloomError as error:
            warn(f"not used for normalisation: {error}")
    return list(astuple(scales(clips, "lee" if weights is None else weights)))


def load_two(a: Path, b: Path, readings: Sequence[Reading]) -> tuple[Clip, Clip]:
    """Both clips at the lower of their frame rates; resampling is reported."""
    from motionloom.analysis import same_rate

    of_a, of_b = for_each(readings, 2)
    first, second = read_clip(a, of_a), read_clip(b, of_b)
    one, other = same_rate(first, second)
    report_rates((first, one), (second, other))
    return one, other


def report_rates(*pairs: tuple[Clip, Clip]) -> None:
    """Print a warning for each clip that was resampled to the frame rate of the other one."""
    for before, after in pairs:
        if before.fps != after.fps:
            warn(f"{before.name} resampled from {before.fps:g} to {after.fps:g} fps, the rate of the other clip")


def fraction(percent: float, option: str = "--share") -> float:
    """A share in percent as a fraction of 1."""
    from motionloom.core import BadRequest

    if not 0 < percent <= 100:
        raise BadRequest(f"{option}: expected more than 0 and at most 100 %, found {percent:g}")
    return percent / 100


def read_weights(text: str | None) -> Any:
    """The value of `--weights`, a name (`lee`) or a mapping (`left_arm=2,head=0.5`), as the library takes it."""
    if text is None or "=" not in text:
        return text
    from motionloom.core import BadRequest

    table = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        try:
            table[name.strip()] = float(value)
        except ValueError:
            raise BadRequest(f"--weights: expected role=number, found {part!r}") from None
    return table


def read_threshold(text: str | None, measure: str, option: str = "--threshold") -> float | None:
    """The value of an option: metres for point clouds, a plain number for other measures.

    More than 1 m needs its unit: 5 is most likely a number of centimetres.
    """
    from motionloom.core.units import fail, length, number, unit_typed

    if text is None:
        return None
    if measure != "point-cloud":
        return number(text, (option,))
    if (value := length(text, (option,))) > MAX_BARE and not unit_typed(text):
        raise fail((option,), "a length with its unit, as 8cm", text, f" ({value:g} m)")
    return value


def clip_dict(clip: Clip) -> dict[str, Any]:
    """Name, length and frame rate of a clip, for JSON."""
    return {"name": clip.name, "frames": len(clip), "fps": clip.fps}


def write_json(value: Any, path: Path) -> None:
    """Write a JSON file."""
    from motionloom.io.atomic_files import write_whole

    write_whole(path, [(json.dumps(value, indent=2) + "\n").encode()])


def write_csv(head: str, rows: Sequence[Sequence[object]], path: Path) -> None:
    """Write a CSV file with a line of column names."""
    from motionloom.io.atomic_files import write_whole

    lines = [head, *(",".join(map(str, row)) for row in rows)]
    write_whole(path, ["\n".join([*lines, ""]).encode()])
