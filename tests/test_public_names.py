"""The names that `import motionloom` offers."""

from __future__ import annotations

import pytest

import motionloom


@pytest.mark.parametrize("name", motionloom.__all__)
def test_every_public_name_is_there(name):
    assert getattr(motionloom, name) is not None


def test_a_misspelt_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'laod'"):
        motionloom.laod  # noqa: B018
