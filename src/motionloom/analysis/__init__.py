"""Similarity of frames, joint weights, similar pairs, time alignment.

One measure is one small frozen class; `MEASURES` lists them by name.
"""

from motionloom.analysis.comparison import Comparison, Measure, Tile
from motionloom.analysis.curvature import Curvature
from motionloom.analysis.joint_angles import JointAngles
from motionloom.analysis.joint_positions import JointPositions, Scales, scales
from motionloom.analysis.judge import Judge, Verdict, judge
from motionloom.analysis.optimal import Search, even_grid, optimal_attributes, uneven_grid
from motionloom.analysis.pairs import Pairs, below, best_of_tiles, best_share, contacts_agree, local_minima
from motionloom.analysis.point_cloud import PointCloud
from motionloom.analysis.weights import joint_weights

MEASURES: dict[str, type[JointAngles] | type[JointPositions] | type[PointCloud] | type[Curvature]] = {
    "joint-angles": JointAngles,
    "joint-positions": JointPositions,
    "point-cloud": PointCloud,
    "curvature": Curvature,
}

__all__ = [
    "MEASURES",
    "Comparison",
    "Curvature",
    "JointAngles",
    "JointPositions",
    "Judge",
    "Measure",
    "Pairs",
    "PointCloud",
    "Scales",
    "Search",
    "Tile",
    "Verdict",
    "below",
    "best_of_tiles",
    "best_share",
    "contacts_agree",
    "even_grid",
    "joint_weights",
    "judge",
    "local_minima",
    "optimal_attributes",
    "scales",
    "uneven_grid",
]
