"""The decorator of all compiled kernels: cached on disk, releasing the interpreter lock while they run.

Compiled code is cached beside its source, or in the user's cache folder where that cannot be written to, or not at all.
Kernels call kernels of other files, which are compiled into them; numba checks a kernel's own file only, and would keep
using the old machine code when another file changes. So the cached code is valid only while none of the files that the
kernel uses has changed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, overload

from motionloom.core import compiling
from motionloom.core.folder_settings import ignore_folder_settings

ignore_folder_settings("numba")
from numba import get_num_threads, njit, types  # noqa: E402 -- after the line above
from numba.core import caching, config, event  # noqa: E402

if hasattr(config, "_config_fname"):  # settings are read again whenever something is compiled
    config._config_fname = ""

F = TypeVar("F", bound=Callable[..., Any])

THIS_FILE = Path(__file__).resolve()
PACKAGE = THIS_FILE.parents[1]
IMPORT = re.compile(r"^from motionloom\.([\w.]+) import (\([^)]*\)|[^(\n]*)", re.MULTILINE)


@cache
def source_digest(source: Path) -> bytes:
    """A hash of a file with kernels and of every file of this package whose functions or constants it uses.

    Kernel files that it imports are followed further; of other modules, only the file itself counts.
    """
    digest = hashlib.sha256()
    for path in sorted(_used_files(source)):
        digest.update(path.read_bytes())
    return digest.digest()


def _used_files(source: Path) -> set[Path]:
    found, pending = {source}, [source]
    while pending:
        for path in _imported_files(pending.pop()) - found:
            found.add(path)
            if path.stem.startswith("_kernels"):
                pending.append(path)
    return found


@cache
def _imported_files(source: Path) -> frozenset[Path]:
    """The files of this package that the import statements of a file name; this file does not count."""
    files: set[Path] = set()
    for module, names in IMPORT.findall(source.read_text(encoding="utf-8")):
        folder = PACKAGE.joinpath(*module.split("."))
        files |= {folder.with_suffix(".py"), *(folder / f"{name}.py" for name in re.findall(r"\w+", names))}
    return frozenset(path for path in files if path.is_file() and path != THIS_FILE)


def _fresh_with_used_files(locator: Any) -> Any:
    """A numba cache locator for this package's kernels, whose code is fresh while no file it uses has changed."""

    class Locator(locator):  # type: ignore[misc]
        def get_source_stamp(self) -> bytes:
            return source_digest(Path(self._py_file).resolve())

        @classmethod
        def from_function(cls, py_func: Any, py_file: str) -> Any:
            return super().from_function(py_func, py_file) if py_func.__module__.startswith("motionloom.") else None

    return Locator


_locators = getattr(caching, "CacheImpl", None) or getattr(caching, "_CacheImpl", None)
if _locators is not None:  # numba's own, after ours
    _locators._locator_classes = [
        *map(_fresh_with_used_files, _locators._locator_classes[:3]),
        *_locators._locator_classes,
    ]


def _tolerate_unusable_cache(cache_file: Any) -> None:
    """Treat a cache index that cannot be unpickled as empty, and do without a cache that cannot be written.

    An index contains argument types; after an upgrade it may refer to a class that was moved or renamed. A disk may be
    full, or a folder read-only since the program started.
    """
    load_index, save = cache_file._load_index, cache_file.save

    def load_or_empty(self: Any) -> Any:
        try:
            return load_index(self)
        except Exception:
            return {}

    def save_or_skip(self: Any, key: Any, data: Any) -> None:
        with suppress(OSError):
            save(self, key, data)

    cache_file._load_index, cache_file.save = load_or_empty, save_or_skip


if hasattr(caching, "IndexDataCacheFile"):
    _tolerate_unusable_cache(caching.IndexDataCacheFile)


def field_names(signature: Iterable[Any]) -> tuple[tuple[str, ...], ...]:
    """The field names of every named tuple among some numba types, also inside of tuples.

    >>> field_names([types.float64])
    ()
    """
    found: list[tuple[str, ...]] = []
    for kind in signature:
        if isinstance(kind, (types.NamedTuple, types.NamedUniTuple)):
            found.append(tuple(kind.fields))
        if isinstance(kind, types.BaseTuple):
            found += field_names(kind)  # type: ignore[arg-type]
    return tuple(found)


def _tell_fields_apart(cache_class: Any) -> None:
    """Code compiled for a named tuple is used only while its fields are the same, in the same order.

    Numba's key holds the class by its name; code of a class whose fields were reordered would read the wrong ones.
    """
    index_key = cache_class._index_key

    def with_fields(self: Any, sig: Any, codegen: Any) -> Any:
        names = field_names(sig if isinstance(sig, tuple) else sig.args)
        own = index_key(self, sig, codegen)
        return (*own, names) if names else own

    cache_class._index_key = with_fields


if hasattr(getattr(caching, "Cache", None), "_index_key"):
    _tell_fields_apart(caching.Cache)


class _Compiling(event.Listener):
    """Passes on when a kernel that is not in the cache is compiled."""

    def on_start(self, event: Any) -> None:
        compiling.begin()

    def on_end(self, event: Any) -> None:
        compiling.end()


event.register("numba:compile", _Compiling())  # type: ignore[no-untyped-call]


@overload
def kernel(function: F) -> F: ...
@overload
def kernel(*, fastmath: Any = False, inline: bool = False, counted: bool = True) -> Callable[[F], F]: ...
def kernel(function: Any = None, *, fastmath: Any = False, inline: bool = False, counted: bool = True) -> Any:
    """Compile a function at its first call. `fastmath` as in numba; `inline` puts its body into its callers.

    If not `counted`, numba does not count references to the arrays that Python passes, nor do the kernels that are
    called with them: each of these would count all arrays of a table, which takes longer than the work. Such a kernel
    cannot make arrays, and must neither return any nor take any from a kernel that it calls.
    """
    options: dict[str, Any] = {"nogil": True, "fastmath": fastmath, "_nrt": counted}
    if inline:
        options["inline"] = "always"

    def decorate(plain: Any) -> Any:
        try:
            return njit(**options, cache=True)(plain)
        except RuntimeError:  # no folder to cache in can be written to
            compiling.not_cached()
            return njit(**options)(plain)

    return decorate if function is None else decorate(function)


def thread_count() -> int:
    """How many threads kernels may use here: the number of cores, or NUMBA_NUM_THREADS."""
    return int(get_num_threads())
