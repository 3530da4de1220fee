"""Motion texture as a model: example clips, the influence of joints, and links between similar frames."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from motionloom.constraints import (
    Constraint,
    Pace,
    Plant,
    PoseAlong,
    PoseAt,
    PositionAt,
    Request,
    RootAt,
    RootPath,
    Start,
    Style,
)
from motionloom.core import BoolArray, Clip, FloatArray, FormatError, IntArray, NoPath, Progress, is_found, with_labels
from motionloom.core.errors import unknown
from motionloom.core.note import Note, warning
from motionloom.core.progress import parts
from motionloom.kinematics.capture.glitches import broken_frames
from motionloom.kinematics.feet.grounding import contact_heights
from motionloom.kinematics.feet.skate_removal import pin_plants
from motionloom.kinematics.feet.terrain import on_ground
from motionloom.kinematics.local_frames import Frames, joined, observe
from motionloom.kinematics.resample import at_frames
from motionloom.kinematics.travel import placed
from motionloom.methods.array_checks import check_array, check_clips
from motionloom.methods.base import Honours, Model, place
from motionloom.methods.lead_into_constraints import pose_problem, root_problem, speed_problem, speed_warnings
from motionloom.methods.live import FrameSources, material_of
from motionloom.methods.settings import FAITHFUL, Settings
from motionloom.methods.texture.cells import cell_labels, joint_origin, unblended
from motionloom.methods.texture.coherent.frame_prices import Price
from motionloom.methods.texture.coherent.links import NO_COST, Clips, FrameLinks, clip_ends
from motionloom.methods.texture.coherent.parts import JointGroup, body_parts, features, roughness
from motionloom.methods.texture.coherent.plan import ExampleArrays, choose_parts
from motionloom.methods.texture.coherent.render import crossfaded, joint_tracks, render_tracks
from motionloom.methods.texture.coherent.tremble import quick_turns
from motionloom.methods.texture.config import Options
from motionloom.methods.texture.correct_path_and_pace import (
    from_touch_down,
    given_velocities,
    moved_along,
    paced,
    slowed_at_plants,
)
from motionloom.methods.texture.faithful.examples import Examples, build_examples, check_styles, unused_clips
from motionloom.methods.texture.faithful.ground import lifted, over_ground
from motionloom.methods.texture.faithful.keys import HEIGHT, Keys, Styles, read_keys, read_styles
from motionloom.methods.texture.faithful.points import with_point_keys
from motionloom.methods.texture.faithful.synthesis import Texture, synthesize_texture
from motionloom.methods.texture.lead_into_keys import with_keys
from motionloom.methods.texture.live import LiveOptions, TextureLive
from motionloom.methods.texture.live_tables import build_tables
from motionloom.methods.texture.looping import (
    LOOPABLE,
    ROUNDS,
    filling_frames,
    frame_cycles,
    in_rounds,
    mean_cycle,
    rate_notes,
    repeated,
    retimed,
)
from motionloom.methods.texture.plan import TexturePlan, fixed_cells

RISE = 0.15  # m: farthest that the hips are raised or lowered to the height of a key


def style_names(clips: Sequence[Clip]) -> tuple[str, ...]:
    """The labels of clips that are styles: all that frames have, but for contacts."""
    return tuple(sorted({n for c in clips for n in c.label_names if not is_found(n) and c.label(n).any()}))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TextureModel(Model[Options]):
    """Example clips, how joints influence each other, and where stretches of the examples can be joined."""

    method: ClassVar[str] = "texture"
    honours: ClassVar[Honours] = (
        (Plant, "hard"),
        *((c, how) for c in (PoseAt, PoseAlong, PositionAt, RootAt, RootPath, Style, Pace) for how in ("hard", "soft")),
    )
    uneven_ground: ClassVar[bool] = True
    needs_whole_clips: ClassVar[bool] = True
    keeps_notes: ClassVar[bool] = True
    options_type: ClassVar[type[Settings]] = Options
    live_commands: ClassVar[tuple[str, ...]] = ("heading", "speed", "place", "action")
    live_options_type: ClassVar[type[Settings] | None] = LiveOptions

    clips: tuple[Clip, ...]  # with contacts as labels
    influence: FloatArray  # (J, J) M
    links: tuple[FrameLinks, ...]  # of each part of the body

    def check(self) -> None:
        check_clips(self.clips, self.skeleton, self.fps)
        joints, frames = len(self.skeleton), sum(map(len, self.clips))
        check_array(self.influence, "influence", "f", (joints, joints), low=0)
        if len(self.links) != len(self.parts):
            raise FormatError(f"links: expected those of {len(self.parts)} parts, found {len(self.links)}")
        ends = clip_ends([len(clip) for clip in self.clips])
        for k, (targets, costs) in enumerate(self.links):
            check_array(targets, f"links.{k}.frames", "i", (frames, None), low=-1, high=frames - 1)
            check_array(costs, f"links.{k}.costs", "f", targets.shape, low=NO_COST)
            if ((targets < 0) != (costs < 0)).any():
                raise FormatError(f"links.{k}.frames: expected -1 where, and only where, there is no cost")
            if (targets >= 0).any() and (targets == ends.last[targets])[targets >= 0].any():
                raise FormatError(f"links.{k}.frames: expected frames that another one follows, found a last one")

    @cached_property
    def parts(self) -> tuple[JointGroup, ...]:
        """The parts of the body that come from one example frame each, in the improved variant."""
        return body_parts(self.skeleton)

    @cached_property
    def styles(self) -> tuple[str, ...]:
        """The labels that can be asked for."""
        return style_names(self.clips)

    @property
    def clip_names(self) -> tuple[str, ...]:
        """The names of the clips; the number of one that has none."""
        return tuple(clip.name or f"clip {k}" for k, clip in enumerate(self.clips))

    @cached_property
    def starts(self) -> IntArray:
        """(C + 1,) the first frame of each clip in the row of all frames."""
        return np.cumsum([0, *(len(clip) for clip in self.clips)])

    @cached_property
    def _marks(self) -> dict[str, BoolArray]:
        names = dict.fromkeys(n for clip in self.clips for n in clip.label_names)
        return {n: np.concatenate([clip.label(n) for clip in self.clips]) for n in names}

    @cached_property
    def _frames(self) -> Frames:
        return joined([observe(clip) for clip in self.clips])

    @cached_property
    def _quick_turns(self) -> dict[int, FloatArray]:
        return quick_turns(self.clips, self.parts)

    @cached_property
    def _cycles(self) -> FloatArray:
        return np.concatenate([frame_cycles(clip) for clip in self.clips])

    @cached_property
    def _sources(self) -> FrameSources:
        return material_of(self.clips)

    @cached_property
    def _material(self) -> ExampleArrays:
        ends: Clips = clip_ends([len(clip) for clip in self.clips])
        broken = np.concatenate([broken_frames(clip) for clip in self.clips])
        rows = features(self.clips, self.parts)
        own = [roughness(self.clips, part) for part in self.parts]
        rough = (np.max(own, axis=0), *own[1:])  # limbs that tremble hide that the trunk does
        return ExampleArrays(self.clips, ends, self.parts, rows, self.links, self.influence, broken, rough)

    @cached_property
    def _levels(self) -> dict[tuple[object, ...], list[Examples]]:
        return {}

    def levels(self, options: Options) -> list[Examples]:
        """The levels of the examples for these options, kept for the next synthesis."""
        key = (options.levels, options.window, options.padding, options.coarse_weight > 0)
        if key not in self._levels:
            self._levels.clear()
            self._levels[key] = build_examples(self.clips, self.styles, options)
        return self._levels[key]

    def _unused(self, options: Options) -> list[Note]:
        """A warning for each clip of which no frame is a candidate."""
        names = self.clip_names
        short = unused_clips([len(clip) for clip in self.clips], options)
        return [
            warning(f"{names[k]} has {len(self.clips[k])} frames and is not used: {why}") for k, why in short.items()
        ]

    @cached_property
    def live(self) -> TextureLive:
        """Characters that follow commands step by step."""
        tables, actions = build_tables(self._material)
        return TextureLive(tables, actions, self.skeleton, self.fps, self._sources)

    # ---- requests ----

    def refuses(self, constraint: Constraint, frames: int | None, options: Options | None = None) -> str:
        if isinstance(constraint, Style) and constraint.label not in self.styles:
            return unknown(constraint.label, self.styles, "label") if self.styles else "its clips have no labels"
        if (
            options is not None
            and options.loop
            and options.variant != FAITHFUL
            and not isinstance(constraint, LOOPABLE)
        ):
            return "a loop repeats, and places in the world do not (option `loop`)"
        if isinstance(constraint, Pace) and options is not None and options.variant == FAITHFUL:
            return "only in the improved variant: EDEN's keys are places"
        if isinstance(constraint, Pace) and constraint.stretch is not None:
            return "only over a span of time, not over a stretch of the path"
        return ""

    def _plan(self, request: Request, options: Options, rng: Generator, progress: Progress) -> TexturePlan:
        frames = request.length(self.fps)
        assert frames is not None  # checked before
        if request.start is None and any(isinstance(c, (PositionAt, Plant)) for c in request.constraints):
            request = replace(request, start=Start())  # points in the world need a place to start from
        keys = read_keys(request, self.skeleton, frames, self.fps)  # in every variant: two hard values are an error
        asked = _styles(request.constraints)
        styles = read_styles(asked, self.styles, self.skeleton, frames, self.fps)
        if options.variant == FAITHFUL:
            finest = self.levels(options)[0]
            by_joint = np.asarray(styles.required.transpose(0, 2, 1) > 0)
            if asked:
                check_styles(finest.styles[finest.candidates] >= 0.5, by_joint, asked, self.styles)
            texture, keys = self._texture(request, keys, styles, options, rng, progress)
            return TexturePlan(texture.source, self.starts, self.clip_names, keys, texture=texture)
        found = [self._marks[name] for name in self.styles]
        for part in self.parts if asked else ():
            needed = np.asarray(styles.required[..., list(part.joints)].any(2))
            check_styles(np.stack(found, 1), needed, asked, self.styles, part.describe())
        return self.plan_with(request, options, rng, progress)

    def plan_with(
        self, request: Request, options: Options, rng: Generator, progress: Progress, more: Sequence[Price] = ()
    ) -> TexturePlan:
        """The plan of the improved variant, with more prices of example frames than those of the request."""
        frames = request.length(self.fps)
        assert frames is not None
        tracks = choose_parts(self._material, request, frames, options, rng, progress, more)
        if options.loop and not any(isinstance(c, PoseAlong) for c in request.constraints):
            tracks = self._whole_strides(tracks, request, frames, options, rng, progress)
        at = np.arange(frames) * len(tracks[0]) // frames
        source = np.empty((frames, len(self.skeleton)), np.int64)
        for part, shown in zip(self.parts, tracks, strict=True):
            source[:, list(part.joints)] = shown[at, None]
        led = [c for c in request.constraints if not isinstance(c, RootPath)]  # `moved_along` leads along paths
        keys = read_keys(replace(request, constraints=tuple(led)), self.skeleton, frames, self.fps)
        source[fixed_cells(keys)] = -1
        return TexturePlan(source, self.starts, self.clip_names, keys, tracks=tuple(tracks))

    def _whole_strides(
        self,
        tracks: list[IntArray],
        request: Request,
        frames: int,
        options: Options,
        rng: Generator,
        progress: Progress,
    ) -> list[IntArray]:
        """The tracks of a loop that is filled by whole strides of the clips that it shows, in more frames or fewer."""
        filling = filling_frames(frames, mean_cycle(self._cycles[tracks[0]]) * self.fps)
        if filling == frames:
            return tracks
        request = replace(request, constraints=retimed(request.constraints, frames, self.fps, filling))
        return choose_parts(self._material, request, filling, options, rng, progress)

    def _texture(
        self, request: Request, keys: Keys, styles: Styles, options: Options, rng: Generator, progress: Progress
    ) -> tuple[Texture, Keys]:
        """The faithful texture, and its keys in the world.

        Where points are wanted, it is the second one, with keys of the joints that bring them there; so it is where
        heights are given on uneven ground, because the first one shows which ground is below.
        """
        points = any(isinstance(c, (PositionAt, Plant)) for c in request.constraints)
        again = points or (not request.ground.flat and (keys.root_weights[:, HEIGHT] >= 0).any())
        texture = places = None
        for step in parts(progress, [1.0] * (2 if again else 1)):
            if texture is not None:
                rough = self._on_ground(texture, keys, request)
                places = rough.root[:, [0, 2]]
                keys = with_point_keys(keys, rough, request.constraints) if points else keys
            given = over_ground(keys, request.ground, places)
            texture = synthesize_texture(
                self.levels(options), given, styles, self.influence, self.skeleton, options, rng, step
            )
        assert texture is not None
        return texture, keys

    def _on_ground(self, texture: Texture, keys: Keys, request: Request) -> Clip:
        """A faithful texture as a clip, where its keys put it; without keys of the root, it starts at the origin."""
        clip = Clip(self.skeleton, texture.root, texture.rotations, self.fps)
        roots = [c for c in request.constraints if isinstance(c, RootAt)]
        fixed = any(c.position is not None or c.heading is not None for c in roots)
        fixed |= any(isinstance(c, (RootPath, PositionAt, Plant)) for c in request.constraints)
        clip = clip if request.start is not None or fixed else placed(clip)
        return lifted(clip, keys, request.ground)

    def render(self, plan: TexturePlan, request: Request, options: Options, rng: Generator, progress: Progress) -> Clip:
        progress(0.0, "rendering")
        if plan.texture is not None:
            terms = [clip.origin.licence for clip in self.clips]
            origin = joint_origin(unblended(plan.source), self._sources, self.skeleton, terms)
            labels = cell_labels(plan.source, self._marks, _styles(request.constraints), self.skeleton)
            clip = with_labels(self._on_ground(plan.texture, plan.keys, request), labels)
            progress(1.0, "rendering")
            return replace(clip, origin=origin.with_notes(*self._unused(options)))
        clip = self._loop(plan, request, options) if options.loop else self._single(plan, request, options)
        progress(1.0, "rendering")
        return clip

    def _single(self, plan: TexturePlan, request: Request, options: Options) -> Clip:
        """The improved variant: the chosen frames on the path and ground of the request, bent to its keys."""
        clip = free = place(self._shown(plan, request.constraints, options), request, self)
        constraints = from_touch_down(clip, request.constraints)
        clip = slowed_at_plants(paced(clip, constraints), constraints, self.clips)
        clip = moved_along(clip, constraints)
        if not request.ground.flat:
            clip = pin_plants(clip).clip if options.clean_feet else clip
            clip = on_ground(clip, request.ground.height_at)
        self._check_near(clip, request, options)
        floor = contact_heights(self.clips) if request.ground.flat else None
        clip = with_keys(clip, plan.keys, constraints, floor)
        if why := speed_problem(clip, self._examples(request, clip)):
            raise NoPath(why, best=free)
        return clip

    def _loop(self, plan: TexturePlan, request: Request, options: Options) -> Clip:
        """The middle one of three rounds: bent to keys and cleaned beyond its own ends, so that it repeats."""
        rounds, filling = in_rounds(request.constraints, plan.frames, self.fps), len(plan.tracks[0])
        clip, middle = self._shown(plan, rounds, options, ROUNDS), slice(plan.frames, 2 * plan.frames)
        if filling != plan.frames:
            at = np.arange(ROUNDS * plan.frames, dtype=float) * filling / plan.frames
            clip = at_frames(clip, at, self.fps, cubic=filling < plan.frames)
        self._check_near(place(clip[middle], request, self), request, options)
        clip = with_keys(clip, repeated(plan.keys), ())
        if options.clean_feet:
            clip = pin_plants(clip).clip
        clip = place(clip[middle], request, self)
        return replace(clip, origin=clip.origin.with_notes(*rate_notes(plan.frames, filling, self.fps)))

    def _shown(self, plan: TexturePlan, constraints: Sequence[Constraint], options: Options, rounds: int = 1) -> Clip:
        """The chosen frames, so many times one after the other, with crossfaded seams, from the origin on."""
        material, half = self._material, round(options.blend * self.fps / 2)
        tracks = [crossfaded(np.tile(shown, rounds), material.ends, half) for shown in plan.tracks]
        cells = joint_tracks(tracks, material.parts, len(self.skeleton))
        of_keys = np.arange(len(plan.tracks[0])) * plan.frames // len(plan.tracks[0])  # a loop has its own frames
        fixed = np.tile(fixed_cells(plan.keys)[of_keys], (rounds, 1))
        known = cells._replace(main=np.where(fixed, -1, cells.main), other=np.where(fixed, -1, cells.other))
        origin = joint_origin(known, self._sources, self.skeleton, [clip.origin.licence for clip in self.clips])
        labels = {name: mark[cells.main[:, 0]] for name, mark in self._marks.items() if is_found(name)}
        labels |= cell_labels(cells.main, self._marks, _styles(constraints), self.skeleton)
        given = given_velocities(constraints, self.skeleton, rounds * plan.frames, self.fps)
        body = render_tracks(self._frames, tracks, material.parts, self._quick_turns, self.skeleton, self.fps, given)
        return with_labels(replace(body, origin=origin), labels)

    def _check_near(self, clip: Clip, request: Request, options: Options) -> None:
        """`NoPath` if the chosen frames are too far from a hard height or pose to be bent to it."""
        heights = [RootAt(time=c.time, height=c.height) for c in request.constraints
                   if isinstance(c, RootAt) and c.hard and c.height is not None]  # fmt: skip
        carrier = self.parts[0].joints  # arms and heads are led into any pose, at one time or along a clip
        far = root_problem(clip, heights, RISE) or pose_problem(clip, request.constraints, options.bend_pose, carrier)
        if far:
            raise NoPath(far, best=clip)

    def _examples(self, request: Request, clip: Clip) -> list[Clip]:
        """The clips that show how fast a result may move: those of the model, and those given in the request."""
        along = [c for c in request.constraints if isinstance(c, PoseAlong)]
        return [*self.clips, *(c.given(self.skeleton, len(clip), clip.fps) for c in along)]

    def remarks(self, clip: Clip, request: Request) -> tuple[Note, ...]:
        if self.options(request).variant == FAITHFUL:
            return ()
        return tuple(speed_warnings(clip, self._examples(request, clip)))


def _styles(constraints: Iterable[Constraint]) -> list[Style]:
    return [c for c in constraints if isinstance(c, Style)]
