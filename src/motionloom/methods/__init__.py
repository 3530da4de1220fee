"""Learn models from clips and synthesize new clips with them: the public names of all methods."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from motionloom.methods.table import METHODS, Method

if TYPE_CHECKING:
    from motionloom.methods.base import Model
    from motionloom.methods.description import Description, describe
    from motionloom.methods.learning import learn
    from motionloom.methods.prepare_clips import prepare
    from motionloom.methods.request_check import check_request, problems
    from motionloom.methods.settings import Settings, param
    from motionloom.methods.store import load_model, model_facts, save_model
    from motionloom.methods.synthesis import Attempt, attempt, synthesize, synthesize_many

_MODULE_OF = {
    "Attempt": "synthesis",
    "Description": "description",
    "Model": "base",
    "Settings": "settings",
    "attempt": "synthesis",
    "check_request": "request_check",
    "describe": "description",
    "learn": "learning",
    "load_model": "store",
    "model_facts": "store",
    "param": "settings",
    "prepare": "prepare_clips",
    "problems": "request_check",
    "save_model": "store",
    "synthesize": "synthesis",
    "synthesize_many": "synthesis",
}
__all__ = [
    "METHODS",
    "Attempt",
    "Description",
    "Method",
    "Model",
    "Settings",
    "attempt",
    "check_request",
    "describe",
    "learn",
    "load_model",
    "model_facts",
    "param",
    "prepare",
    "problems",
    "save_model",
    "synthesize",
    "synthesize_many",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that importing the table alone is fast."""
    if name in _MODULE_OF:
        return getattr(import_module(f"motionloom.methods.{_MODULE_OF[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
