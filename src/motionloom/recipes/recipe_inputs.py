"""The input files of a recipe."""

from __future__ import annotations

from pathlib import Path

from motionloom.core import Made, Read
from motionloom.core.recipe import Input
from motionloom.methods import METHODS
from motionloom.recipes.recorded_edits import options_of


def learned_with(step: Made) -> list[Input]:
    """Files of models and settings that a model was learned with: not needed where the model itself is at hand."""
    given = (step.config or {}).get("fields", {})
    settings = METHODS[step.method].module().Config.FILES if step.method in METHODS else ()
    names = [Path(named).name for name in settings if isinstance(named := given.get(name), str)]
    names += options_of(step).get("models", {}).values()
    return [item for item in step.files if item.name in names]


def inputs_of(read: Read, *, recipe: bool = False) -> list[Input]:
    """The file of a clip and those beside it; its own recipe, which does not affect the motion, only with `recipe`."""
    return [Input(read.name, read.sha256), *(side for side in read.beside if recipe or not is_recipe(side))]


def is_recipe(item: Input) -> bool:
    """Is it the recipe of an input?"""
    return item.name.endswith(".origin.json")
