"""Quality of motion: measures, checks of clips, comparison of methods, in-betweening."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from motionloom.evaluate.capture_checks.check import check_clips as check_clips
    from motionloom.evaluate.capture_checks.files import check_files as check_files
    from motionloom.evaluate.capture_checks.findings import Finding as Finding
    from motionloom.evaluate.compare.compare import MethodComparison as MethodComparison
    from motionloom.evaluate.compare.compare import compare_methods as compare_methods
    from motionloom.evaluate.evaluation import Evaluation as Evaluation
    from motionloom.evaluate.evaluation import evaluate_clips as evaluate_clips
    from motionloom.evaluate.report import QualityReport as QualityReport
    from motionloom.evaluate.study.analysis import analyse_ratings as analyse_ratings

_HOMES = {
    "MethodComparison": "compare.compare",
    "Evaluation": "evaluation",
    "Finding": "capture_checks.findings",
    "QualityReport": "report",
    "analyse_ratings": "study.analysis",
    "check_clips": "capture_checks.check",
    "check_files": "capture_checks.files",
    "compare_methods": "compare.compare",
    "evaluate_clips": "evaluation",
}
__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    """Names are imported when they are first used, so that checks of clips do not import all methods."""
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
