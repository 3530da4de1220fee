"""Motion transfers that record their recipe."""

from __future__ import annotations

from motionloom.core import Clip, Progress
from motionloom.methods.texture.transfer_by_analogy import ANALOGY, Transferred
from motionloom.methods.texture.transfer_by_analogy import transfer as transferred
from motionloom.recipes.recorded_edits import edit_step, made_of


def transfer(
    a: Clip, a_styled: Clip, b: Clip, *, seed: int = 0, weight: float = ANALOGY, progress: Progress | None = None
) -> Transferred:
    """What `a_styled` is to `a`, for `b`; options as for `methods.texture.transfer_by_analogy`."""
    given = {"seed": seed or None, "weight": None if weight == ANALOGY else weight}
    step = edit_step("transfer", [a, a_styled, b], given)
    made = transferred(a, a_styled, b, seed=seed, weight=weight, progress=progress)
    return made._replace(clip=made_of(made.clip, [a_styled, a, b], step))  # the body is that of the second clip
