"""Edits of clips and files that record their recipe, and the repetition of any recipe."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from motionloom.recipes.blending import blend_clips as blend_clips
    from motionloom.recipes.blending import change_bands as change_bands
    from motionloom.recipes.blending import fourier_motion as fourier_motion
    from motionloom.recipes.folders import EditedFile as EditedFile
    from motionloom.recipes.folders import clean_files as clean_files
    from motionloom.recipes.folders import convert_files as convert_files
    from motionloom.recipes.folders import loop_files as loop_files
    from motionloom.recipes.folders import retarget_files as retarget_files
    from motionloom.recipes.folders import trim_files as trim_files
    from motionloom.recipes.gazing import turn_gaze as turn_gaze
    from motionloom.recipes.labelling import label_files as label_files
    from motionloom.recipes.read_recipe import Repeated as Repeated
    from motionloom.recipes.recorded_edits import Aligned as Aligned
    from motionloom.recipes.recorded_edits import Appended as Appended
    from motionloom.recipes.recorded_edits import Cleaned as Cleaned
    from motionloom.recipes.recorded_edits import Looped as Looped
    from motionloom.recipes.recorded_edits import Retargeted as Retargeted
    from motionloom.recipes.recorded_edits import align as align
    from motionloom.recipes.recorded_edits import append as append
    from motionloom.recipes.recorded_edits import clean as clean
    from motionloom.recipes.recorded_edits import convert as convert
    from motionloom.recipes.recorded_edits import loop as loop
    from motionloom.recipes.recorded_edits import retarget as retarget
    from motionloom.recipes.recorded_edits import trim as trim
    from motionloom.recipes.repeat import again as again
    from motionloom.recipes.splicing import splice as splice
    from motionloom.recipes.transferring import transfer as transfer

_HOMES = {
    "Aligned": "recorded_edits",
    "Appended": "recorded_edits",
    "Cleaned": "recorded_edits",
    "EditedFile": "folders",
    "Looped": "recorded_edits",
    "Repeated": "read_recipe",
    "Retargeted": "recorded_edits",
    "again": "repeat",
    "align": "recorded_edits",
    "append": "recorded_edits",
    "blend_clips": "blending",
    "change_bands": "blending",
    "clean": "recorded_edits",
    "clean_files": "folders",
    "convert": "recorded_edits",
    "convert_files": "folders",
    "fourier_motion": "blending",
    "label_files": "labelling",
    "loop": "recorded_edits",
    "loop_files": "folders",
    "retarget": "recorded_edits",
    "retarget_files": "folders",
    "splice": "splicing",
    "transfer": "transferring",
    "trim": "recorded_edits",
    "trim_files": "folders",
    "turn_gaze": "gazing",
}
__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    """Names are imported when they are first used, so that edits do not import all methods."""
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
