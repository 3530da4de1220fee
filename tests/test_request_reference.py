"""The reference of the request language is the one that the code describes."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from motionloom.constraints import KINDS, Request
from motionloom.constraints.residual_table import residuals

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = (DOCS / "reference" / "request.md").read_text("utf-8")


@pytest.fixture(scope="module")
def scripts() -> Any:
    """The script that writes the page, and the pictures beside it."""
    sys.path.insert(0, str(DOCS))
    try:
        return import_module("make_request_reference"), import_module("request_pictures")
    finally:
        sys.path.remove(str(DOCS))


def test_the_page_is_up_to_date(scripts: Any) -> None:
    reference, pictures = scripts
    made = reference.page({key: build() for key, build in pictures.SHOWN.items()})
    assert made == PAGE, "run python docs/make_request_reference.py"


@pytest.mark.parametrize("key", KINDS)
def test_every_constraint_has_a_section_an_example_and_a_picture(key: str) -> None:
    section = PAGE.partition(f"\n## {key}\n")[2].partition("\n## ")[0]
    example = section.partition("```yaml\n")[2].partition("```")[0]
    if key not in ("pose_at", "pose_along"):  # names a file
        assert [c.key() for c in Request.from_yaml(f"constraints:\n{example}").constraints] == [key]
    picture = DOCS / "reference" / f"{key}.png"
    assert f"({key}.png)" in section
    assert 1_000 < picture.stat().st_size < 60_000


@pytest.mark.parametrize("key", KINDS)
def test_the_clip_of_every_picture_meets_its_constraint(key: str, scripts: Any) -> None:
    from matplotlib.figure import Figure

    _, pictures = scripts
    wanted = pictures.SHOWN[key]()
    clip = getattr(pictures, key)(Figure().subplots(), wanted)
    assert all(row.met for row in residuals(clip, [wanted]))
