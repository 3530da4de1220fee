"""`motionloom info`: summarize clips and models."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionloom.cli.flags import flag
from motionloom.cli.options import Clips, Json, columns, plural, print_json, print_line, warn, with_reading
from motionloom.cli.progress_bars import busy

if TYPE_CHECKING:
    from motionloom.core import Skeleton
    from motionloom.io import Reading
    from motionloom.jobs import JobFailed
    from motionloom.kinematics.summary import Facts


MAX_PARTS = 4  # of the body are listed for a source
FEW = 4  # files: numpy reads so many small ones before numba is imported


@with_reading()
def info(
    clips: Clips,
    full: Annotated[bool, flag("--full", "Print all details of each clip, as for a single one.")] = False,
    json: Json = False,
    *,
    reading: Any = None,
) -> None:
    """Summarize clips and models: frames, rate, joints, unit, roles, travel, labels, sources of frames."""
    from motionloom.io import FORMATS, expand_paths, holds_markers
    from motionloom.io.titles import clip_titles, with_title
    from motionloom.jobs import MIN_FILES, each

    models = _models([path for path in clips if path.lower().endswith(".loom")])
    clips = [path for path in clips if not path.lower().endswith(".loom")]
    known = [suffix for suffix, f in FORMATS.items() if f.read or f.read_markers]
    paths = expand_paths(clips, known)
    marked = [path for path in paths if holds_markers(path)]
    paths = [path for path in paths if path not in set(marked)]
    with busy("reading") as report:
        task = partial(_read, reading=reading, plain=len(paths) < FEW)
        read = list(each(task, paths, failed=_unread, name=lambda p: p.name, progress=report, worth=MIN_FILES))
    found = [(path, f, skeleton) for path, f, skeleton, _ in read if f is not None and skeleton is not None]
    titles = clip_titles(paths, [path.name if f is None else f.name or path.name for path, f, _, _ in read])
    broken = [
        (path, with_title(error, path, title)) for (path, _, _, error), title in zip(read, titles, strict=True) if error
    ]
    markers = []
    for path in marked:
        facts, error = _read_markers(path, reading)
        markers += [{"path": str(path), **facts}] if facts else []
        broken += [(path, error)] if error else []
    if json:
        good = [{"path": str(path), **f.as_dict()} for path, f, _ in found]
        print_json(models + good + markers + [{"path": str(path), "error": error} for path, error in broken])
        models, markers = [], []
    elif full or len(paths) == 1:
        for path, f, skeleton in found:
            print_line("\n".join(in_full(path, f, skeleton)))
    elif found:
        read_titles = [title for (_, f, _, _), title in zip(read, titles, strict=True) if f is not None]
        print_line("\n".join(_in_lines(read_titles, [f for _, f, _ in found])))
    for facts in markers:
        print_line("\n".join(_markers_in_full(facts)))
    for model in models:
        print_line("\n".join(_model_in_full(model)))
    for _, error in broken:
        warn(error)
    if broken:
        raise typer.Exit(1)


def _models(paths: list[str]) -> list[dict[str, Any]]:
    """The facts of model files."""
    if not paths:
        return []
    from motionloom.methods import model_facts

    return [{"path": path, **model_facts(path)} for path in paths]


def _model_in_full(model: dict[str, Any]) -> list[str]:
    from motionloom.core import Note

    sources = [
        f"  {'from' if s['frames'] else 'left out':9}{s['name']}: {s['frames']} frames, sha256 {s['sha256'][:12]}"
        for s in model["sources"]
    ]
    notes = [f"  note     {Note(**note)}" for note in model["notes"]]
    return [f"{model['path']}: a {model['method']} model at {model['fps']:g} fps", *sources, *notes]


def _read(path: Path, reading: Reading, plain: bool = False) -> tuple[Path, Facts | None, Skeleton | None, str]:
    """The facts of one file, or the error; its frames are not kept in memory. `plain`: without compiled kernels."""
    from motionloom.core import MotionloomError
    from motionloom.core.compiling import without_kernels
    from motionloom.io import load
    from motionloom.kinematics.capture.tpose import starts_with_tpose
    from motionloom.kinematics.summary import clip_facts

    with without_kernels() if plain else nullcontext():
        try:
            clip = load(path, reading)
        except MotionloomError as error:
            return path, None, None, str(error)
        return path, clip_facts(clip, skip=int(starts_with_tpose(clip))), clip.skeleton, ""


def _unread(path: Path, error: JobFailed) -> tuple[Path, Facts | None, Skeleton | None, str]:
    return path, None, None, str(error)


def _read_markers(path: Path, reading: Reading) -> tuple[dict[str, Any], str]:
    """The facts of one file of markers, or the error."""
    from motionloom.core import MotionloomError
    from motionloom.io import load_markers
    from motionloom.kinematics.summary import marker_facts

    try:
        return marker_facts(load_markers(path, reading)), ""
    except MotionloomError as error:
        return {}, str(error)


def _markers_in_full(f: dict[str, Any]) -> list[str]:
    from motionloom.core import Note

    box = " x ".join(f"{side:.2f}" for side in f["box"])
    gaps = f"{f['gaps']} gaps, {100 * f['missing']:.1f} % of all points, the longest {f['longest_gap']:.2f} s"
    most = sorted(f["gaps_by_marker"].items(), key=lambda item: -item[1])[:6]
    lines = [
        f["path"],
        f"  {plural(f['frames'], 'frame')} at {f['fps']:.6g} fps, {f['seconds']:.2f} s; "
        f"{plural(len(f['markers']), 'marker')} in {box} m",
        f"  file     unit {_unit(f['unit'])}, up {f['up']}",
        f"  gaps     {gaps if f['gaps'] else 'none'}",
    ]
    if most:
        lines.append(f"  most in  {', '.join(f'{name} ({count})' for name, count in most)}")
    if f["licence"]:
        lines.append(f"  licence  {f['licence']}")
    lines += [f"  note     {Note(**note)}" for note in f["notes"]]
    return [*lines, f"  markers  {', '.join(f['markers'])}"]


def _in_lines(titles: list[str], found: list[Facts]) -> list[str]:
    """One line for each clip, and one for all."""
    head = ("clip", "frames", "fps", "seconds", "joints", "roles", "travel", "turn", "unit", "up", "labels", "notes")
    rows = [
        (
            title,
            str(f.frames),
            f"{f.fps:.5g}",
            f"{f.seconds:.2f}",
            str(f.joints),
            str(len(f.roles)),
            f"{f.travel:.1f} m",
            f"{math.degrees(f.turn):.0f}°",
            _unit(f.unit),
            f.up,
            str(len(f.labels)),
            "; ".join(
                str(note) for note in f.notes if note.topic not in ("unit", "up") and not note.earlier
            ),  # these have columns
        )
        for title, f in zip(titles, found, strict=True)
    ]
    frames, seconds = sum(f.frames for f in found), sum(f.seconds for f in found)
    skeletons = len({tuple(name for _, name in f.roles) + (str(f.joints),) for f in found})
    kinds = f"{skeletons} kind{'s' if skeletons > 1 else ''} of skeleton"
    total = f"{plural(len(found), 'clip')}, {frames:,} frames, {seconds / 60:.1f} minutes, {kinds}"
    return [*columns(head, rows, left=(0, 11)), "", total]


def in_full(path: Path, f: Facts, skeleton: Skeleton) -> list[str]:
    """All facts of one clip, with its joints as a tree."""
    turn, (low, high) = math.degrees(f.turn), f.hips
    apart = " (without the T-pose of frame 0)" if f.skipped else ""
    lines = [
        str(path),
        f"  {plural(f.frames, 'frame')} at {f.fps:.6g} fps, {f.seconds:.2f} s; "
        f"{plural(f.joints, 'joint')}, {len(f.roles)} with a role",
        f"  file     unit {_unit(f.unit)}, up {f.up}{', joints also slide' if f.slides else ''}",
        f"  travel   {f.travel:.2f} m, {f.speed:.2f} m/s, turns {turn:.0f}°; hips {low:.2f} to {high:.2f} m{apart}",
        f"  labels   {', '.join(f.labels) or 'none'}",
    ]
    steps = Counter(step.describe() for step in f.made)
    lines += [f"  made     {text}" + (f" ({count} clips)" if count > 1 else "") for text, count in steps.items()]
    lines += [
        f"  from     {source.title or 'no file'}: {plural(n, 'frame')}{_parts(parts)}"
        for source, n, parts in f.sources
        if n
    ]
    if f.blends:
        lines.append(f"  blends   {f.blends} (`view --sources`)")
    if f.cuts:
        lines.append(f"  cuts     {f.cuts}")
    if f.licence:
        lines.append(f"  licence  {f.licence}")
    lines += [f"  {'earlier ' if note.earlier else 'note    '} {note}" for note in f.notes]
    return [*lines, "  joints", *_tree(skeleton)]


def _parts(names: Sequence[str]) -> str:
    """The parts of the body that a source is used for; "" for all of it."""
    listed = ", ".join(names[:MAX_PARTS]) + (", ..." if len(names) > MAX_PARTS else "")
    return f" ({listed})" if names else ""


def _tree(skeleton: Skeleton) -> list[str]:
    """The joints as a tree, each with its role."""
    named: list[tuple[str, str]] = []

    def walk(joint: int, before: str, last: bool) -> None:
        mark = "" if joint == 0 else "└─ " if last else "├─ "
        named.append((before + mark + skeleton.names[joint], skeleton.roles[joint]))
        under = skeleton.children(joint)
        deeper = before if joint == 0 else before + ("   " if last else "│  ")
        for k, child in enumerate(under):
            walk(child, deeper, k == len(under) - 1)

    walk(0, "    ", True)
    width = max(len(name) for name, _ in named)
    return [f"{name.ljust(width)}  {role}".rstrip() for name, role in named]


def _unit(metres: float) -> str:
    known = {1.0: "m", 0.01: "cm", 0.001: "mm", 0.0254: "inch"}
    return known.get(round(metres, 9), f"{metres * 100:.4g} cm")
