"""Learn models from clips and synthesize new clips with them: the public names of all methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from motionloom.lazy_names import homes, importer
from motionloom.methods.table import METHODS as METHODS
from motionloom.methods.table import Method as Method

if TYPE_CHECKING:
    from motionloom.methods.base import Model as Model
    from motionloom.methods.description import Description as Description
    from motionloom.methods.description import describe as describe
    from motionloom.methods.learning import learn as learn
    from motionloom.methods.prepare_clips import prepare as prepare
    from motionloom.methods.request_check import check_request as check_request
    from motionloom.methods.request_check import problems as problems
    from motionloom.methods.settings import Settings as Settings
    from motionloom.methods.settings import param as param
    from motionloom.methods.store import load_model as load_model
    from motionloom.methods.store import model_facts as model_facts
    from motionloom.methods.store import save_model as save_model
    from motionloom.methods.synthesis import Attempt as Attempt
    from motionloom.methods.synthesis import attempt as attempt
    from motionloom.methods.synthesis import synthesize as synthesize
    from motionloom.methods.synthesis import synthesize_many as synthesize_many

_HOMES = homes(
    {
        "base": "Model",
        "description": "Description describe",
        "learning": "learn",
        "prepare_clips": "prepare",
        "request_check": "check_request problems",
        "settings": "Settings param",
        "store": "load_model model_facts save_model",
        "synthesis": "Attempt attempt synthesize synthesize_many",
    }
)
__all__ = ["METHODS", "Method", *_HOMES]
__getattr__ = importer(__name__, _HOMES)
