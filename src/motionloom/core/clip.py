"""A clip: a root position and one local rotation per joint, frame by frame (HECK eq. 3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from dataclasses import replace as _replace
from typing import Any

import numpy as np

from motionloom.core.arrays import BoolArray, FloatArray, IntArray, frozen, put
from motionloom.core.errors import InvalidClip
from motionloom.core.origin import Origin
from motionloom.core.origin_joining import joined
from motionloom.core.skeleton import Skeleton, require_same_hierarchy


@dataclass(frozen=True, eq=False)
class Clip:
    """A motion of one skeleton. A clip that exists is valid; its arrays cannot be written to.

    Slices are clips (`walk[30:90]`), edits are new clips (`replace(walk, root=...)`).
    """

    skeleton: Skeleton
    root: FloatArray  # (F, 3)    the hips' position: metres, y up, right-handed
    rotations: FloatArray  # (F, J, 4) local to parent, unit quaternions, w x y z
    fps: float  # the only place where the frame rate lives
    label_names: tuple[str, ...] = ()
    labels: BoolArray | None = None  # (F, L)
    slides: FloatArray | None = None  # (F, J, 3) added to the offsets; only where joints also translate
    origin: Origin = field(default_factory=Origin)

    def __post_init__(self) -> None:
        count = len(self.skeleton)
        put(self, "rotations", frozen(self.rotations, np.float64, (None, count, 4), "rotations"))
        frames = len(self.rotations)
        if not frames:
            raise InvalidClip("a clip needs at least one frame")
        put(self, "root", frozen(self.root, np.float64, (frames, 3), "root"))
        put(self, "fps", float(self.fps))
        if not (np.isfinite(self.fps) and self.fps > 0):
            raise InvalidClip(f"fps must be positive, found {self.fps}")
        norms = np.einsum("fjc,fjc->fj", self.rotations, self.rotations)
        if (np.abs(norms - 1) > 1e-5).any():
            f, j = (int(i) for i in np.argwhere(np.abs(norms - 1) > 1e-5)[0])
            raise InvalidClip(
                f"rotations: frame {f}, joint {self.skeleton.names[j]!r}: "
                f"length {norms[f, j] ** 0.5:.6f}, not a unit quaternion"
            )
        put(self, "label_names", tuple(self.label_names))
        labels = np.zeros((frames, len(self.label_names)), bool) if self.labels is None else self.labels
        put(self, "labels", frozen(labels, np.bool_, (frames, len(self.label_names)), "labels"))
        if len(set(self.label_names)) != len(self.label_names):
            raise InvalidClip(f"label names repeat: {self.label_names}")
        if self.slides is not None:
            put(self, "slides", frozen(self.slides, np.float64, (frames, count, 3), "slides"))
        self._put_origin(self.origin)

    def _put_origin(self, origin: Origin) -> None:
        """Set the origin while the clip is being built; one without frames is of unknown sources."""
        put(self, "origin", origin if len(origin) else origin.unknown(len(self)))
        if len(self.origin) != len(self):
            raise InvalidClip(f"origin: expected {len(self)} frames, found {len(self.origin)}")

    def __reduce__(self) -> tuple[Any, ...]:
        values = (self.skeleton, self.root, self.rotations, self.fps, self.label_names, self.labels, self.slides)
        return (Clip, (*values, self.origin))

    def __len__(self) -> int:
        return len(self.root)

    def __repr__(self) -> str:
        name = f"{self.origin.name!r}, " if self.origin.name else ""
        return f"Clip({name}{len(self)} frames at {self.fps:g} fps, {len(self.skeleton)} joints)"

    @property
    def seconds(self) -> float:
        """How long it lasts: frames / fps."""
        return len(self) / self.fps

    @property
    def name(self) -> str:
        """What its file or sample is called; "" if it came from none."""
        return self.origin.name

    def __getitem__(self, index: slice | IntArray | BoolArray | Sequence[int]) -> Clip:
        """Some frames, as a clip: a slice, an array of frame numbers, or a mask (F,) of the frames to keep."""
        if isinstance(index, (int, np.integer)):
            raise TypeError("a clip is sliced, not indexed: walk[12:13] is one frame as a clip")
        at: Any = index if isinstance(index, slice) else np.asarray(index)
        if not isinstance(at, slice) and at.dtype == bool:
            if at.shape != (len(self),):
                raise InvalidClip(f"a mask of frames: expected shape {(len(self),)}, found {at.shape}")
            at = np.flatnonzero(at)
        at = at if isinstance(at, slice) else at.astype(np.int64)
        if len(range(*at.indices(len(self))) if isinstance(at, slice) else at) == 0:
            raise InvalidClip(f"no frames in {index} of a clip of {len(self)} frames")
        return Clip(
            self.skeleton,
            self.root[at],
            self.rotations[at],
            self.fps,
            self.label_names,
            None if self.labels is None else self.labels[at],
            None if self.slides is None else self.slides[at],
            self.origin[at],
        )

    def label(self, name: str) -> BoolArray:
        """(F,) where this label is on; all False if the clip does not have it."""
        if name in self.label_names and self.labels is not None:
            return self.labels[:, self.label_names.index(name)]
        return np.zeros(len(self), bool)


def replace(clip: Clip, **changes: Any) -> Clip:
    """A clip with some fields changed, checked like any other."""
    if set(changes) != {"origin"}:
        return _replace(clip, **changes)
    new = object.__new__(Clip)  # the arrays have been checked: readers and methods change origins often
    new.__dict__.update(clip.__dict__)
    new._put_origin(changes["origin"])
    return new


FOUND = ("contact:", "gait:")  # prefixes of the labels that motionloom finds


def is_found(label: str) -> bool:
    """Whether a label was found by motionloom: a contact or a gait. Others are users' styles and actions.

    >>> is_found("contact:left_toe"), is_found("mood:happy")
    (True, False)
    """
    return label.startswith(FOUND)


def with_labels(clip: Clip, labels: dict[str, BoolArray]) -> Clip:
    """The clip with these labels set; others stay as they are."""
    names = [n for n in clip.label_names if n not in labels] + list(labels)
    columns = [np.asarray(labels[n], bool) if n in labels else clip.label(n) for n in names]
    return replace(clip, label_names=tuple(names), labels=np.stack(columns, 1) if columns else None)


def _longer(a: Skeleton, b: Skeleton) -> FloatArray:
    """(J, 3) by how much the offsets of b differ from those of a; nothing where that is rounding."""
    by = b.offsets - a.offsets
    by[0] = 0.0
    return by if np.abs(by).max() > 1e-4 else np.zeros_like(by)


def concatenate(clips: Sequence[Clip]) -> Clip:
    """Clips one after the other, exactly as they are (a plain cut), on the first one's skeleton.

    A clip with other bone lengths (by more than 0.1 mm) keeps them as slides, so that its joints stay where they were.
    """
    if not clips:
        raise InvalidClip("nothing to concatenate")
    first = clips[0]
    for clip in clips[1:]:
        require_same_hierarchy(first.skeleton, clip.skeleton, names=(first.name, clip.name))
        if clip.fps != first.fps:
            raise InvalidClip(f"cannot concatenate {first.fps:g} fps and {clip.fps:g} fps: resample one of them first")
    names = tuple(dict.fromkeys(n for clip in clips for n in clip.label_names))
    labels = [np.stack([c.label(n) for n in names], 1) if names else np.zeros((len(c), 0), bool) for c in clips]
    longer = [_longer(first.skeleton, c.skeleton) for c in clips]
    slides = None
    if any(c.slides is not None for c in clips) or any(by.any() for by in longer):
        still = np.zeros((len(first.skeleton), 3))
        slides = np.concatenate(
            [
                np.broadcast_to(still if c.slides is None else c.slides, (len(c), *still.shape)) + by
                for c, by in zip(clips, longer, strict=True)
            ]
        )
    return Clip(
        first.skeleton,
        np.concatenate([c.root for c in clips]),
        np.concatenate([c.rotations for c in clips]),
        first.fps,
        names,
        np.concatenate(labels),
        slides,
        joined([c.origin for c in clips], [len(c) for c in clips]),
    )
