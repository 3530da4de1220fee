"""A cache that is bounded in bytes."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any


class ByteCache:
    """Results by key, up to a number of bytes; when it is full, it is emptied."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes, self.size = max_bytes, 0
        self.held: dict[Hashable, Any] = {}

    def get(self, key: Hashable, compute: Callable[[], Any], size: Callable[[Any], int]) -> Any:
        """The result stored under a key; if there is none, it is computed and stored.

        >>> cache = ByteCache(1000)
        >>> cache.get("a", lambda: 1, lambda result: 8), cache.get("a", lambda: 2, lambda result: 8)
        (1, 1)
        """
        found = self.held.get(key)
        if found is None:
            found = compute()
            if self.size + size(found) > self.max_bytes:
                self.held, self.size = {}, 0
            self.held[key] = found
            self.size += size(found)
        return found
