"""Demo: everything that the demo made, measured beside the clips it was made from. The last part."""

from __future__ import annotations

import io
from pathlib import Path

from motionloom.cli.options import columns, say
from motionloom.core import Clip, same_hierarchy
from motionloom.evaluate.check import check
from motionloom.evaluate.reference import reference
from motionloom.evaluate.report import Report, evaluate, source_values
from motionloom.evaluate.tables import SHOWN, number
from motionloom.io import load
from motionloom.plot.page import Command, Picture, Section, Table, Words
from motionloom.plot.quality import quality_sheet, save_sheet
from motionloom.samples import SAMPLES

NOT_NEW = ("round_trip",)  # folders that hold copies


def make_section(folder: Path) -> Section:
    """Each new clip against the samples with the same body; the table is printed too."""
    sources, made = _sorted(folder)
    head = ("clip", "seconds", *SHOWN.values())
    rows: list[tuple[str, ...]] = []
    reports: list[Report] = []
    for body in _bodies(made):
        against = reference([c for c in sources if same_hierarchy(c.skeleton, body[0].skeleton)] or body)
        own = source_values(against)
        rows.append((f"source: {len(against)} clips", "", *(number(own[n].value) for n in SHOWN)))
        for clip in body:
            report = evaluate(clip, against, own=own)
            reports.append(report)
            rows.append((clip.name, f"{clip.seconds:.1f}", *(number(report.values[n].value) for n in SHOWN)))
        rows += [
            (f"bound: source {kind}", "", *(number(values[n]) if n in values else "" for n in SHOWN))
            for kind, values in reports[-1].bounds.items()
        ]
    say("\nQuality of everything made, beside its source")
    say("\n".join(columns(head, rows)))
    said = [str(f) for f in check(made) if f.kind != "never moves"][:6]
    return Section(
        "Quality",
        (
            Words(
                "One set of measures for every clip and method. Diversity alone means nothing, as shuffled frames "
                "score highest, so it stands beside coverage, skate, peak acceleration and both bounds."
            ),
            Table(head, tuple(rows)),
            *([_sheet(reports)] if reports else []),
            Command("motionloom evaluate long_walk.bvh --source 'walk_*.bvh' --picture quality.png"),
            Command("motionloom compare walk_1.bvh walk_2.bvh walk_3.bvh -r '{seconds: 12}' -o compare.html"),
            Command("motionloom check *.bvh", "\n".join(said) or "nothing is wrong with the clips made here"),
        ),
    )


def _sorted(folder: Path) -> tuple[list[Clip], list[Clip]]:
    """Samples, and everything else that the demo wrote."""
    paths = [p for p in sorted(folder.rglob("*.bvh")) if not set(p.relative_to(folder).parts[:-1]) & set(NOT_NEW)]
    clips = [load(p) for p in paths]
    sample = [p.stem in SAMPLES or p.stem.rpartition("_")[2].isdigit() for p in paths]
    return [c for c, s in zip(clips, sample, strict=True) if s], [
        c for c, s in zip(clips, sample, strict=True) if not s
    ]


def _bodies(clips: list[Clip]) -> list[list[Clip]]:
    groups: list[list[Clip]] = []
    for clip in clips:
        home = next((g for g in groups if same_hierarchy(g[0].skeleton, clip.skeleton)), None)
        if home is None:
            groups.append([clip])
        else:
            home.append(clip)
    return groups


def _sheet(reports: list[Report]) -> Picture:
    buffer = io.BytesIO()
    save_sheet(quality_sheet(reports[:8]), buffer)
    return Picture(buffer.getvalue(), "All values against the source's range; the number is the first clip's")
