"""Demo: everything that the demo made, measured beside the clips it was made from. The last part."""

from __future__ import annotations

import re
from pathlib import Path

from motionloom.cli.options import columns, print_line
from motionloom.core import Clip, same_hierarchy
from motionloom.evaluate.capture_checks.check import check_clips
from motionloom.evaluate.evaluation import evaluate_take, source_values
from motionloom.evaluate.reference import reference
from motionloom.evaluate.report import QualityReport
from motionloom.evaluate.tables import COMPARISON_COLUMNS, number
from motionloom.io import load
from motionloom.plot.figures import figure_bytes
from motionloom.plot.page import CommandBlock, Paragraph, PictureBlock, Section, TableBlock, optional_picture
from motionloom.plot.quality import quality_sheet
from motionloom.samples import SAMPLES

NOT_NEW = ("round_trip",)  # folders that hold copies


def make_section(folder: Path) -> Section:
    """Each new clip against the samples it was made from; the table is printed too."""
    samples, made = _sorted(folder)
    head = ("clip", "seconds", *COMPARISON_COLUMNS.values())
    rows: list[tuple[str, ...]] = []
    largest: list[QualityReport] = []
    for names, clips in _groups(samples, made).items():
        against = reference([c for c in samples if c.name in names])
        own = source_values(against)
        whose = ", ".join(Path(n).stem for n in names) if len(names) < 5 else f"{len(names)} clips"
        rows.append((f"source: {whose}", "", *(number(own[n].value) for n in COMPARISON_COLUMNS)))
        reports = [evaluate_take(clip, against, own=own) for clip in clips]
        for clip, report in zip(clips, reports, strict=True):
            rows.append(
                (clip.name, f"{clip.seconds:.1f}", *(number(report.values[n].value) for n in COMPARISON_COLUMNS))
            )
        rows += [
            (f"bound: source {kind}", "", *(number(values[n]) if n in values else "" for n in COMPARISON_COLUMNS))
            for kind, values in next((r.bounds for r in reports if r.bounds), {}).items()
        ]
        largest = max(largest, reports, key=len)
    print_line("\nQuality of everything made, beside its source")
    print_line("\n".join(columns(head, rows)))
    findings = [str(f) for f in check_clips(made) if f.kind != "never moves"][:6]
    return Section(
        "Quality",
        (
            Paragraph(
                "One set of measures for every clip and method. Diversity alone means nothing, as shuffled frames "
                "score highest, so it stands beside coverage, skate, peak acceleration and both bounds."
            ),
            TableBlock(head, tuple(rows)),
            *([optional_picture(lambda: _sheet(largest))] if largest else []),
            CommandBlock("motionloom evaluate long_walk.bvh --source 'walk_?.bvh' --picture quality.png"),
            CommandBlock("motionloom compare walk_1.bvh walk_2.bvh walk_3.bvh -r '{seconds: 12}' -o compare.html"),
            CommandBlock("motionloom check *.bvh", "\n".join(findings) or "nothing is wrong with the clips made here"),
        ),
    )


def _sorted(folder: Path) -> tuple[list[Clip], list[Clip]]:
    """Samples (`walk`, `walk_1`), and everything else that the demo wrote."""
    paths = [p for p in sorted(folder.rglob("*.bvh")) if not set(p.relative_to(folder).parts[:-1]) & set(NOT_NEW)]
    clips = [load(p) for p in paths]
    sample = [re.sub(r"_\d+$", "", p.stem) in SAMPLES for p in paths]
    return [c for c, s in zip(clips, sample, strict=True) if s], [
        c for c, s in zip(clips, sample, strict=True) if not s
    ]


def _groups(samples: list[Clip], made: list[Clip]) -> dict[tuple[str, ...], list[Clip]]:
    """What was made, by the names of the samples it was made from: from its origin, or from its own name."""
    out: dict[tuple[str, ...], list[Clip]] = {}
    for clip in made:
        alike = [c for c in samples if same_hierarchy(c.skeleton, clip.skeleton)] or [clip]
        sources = {source.name for source in clip.origin.sources}
        kinds = {name.removeprefix("sample:") for name in sources}
        begins = max((s for c in alike if clip.name.startswith(f"{(s := Path(c.name).stem)}_")), key=len, default="")
        own = (
            [c.name for c in alike if c.name in sources]
            or [c.name for c in alike if Path(c.name).stem == begins]
            or [c.name for c in alike if Path(c.name).stem in kinds]
        )
        out.setdefault(tuple(own or (c.name for c in alike)), []).append(clip)
    return out


def _sheet(reports: list[QualityReport]) -> PictureBlock:
    sheet = figure_bytes(quality_sheet(reports[:8]))
    return PictureBlock(sheet, "All values against the source's range; the number is the first clip's")
