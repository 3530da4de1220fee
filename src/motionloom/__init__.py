"""Learn from the motion clips you have, and make the ones you need.

The names below are the public interface: the functions behind the commands, and the classes they work on. Each is
imported from its folder when it is first used, so that `import motionloom` takes almost no time. The folders are
attributes too: `motionloom.kinematics.headings`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from motionloom.lazy_names import homes, importer

if TYPE_CHECKING:
    from motionloom import analysis as analysis
    from motionloom import blend as blend
    from motionloom import constraints as constraints
    from motionloom import control as control
    from motionloom import core as core
    from motionloom import evaluate as evaluate
    from motionloom import io as io
    from motionloom import jobs as jobs
    from motionloom import kinematics as kinematics
    from motionloom import methods as methods
    from motionloom import plot as plot
    from motionloom import recipes as recipes
    from motionloom import rotation as rotation
    from motionloom import samples as samples
    from motionloom.analysis import find_similar as find_similar
    from motionloom.analysis import judge as judge
    from motionloom.analysis.match_web import build_web as build_web
    from motionloom.analysis.match_web import find_matches as find_matches
    from motionloom.constraints import Request as Request
    from motionloom.control import stream_clip as stream_clip
    from motionloom.core import Clip as Clip
    from motionloom.core import Markers as Markers
    from motionloom.core import MotionloomError as MotionloomError
    from motionloom.core import Skeleton as Skeleton
    from motionloom.core import concatenate as concatenate
    from motionloom.core import replace as replace
    from motionloom.evaluate import analyse_ratings as analyse_ratings
    from motionloom.evaluate import check_clips as check_clips
    from motionloom.evaluate import check_files as check_files
    from motionloom.evaluate import compare_methods as compare_methods
    from motionloom.evaluate import evaluate_clips as evaluate_clips
    from motionloom.io import load as load
    from motionloom.io import load_markers as load_markers
    from motionloom.io import save as save
    from motionloom.io.download.fetch import fetch as fetch
    from motionloom.kinematics import close_loop as close_loop
    from motionloom.kinematics import find_loop as find_loop
    from motionloom.kinematics import fk as fk
    from motionloom.kinematics import mirror as mirror
    from motionloom.kinematics import remove_skate as remove_skate
    from motionloom.kinematics import resample as resample
    from motionloom.kinematics import travel as travel
    from motionloom.kinematics import with_contacts as with_contacts
    from motionloom.kinematics.summary import clip_facts as clip_facts
    from motionloom.methods import attempt as attempt
    from motionloom.methods import describe as describe
    from motionloom.methods import learn as learn
    from motionloom.methods import load_model as load_model
    from motionloom.methods import model_facts as model_facts
    from motionloom.methods import save_model as save_model
    from motionloom.methods import synthesize as synthesize
    from motionloom.plot import animate as animate
    from motionloom.plot import save_filmstrip as save_filmstrip
    from motionloom.plot import write_player as write_player
    from motionloom.recipes import again as again
    from motionloom.recipes import align as align
    from motionloom.recipes import append as append
    from motionloom.recipes import blend_clips as blend_clips
    from motionloom.recipes import change_bands as change_bands
    from motionloom.recipes import clean as clean
    from motionloom.recipes import clean_files as clean_files
    from motionloom.recipes import convert as convert
    from motionloom.recipes import convert_files as convert_files
    from motionloom.recipes import fourier_motion as fourier_motion
    from motionloom.recipes import label_files as label_files
    from motionloom.recipes import loop_files as loop_files
    from motionloom.recipes import retarget as retarget
    from motionloom.recipes import retarget_files as retarget_files
    from motionloom.recipes import splice as splice
    from motionloom.recipes import trim_files as trim_files
    from motionloom.recipes import turn_gaze as turn_gaze

__version__ = "0.1.0"

_FOLDERS = (
    "analysis",
    "blend",
    "constraints",
    "control",
    "core",
    "evaluate",
    "io",
    "jobs",
    "kinematics",
    "methods",
    "plot",
    "recipes",
    "rotation",
    "samples",
)

_NAMES = homes(
    {
        "analysis": "find_similar judge",
        "analysis.match_web": "build_web find_matches",
        "constraints": "Request",
        "control": "stream_clip",
        "core": "Clip Markers MotionloomError Skeleton concatenate replace",
        "evaluate": "analyse_ratings check_clips check_files compare_methods evaluate_clips",
        "io": "load load_markers save",
        "io.download.fetch": "fetch",
        "kinematics": "close_loop find_loop fk mirror remove_skate resample travel with_contacts",
        "kinematics.summary": "clip_facts",
        "methods": "attempt describe learn load_model model_facts save_model synthesize",
        "plot": "animate save_filmstrip write_player",
        "recipes": """again align append blend_clips change_bands clean clean_files convert convert_files fourier_motion
        label_files loop_files retarget retarget_files splice trim_files turn_gaze""",
    }
)

__all__ = [*_NAMES, *_FOLDERS]
_imported = importer(__name__, _NAMES)


def __getattr__(name: str) -> Any:
    return import_module(f"motionloom.{name}") if name in _FOLDERS else _imported(name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
