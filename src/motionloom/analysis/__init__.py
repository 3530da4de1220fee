"""Similarity of frames, joint weights, similar pairs, time alignment.

One measure is one small frozen class; `MEASURES` lists them by name.
"""

from motionloom.analysis.alignment import TimeAlignment, align, align_cycles, cycle_times, register
from motionloom.analysis.alignment_curve import AlignmentCurve, fit_curve, from_key_times
from motionloom.analysis.comparison import ClipComparison, Measure, Tile
from motionloom.analysis.contact_agreement import contacts_agree
from motionloom.analysis.curvature_similarity import Curvature
from motionloom.analysis.dtw import dtw_cost, dtw_path
from motionloom.analysis.joint_angles import JointAngles
from motionloom.analysis.joint_positions import JointPositions, Scales, scales
from motionloom.analysis.judge import Judge, Verdict, judge
from motionloom.analysis.optimal_weights import WeightSearch, even_grid, optimal_attributes, uneven_grid
from motionloom.analysis.pairs import Pairs, below, best_of_tiles, best_share, local_minima
from motionloom.analysis.point_cloud import PointCloud
from motionloom.analysis.similarity import MEASURES, Similarity, find_similar, measure_named, same_rate
from motionloom.analysis.warp import at_times, warp, warp_by_path
from motionloom.analysis.weights import joint_weights

__all__ = [
    "MEASURES",
    "AlignmentCurve",
    "ClipComparison",
    "Curvature",
    "JointAngles",
    "JointPositions",
    "Judge",
    "Measure",
    "Pairs",
    "PointCloud",
    "Scales",
    "Similarity",
    "Tile",
    "TimeAlignment",
    "Verdict",
    "WeightSearch",
    "align",
    "align_cycles",
    "at_times",
    "below",
    "best_of_tiles",
    "best_share",
    "contacts_agree",
    "cycle_times",
    "dtw_cost",
    "dtw_path",
    "even_grid",
    "find_similar",
    "fit_curve",
    "from_key_times",
    "joint_weights",
    "judge",
    "local_minima",
    "measure_named",
    "optimal_attributes",
    "register",
    "same_rate",
    "scales",
    "uneven_grid",
    "warp",
    "warp_by_path",
]
