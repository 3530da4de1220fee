"""Learning: degrees of freedom, a common clock, and the two networks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from motionloom.core import BadRequest, BoolArray, Clip, FloatArray, Note, Progress, part, silent
from motionloom.core.note import info, warning
from motionloom.core.progress import parts
from motionloom.core.skeleton import hierarchy_difference
from motionloom.kinematics.feet.contacts import with_contacts
from motionloom.methods.settings import FAITHFUL
from motionloom.methods.variation import learn_prior, learn_transition
from motionloom.methods.variation.config import DEFAULT, Config
from motionloom.methods.variation.dofs import Dofs, borrowed_dofs, fit_dofs
from motionloom.methods.variation.lone_errors import without_lone_errors
from motionloom.methods.variation.model import SHORTEST, VariationModel, unrolling_of
from motionloom.methods.variation.networks import Networks, extended, own_edges
from motionloom.methods.variation.takes import aligned_values, shared_noise, take_links
from motionloom.methods.variation.timing import (
    COPIED,
    DIFFERENT,
    UNLIKE,
    Clock,
    MeanLoop,
    align_takes,
    far_takes,
    find_loop,
    mean_pose_distances,
    not_returning,
    out_of_phase,
    resting,
    unlike_takes,
)

LENGTHS = 2.0  # the longest clip may last so many times as long as the shortest


def fit(
    clips: Sequence[Clip],
    config: Config = DEFAULT,
    *,
    structure: VariationModel | None = None,
    rng: Generator | None = None,
    progress: Progress | None = None,
) -> VariationModel:
    """Learn from takes of one motion (see `methods.prepare`); `structure` is a model whose networks are used instead.

    With a structure a single clip is enough.
    """
    report, rng = progress or silent(), rng or np.random.default_rng(0)
    if structure is not None and not isinstance(structure, VariationModel):
        raise BadRequest(f"structure: expected a model of variation, found one of {structure.method}")
    _check_clips(clips, structure)
    dofs = fit_dofs(clips) if structure is None else _known_dofs(clips, structure)
    sequences = [dofs.values(clip) for clip in clips]
    scales = dofs.scales("reach", np.concatenate(sequences))
    report(0.0, "aligning clips")
    aligned = align_takes(sequences, scales, clips[0].fps, part(report, 0.0, 0.05))
    _check_alike(clips, aligned)
    clock = aligned.frames
    repaired = list(clips) if config.variant == FAITHFUL else without_lone_errors(clips, sequences, clock, dofs)
    standing = tuple(with_contacts(clip) for clip in repaired)
    sequences = [dofs.values(clip) for clip in standing]
    if structure is None:
        networks, notes = _learned(standing, sequences, dofs, config, rng, part(report, 0.05, 0.95))
    else:
        known = np.array([dofs.names.index(name) for name in structure.dofs.names])
        networks, notes = extended(structure.networks, known, dofs.count), ()
    report(0.95, "finding the cycle")
    values = aligned_values(sequences, clock, dofs)
    links = take_links(values)
    if structure is not None and len(clips) == 1:
        links[np.ix_(known, known)] = take_links(structure.takes.values)
    loop = find_loop(values, scales, clips[0].fps)
    repeats = _repeats(loop, resting(values.mean(0) * scales, clips[0].fps), clips)
    stopping = not_returning(sequences, scales) if loop is not None else []
    facts = f"{dofs.count} of {dofs.layout.count} degrees of freedom move; the motion {repeats}"
    report(1.0, "finding the cycle")
    return VariationModel(
        skeleton=clips[0].skeleton,
        config=config,
        fps=clips[0].fps,
        notes=(
            *info(facts),
            *notes,
            *_copies(clips, aligned),
            *_unlike(clips, aligned),
            *_repairs(clips, repaired),
            *_phase_warnings(clips, aligned),
            *_end_warnings(clips, stopping),
        ),
        clips=standing,
        dofs=dofs,
        networks=networks,
        clock=clock,
        loop=loop,
        sharing=shared_noise(networks, dofs, links),
    )


def _check_clips(clips: Sequence[Clip], structure: VariationModel | None) -> None:
    names = [clip.name or f"clip {k}" for k, clip in enumerate(clips)]
    if len(clips) < 2 and structure is None:
        raise BadRequest(
            f"variation learns from several takes of one motion, found only {names[0]}; "
            "give more, or a model with a structure learned on others (--structure MODEL.loom)"
        )
    short = [f"{name} ({len(clip)})" for name, clip in zip(names, clips, strict=True) if len(clip) < SHORTEST]
    if short:
        raise BadRequest(
            f"expected clips of at least {SHORTEST} frames at {clips[0].fps:g} fps, found {', '.join(short)}"
        )
    counts = [len(clip) for clip in clips]
    if max(counts) > LENGTHS * min(counts):
        shown = ", ".join(f"{name} {clip.seconds:.2f} s" for name, clip in zip(names, clips, strict=True))
        raise BadRequest(
            f"takes of one motion last about as long as each other; the longest of these lasts more than {LENGTHS:g} "
            f"times as long as the shortest: {shown}"
        )


def _repairs(clips: Sequence[Clip], repaired: Sequence[Clip]) -> tuple[Note, ...]:
    """A note that names the clips of which frames were repaired."""
    names = [
        old.name or f"clip {k}" for k, (old, new) in enumerate(zip(clips, repaired, strict=True)) if old is not new
    ]
    return info(f"{', '.join(names)}: errors of single frames, which no other take has, repaired") if names else ()


def _phase_warnings(clips: Sequence[Clip], clock: Clock) -> list[Note]:
    """A warning that names the clips which begin or end in another phase than the others."""
    names = ", ".join(clips[k].name or f"clip {k}" for k in out_of_phase(clock))
    if not names:
        return []
    return [
        warning(
            f"{names}: begins or ends in another phase of the motion than the other takes; cut all takes at the same "
            "event, for example with `motionloom trim --contacts left`"
        )
    ]


def _end_warnings(clips: Sequence[Clip], stopping: Sequence[int]) -> tuple[Note, ...]:
    """A warning that names the clips which end unlike the others, far from where the motion begins again."""
    names = ", ".join(clips[k].name or f"clip {k}" for k in stopping)
    if not names:
        return ()
    return (
        warning(
            f"{names}: ends unlike the other takes, far from the poses in which the motion begins again (as the last "
            "stride before a stop does); leave it out, or feet slide at the ends of variants"
        ),
    )


def _check_alike(clips: Sequence[Clip], clock: Clock) -> None:
    """`BadRequest` if a clip is no take of the same motion: time-warped, none is nearer to it than the mean pose."""
    if len(clips) < 2:
        return
    far = mean_pose_distances(clock)
    if far_takes(clock):
        shown = ", ".join(f"{clip.name or k} {x:.2f}" for k, (clip, x) in enumerate(zip(clips, far, strict=True)))
        raise BadRequest(
            "the clips are too different to be takes of one motion. Distances from the nearest other clip, in units of "
            f"the distance from the mean pose (takes: below {DIFFERENT:g}): {shown}; `motionloom select` finds clips "
            "that belong together"
        )


def _known_dofs(clips: Sequence[Clip], structure: VariationModel) -> Dofs:
    """The degrees of freedom of a model, on the body of other clips; `BadRequest` if they have other joints."""
    difference = hierarchy_difference(structure.skeleton, clips[0].skeleton)
    if difference:
        raise BadRequest(
            f"the structure was learned on other degrees of freedom than those of {clips[0].name or 'the clip'}: "
            f"{difference}"
        )
    if structure.fps != clips[0].fps:
        raise BadRequest(f"the structure was learned at {structure.fps:g} fps, and the clips are at {clips[0].fps:g}")
    return borrowed_dofs(structure.dofs, clips)


def _learned(
    clips: Sequence[Clip], sequences: Sequence[FloatArray], dofs: Dofs, config: Config, rng: Generator,
    progress: Progress,
) -> tuple[Networks, tuple[Note, ...]]:  # fmt: skip
    """The networks of sequences (F, D), and notes that describe them."""
    count = dofs.count
    none = Networks(np.zeros((2 * count, 2 * count), bool), own_edges(count), 0.0, 0.0)
    given = unrolling_of(clips, sequences, dofs, none, config)
    first = learn_prior.PriorBudget(config.parents, config.least_gain, config.restarts)
    second = learn_transition.transition_budget(config, config.restarts)
    work = learn_prior.prior_work(given.prior), learn_transition.transition_work(given.material, second)
    steps = parts(progress, work)
    prior = learn_prior.learn_prior(given.prior, given.prior_rules, first, rng=rng, progress=steps[0])
    found = learn_transition.learn_transition(given.material, given.rules, second, rng=rng, progress=steps[1])
    frames = sum(len(s) - 2 for s in sequences)
    networks = Networks(
        prior.edges, found.edges, prior.score / given.prior.instances.size, found.score / (frames * count)
    )
    edges = int(found.edges.sum()) - 2 * count
    return networks, info(
        f"prior network: {int(prior.edges.sum())} edges, log likelihood {networks.prior_score:.2f} per node",
        f"transition network: {edges} edges beside {2 * count} own ones, score {networks.transition_score:.3g} "
        "per frame and node",
    )


def _unlike(clips: Sequence[Clip], clock: Clock) -> list[Note]:
    """A warning that names the clips which are unlike the others, and what that is decided by.

    That is their distance along the time-warping path: what is re-synthesised from two frames can stray from any take,
    so likelihoods name the wrong one (137's second stride, beside a drunk one).
    """
    found = unlike_takes(clock.costs)
    if not found:
        return []
    names = [clip.name or f"clip {k}" for k, clip in enumerate(clips)]
    others = [name for k, name in enumerate(names) if k not in found]
    shown = ", ".join(f"{names[k]} {times:.1f}" for k, times in found.items())
    return [
        warning(
            f"{', '.join(names[k] for k in found)}: unlike {', '.join(others)}. In units of how far these are from "
            f"their nearest one, the distances from them are: {shown} (more than {UNLIKE:g}); leave them out, as "
            "`motionloom select` does, or learn from them alone"
        )
    ]


def _copies(clips: Sequence[Clip], clock: Clock) -> list[Note]:
    """A warning that names clips which are the same take."""
    names = [clip.name or f"clip {k}" for k, clip in enumerate(clips)]
    copied = np.triu(clock.costs < COPIED**2, 1)
    same = [f"{names[k]} and {names[m]}" for k, m in np.argwhere(copied)]
    return [warning(f"{', '.join(same)}: the same take; a copy counts as one more")] if same else []


def _repeats(loop: MeanLoop | None, rests: BoolArray, clips: Sequence[Clip]) -> str:
    """Whether the motion repeats, or why not; `rests` (U,) at the moments of the mean."""
    if loop is not None:
        unit = "takes are from each other" if len(clips) > 1 else "a frame is from the next"
        return f"repeats: where a cycle ends, it is {loop.seam:.2f} times as far from its beginning as {unit}"
    resting_ends = " and ".join(word for word, at in (("begins", 0), ("ends", -1)) if rests[at])
    if resting_ends:
        return f"does not repeat, as it {resting_ends} at rest"
    cut = "" if len(clips[0].skeleton) == 1 else " (strides must be cut to whole cycles)"
    return f"does not repeat, as its end does not lead back to its beginning{cut}"
