"""Edits of clips and files that record their recipe, and the repetition of any recipe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from motionloom.lazy_names import homes, importer

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

_HOMES = homes(
    {
        "blending": "blend_clips change_bands fourier_motion",
        "folders": "EditedFile clean_files convert_files loop_files retarget_files trim_files",
        "gazing": "turn_gaze",
        "labelling": "label_files",
        "read_recipe": "Repeated",
        "recorded_edits": "Aligned Appended Cleaned Looped Retargeted align append clean convert loop retarget trim",
        "repeat": "again",
        "splicing": "splice",
        "transferring": "transfer",
    }
)
__all__ = [*_HOMES]
__getattr__ = importer(__name__, _HOMES)
