"""The one decorator for compiled kernels: cached on disk, and without the interpreter lock while they run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

from numba import get_num_threads, njit

F = TypeVar("F", bound=Callable[..., Any])


@overload
def kernel(function: F) -> F: ...
@overload
def kernel(*, fastmath: Any = False, inline: bool = False) -> Callable[[F], F]: ...
def kernel(function: Any = None, *, fastmath: Any = False, inline: bool = False) -> Any:
    """Compile a function at its first call. `fastmath` as in numba; `inline` puts its body into its callers."""
    options: dict[str, Any] = {"cache": True, "nogil": True, "fastmath": fastmath}
    if inline:
        options["inline"] = "always"
    decorate = njit(**options)
    return decorate if function is None else decorate(function)


def thread_count() -> int:
    """How many threads kernels may use here: the number of cores, or what NUMBA_NUM_THREADS says."""
    return int(get_num_threads())
