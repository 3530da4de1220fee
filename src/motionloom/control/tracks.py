"""Tracks of a crowd, as pedestrian simulators write them: CSV rows id, t, x, z."""

from __future__ import annotations

from pathlib import Path

from motionloom.core import FormatError
from motionloom.core.text import csv_rows, read_text


def read_tracks(path: str | Path) -> list[list[float]]:
    """Rows id, t, x, z of a CSV file, with or without a header; `FormatError` with the line if it is none."""
    out = []
    for line, row in csv_rows(read_text(path), path):
        if not row:
            continue
        try:
            values = [float(cell) for cell in row]
        except ValueError:
            if line == 1:  # a header
                continue
            values = []
        if len(values) != 4:
            raise FormatError(f"expected four numbers id,t,x,z, found {','.join(row)[:60]!r}", path=path, line=line)
        out.append(values)
    return out
