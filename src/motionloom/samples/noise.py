"""Natural variation: slow drift and personal traits, drawn from one seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike

from motionloom.core import FloatArray


@dataclass(frozen=True)
class Nature:
    """Where a performer's variation comes from. Each name is a stream of its own: adding one changes no other."""

    seed: int
    amount: float = 1.0  # 0 makes a machine of it

    def rng(self, name: str) -> np.random.Generator:
        return np.random.default_rng([self.seed, crc32(name.encode())])

    def trait(self, name: str, spread: float) -> float:
        """A constant of this performer: normal with standard deviation `spread`, cut off at two of them."""
        return float(np.clip(self.rng(name).normal(), -2, 2) * spread * self.amount)

    def draws(self, name: str, count: int, spread: float) -> FloatArray:
        """(count,) independent values, normal, cut off at 2.5 standard deviations: one per step or repetition."""
        return np.clip(self.rng(name).normal(size=count), -2.5, 2.5) * spread * self.amount

    def wander(
        self, name: str, spread: float, low: float = 0.08, high: float = 1.5
    ) -> Callable[[ArrayLike], FloatArray]:
        """A smooth function of time with standard deviation `spread` and a 1/f power spectrum from `low` to `high` Hz.

        Postural sway and the drift of gait over strides have such spectra (Hausdorff et al. 1995). A sum of sines
        with equal power per octave and random phases; it does not depend on the frame rate.
        """
        rng = self.rng(name)
        count = max(3, round(5 * np.log2(high / low)))
        steps = (np.arange(count) + rng.uniform(0, 1, count)) / count
        pulse = 2 * np.pi * low * (high / low) ** steps
        size = spread * self.amount * np.sqrt(2.0 / count) * rng.uniform(0.6, 1.4, count)
        phase = rng.uniform(0, 2 * np.pi, count)

        def value(time: ArrayLike) -> FloatArray:
            return np.sin(np.asarray(time, float)[..., None] * pulse + phase) @ size

        return value
