"""`motionloom fetch`: download public motion data, with its licence."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from motionloom.cli.flags import argument, option
from motionloom.cli.options import Json, columns, plural, print_json, print_line


def fetch(
    name: Annotated[str | None, argument("NAME", "A data set; without it, all are listed.")] = None,
    clips: Annotated[list[str] | None, argument("[CLIPS]", "Names of clips (16_15); by default a few.")] = None,
    out: Annotated[Path | None, option("-o --out", "FOLDER", "Folder to write; default NAME.")] = None,
    base: Annotated[str | None, option("--from", "URL", "Another address with the same files.")] = None,
    json: Json = False,
) -> None:
    """Download public motion data: resumable, verified by SHA-256, with the licence beside it.

    Where no checksum is known, that of the first download is kept (SHA256SUMS), and later downloads must match it.
    """
    from motionloom.io.download.datasets import DATASETS
    from motionloom.io.download.fetch import fetch as fetched

    if name is None:
        facts = [{"name": d.name, "what": d.what, "licence": d.licence, "from": d.home} for d in DATASETS.values()]
        if json:
            print_json(facts)
        else:
            print_line(
                "\n".join(
                    columns(
                        ("name", "what", "licence"), [(f["name"], f["what"], f["licence"]) for f in facts], (0, 1, 2)
                    )
                )
            )
        return
    found = fetched(name, clips or (), out, base=base, watch=_watch if sys.stderr.isatty() else None)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    if json:
        print_json([{"path": str(f.path), "fresh": f.fresh, "checked": f.checked} for f in found])
        return
    data = DATASETS[name]
    words = {"known": "checksum known", "first": "checksum recorded: first download", "again": "checksum as before"}
    for f in found if len(found) <= 20 else found[:1]:
        print_line(f"{f.path}: {'fetched' if f.fresh else 'here already'}, {words[f.checked]}")
    if len(found) > 20:
        print_line(f"{plural(len(found) - 1, 'clip')} unpacked beside it")
    print_line(f"licence: {data.licence}")
    print_line(f"credit:  {data.credit}")


def _watch(name: str, have: int, total: int) -> None:
    """Print the progress of a download on one line."""
    part = f"{100 * have / total:.0f} %" if total else ""
    print(f"\r{name}: {have / 1e6:.1f} MB {part}   ", end="", file=sys.stderr, flush=True)
