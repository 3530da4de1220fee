"""What learning a two-level graph needs, and what asking it needs."""

from __future__ import annotations

from dataclasses import dataclass

from motionloom.methods.settings import Settings, param


@dataclass(frozen=True)
class Config(Settings):
    """What learning needs."""

    fps: float = param(30.0, "frame rate of the model", unit="fps", low=10, high=240)
    measure: str = param(
        "point-cloud",
        "how alike two frames are",
        symbol="D",
        choices=("point-cloud", "joint-positions", "joint-angles", "curvature"),
    )
    window: float = param(0.35, "motion around a frame that point-cloud and curvature look at", unit="s", low=0, high=2)
    blend: float = param(0.4, "length of a transition", unit="s", low=0.05, high=2)
    limit: float | None = param(
        None,
        "how unlike joined frames may be, in the measure's unit; default: 0.08 m; of other measures than point-cloud, "
        "what 0.5 % of all pairs do not exceed",
        low=0,
    )
    limits: str = param("", "limits for pairs of labels: 'walk jog 9cm, jog jog 0.08'")
    apart: float = param(0.1, "transitions nearer than this to a more probable one are left out", unit="s", low=0)
    shortest: float = param(0.5, "frames of one clip nearer than this are not joined", unit="s", low=0)
    delta: float = param(
        0.3, "how probable unlike transitions are: small is smooth, as a share of the limit", symbol="delta", low=0.01
    )
    clusters: int = param(24, "clusters of frames at the upper level", low=1, high=1000)
    stay: float = param(0.2, "shortest stay in a cluster", unit="s", low=0)
    mirror: bool = param(False, "learn every clip's mirror image too")


@dataclass(frozen=True)
class Options(Settings):
    """What synthesis needs."""

    search: str = param(
        "frames", "how a path is searched: through the lower graph, or by cluster paths", choices=("frames", "clusters")
    )
    width: int = param(
        400,
        "bodies that are followed side by side where seconds, times or only a place are asked for",
        low=1,
        high=100_000,
    )
    few: int = param(
        6, "bodies that a search by cluster paths follows side by side; 1 is the source's", low=1, high=1000
    )
    reach: float = param(1.5, "how far cluster trees look ahead", unit="s", low=0.2, high=10)
    ahead: float = param(3.0, "how far branch and bound looks", unit="s", symbol="n", low=0.1, high=20)
    keep: float = param(0.6, "how much of what was looked at is kept", unit="s", symbol="m", low=0.03, high=20)
    progress: float = param(0.1, "a path goes by at least this fast, so that standing costs", unit="m/s", low=0.01)
    budget: int = param(30_000_000, "frames that a search looks at, about; four bodies go on in any case", low=1000)
    arrival: float = param(0.25, "a path's end farther away than this is said to be missed", unit="m", low=0)
    bend: float = param(0.3, "farthest that the way found is bent to keep what is hard", unit="m", low=0)
    start: str = param("", "the frame to begin with: walk.bvh#120")
    choices: tuple[str, ...] = param((), "choices to follow, by their numbers, one after the other: [0, 3, 1]")
    most: int = param(12, "choices that are offered at each frame", low=1)
    shortest: float = param(0.5, "shortest time between transitions of a random walk", unit="s", low=0)
    pick: str = param(
        "alike", "transitions of a random walk: any, or probable ones more often", choices=("uniform", "alike")
    )
    fresh: bool = param(True, "a random walk avoids what it has shown lately")
