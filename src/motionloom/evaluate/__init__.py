"""Quality of motion: measures, checks of clips, comparison of methods, in-betweening."""

from __future__ import annotations

from typing import TYPE_CHECKING

from motionloom.lazy_names import homes, importer

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

_HOMES = homes(
    {
        "capture_checks.check": "check_clips",
        "capture_checks.files": "check_files",
        "capture_checks.findings": "Finding",
        "compare.compare": "MethodComparison compare_methods",
        "evaluation": "Evaluation evaluate_clips",
        "report": "QualityReport",
        "study.analysis": "analyse_ratings",
    }
)
__all__ = [*_HOMES]
__getattr__ = importer(__name__, _HOMES)
