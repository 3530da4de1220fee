"""Packages whose names are imported when they are first used, so that importing the package alone takes no time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def homes(names_of: Mapping[str, str]) -> dict[str, str]:
    """The module of each name, in alphabetical order, from the names in each module.

    >>> homes({"writing": "save", "reading": "load sniff"})
    {'load': 'reading', 'save': 'writing', 'sniff': 'reading'}
    """
    return dict(sorted((name, module) for module, names in names_of.items() for name in names.split()))


def importer(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package: the module of a name is imported when the name is first used."""

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{homes[name]}"), name)

    return get
