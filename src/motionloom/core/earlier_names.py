"""Earlier names of options, choices and flags: accepted for one release, with a note (see `Field.formerly`)."""

from __future__ import annotations

import warnings


def deprecated(earlier: str, present: str) -> None:
    """Warn that a name was replaced; the command line prints the warning as a note."""
    warnings.warn(
        f"{earlier!r} is now called {present!r}; the earlier name is accepted until the next release",
        FutureWarning,
        stacklevel=4,
    )
