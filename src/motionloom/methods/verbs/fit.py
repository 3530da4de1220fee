"""Learning for verbs: cut examples, register them by key times, fit B-splines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from motionloom.blend.registration import with_ends
from motionloom.constraints import MotionParameter
from motionloom.core import BadRequest, Clip, FloatArray, Progress, part, silent
from motionloom.core.note import info
from motionloom.methods.base import Measured
from motionloom.methods.space.build import listed_cuts, registered_note, space_of
from motionloom.methods.space.choose_examples import check_independent, gather
from motionloom.methods.space.cutting import ExampleCut, other_sides
from motionloom.methods.space.examples import chosen_parameters, cut_examples
from motionloom.methods.space.learning import CUTTING, least_distance, model_fields
from motionloom.methods.space.sampling import sample_space
from motionloom.methods.verbs.adverbs import adverb_table, check_different, key_table
from motionloom.methods.verbs.config import DEFAULT, Config
from motionloom.methods.verbs.model import VerbModel
from motionloom.methods.verbs.splines import fit_splines

SAME_ADVERBS = 1e-6  # of the range: cuts of one clip have the adverbs of the clip; one of them is kept


def fit(
    clips: Sequence[Clip],
    config: Config = DEFAULT,
    *,
    parameters: Sequence[MotionParameter] = (),
    rng: Generator | None = None,
    progress: Progress | None = None,
) -> VerbModel:
    """A verb from some clips of one action; `parameters` are the user's own, in addition to the table."""
    report, rng = progress or silent(), rng or np.random.default_rng(0)
    by_hand: tuple[Measured, ...] = ()
    given: FloatArray | None = None
    if config.adverbs:
        names, given = adverb_table(config.adverbs, clips)
        chosen = tuple(MotionParameter(name, "", 1, "given by hand", None) for name in names)
        by_hand = tuple(Measured(name, "", 1, given[:, [n]]) for n, name in enumerate(names))
    else:
        chosen = chosen_parameters(config, parameters)
    cuts, cyclic = cut_examples(clips, config, part(report, 0.0, CUTTING))
    if given is not None:
        cuts = _on_own_side(cuts, clips, cyclic)
    keys = _keys(config.keys, clips, cuts) if config.keys else None
    merge = least_distance(config, clips, cuts)
    found = gather(
        cuts, chosen, cyclic=cyclic, registration=config.registration, most_cost=config.most_cost,
        merge=max(merge, SAME_ADVERBS) if given is not None else merge, margin=config.margin,
        progress=part(report, CUTTING, 0.8), values=None if given is None else given[[cut.source for cut in cuts]],
        keys=keys, smooth=config.variant != "faithful",
    )  # fmt: skip
    check_independent(found.cuts, found.values, chosen)
    if given is not None:
        check_different(given, clips)
    rows = found.rows
    count = max(4 + 3 * (not cyclic), int(np.ceil(float(rows.durations.mean()) / config.spacing)))
    gaps = rows.count
    if config.variant == "faithful" and found.keys is not None:  # rows are evenly spaced between key times (eq 2.6)
        first = found.cuts[0].played
        gaps = len(with_ends(found.keys[0], (len(first) - 1) / first.fps)) - 1
    report(0.9, "fitting splines")
    splines = fit_splines(rows, min(count, rows.count), gaps)
    sampled = sample_space(
        found.values, lambda w: w @ found.values, most=0, together=2, smoothness=1.0, rng=rng, progress=silent()
    )
    notes = [
        *found.notes,
        *info(f"{registered_note(found)}; {splines.control.shape[1]} control points"),
        *listed_cuts(found.cuts, found.values, chosen, rows, found.cost),
    ]
    report(1.0, "fitting splines")
    return VerbModel(
        **model_fields(clips, config, found.cuts, notes), measured=by_hand, splines=splines,
        space=space_of(rows, chosen, found.values, sampled, 1.0),
    )  # fmt: skip


def _on_own_side(cuts: Sequence[ExampleCut], clips: Sequence[Clip], cyclic: bool) -> list[ExampleCut]:
    """The cuts without mirrored ones, for which numbers that are given by hand need not hold (a left turn, a limp).

    A mirrored cycle of the right foot is replaced by the same steps unmirrored, begun with the left foot.
    """
    mirrored = [cut for cut in cuts if cut.mirrored]
    turned = [cut for cut in other_sides(mirrored) if not cut.mirrored] if cyclic else []
    kept = [cut for cut in cuts if not cut.mirrored] + turned
    for i, clip in enumerate(clips):
        if all(cut.source != i for cut in kept):
            raise BadRequest(
                f"{clip.name or f'clip {i}'} has no cycle that begins with the left foot, and mirrored cycles "
                "are not used where adverbs are given by hand; `cut: none` uses clips as they are",
                where=("adverbs",),
            )
    return kept


def _keys(text: str, clips: Sequence[Clip], cuts: Sequence[ExampleCut]) -> list[FloatArray]:
    """Key times on the clock of each cut."""
    table = key_table(text, clips)
    out = []
    for cut in cuts:
        own = table[cut.source] - cut.first / cut.clip.fps
        if len(own) and not 0 < own[0] <= own[-1] < (cut.last - cut.first) / cut.clip.fps:
            raise BadRequest(
                f"keys of {cut.name}: they lie outside of the part that is played; give them with `cut: none`",
                where=("keys",),
            )
        out.append(own)
    return out
