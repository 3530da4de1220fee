"""Reading and writing clips and markers, with the files beside them (labels, roles, licence, origin)."""

from motionloom.io.find import expand_paths
from motionloom.io.formats import (
    FORMATS,
    Format,
    holds_markers,
    load,
    load_many,
    load_markers,
    load_take,
    save,
    save_markers,
)
from motionloom.io.overwriting import check_target
from motionloom.io.reader_settings import Reading
from motionloom.io.sidecars.labels import labels_path, read_labels, write_labels
from motionloom.io.sidecars.roles import read_roles, with_roles
from motionloom.io.strokes.csv import stroke_clip

__all__ = [
    "FORMATS",
    "Format",
    "Reading",
    "check_target",
    "expand_paths",
    "holds_markers",
    "labels_path",
    "load",
    "load_many",
    "load_markers",
    "load_take",
    "read_labels",
    "read_roles",
    "save",
    "save_markers",
    "stroke_clip",
    "with_roles",
    "write_labels",
]
