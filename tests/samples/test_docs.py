"""The page about the samples tells the truth about them."""

from __future__ import annotations

from pathlib import Path

import pytest

from motionloom.samples import SAMPLES

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("name", SAMPLES)
def test_the_page_lists_every_sample_with_its_parameters_and_picture(name: str) -> None:
    page = (DOCS / "samples.md").read_text()
    _, _, section = page.partition(f"\n## {name}\n")
    section, _, _ = section.partition("\n## ")
    for parameter, row in SAMPLES[name].parameters.items():
        span = ", ".join(row.choices) if row.choices else f"{row.low:g} to {row.high:g}"
        assert f"| `{parameter}` |" in section
        assert span in section
    picture = DOCS / "samples" / f"{name}.png"
    assert f"(samples/{name}.png)" in section
    assert 5_000 < picture.stat().st_size < 150_000
