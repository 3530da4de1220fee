"""Stored numbers that kernels use as indices: for each, the check that rejects it when it is out of range.

The table is complete for whole numbers: every array of them, and every whole number in the description of a model, is
in it or is listed as no index; a new one fails the test until its check is named here. Other numbers in it become
indices or lengths when they are rounded.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from motionloom.core import FormatError
from motionloom.methods import METHODS, load_model, save_model

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))
from mutations import model_bytes, model_parts

from learning_inputs import SPECIAL

GRAPH = {
    "graph.transitions.a": r"graph\.transitions\.a: expected",  # graph/stored_checks.py, check_graph
    "graph.transitions.b": r"graph\.transitions\.b: expected",
    "graph.half": r"graph\.half: expected",
}
TREES = ("order", "first", "stop", "medoid", "ends", "roots")
CHECKS = {
    "skeleton.parents": r"parent",  # Skeleton.__post_init__
    "skeleton.ends.N.joint": r"end site",
    "clips.N.skeleton.parents": r"parent",
    "clips.N.origin.which": r"which|sources",  # Origin.__post_init__
    "cuts.leave": r"cuts\.leave: expected",  # CutsModel.check
    "cuts.enter": r"cuts\.enter: expected",
    "loops.N.start": r"loops\.\d+: expected",
    "loops.N.end": r"loops\.\d+: expected",
    **GRAPH,
    "graph.clips.N.origin.which": r"which|sources",
    **{
        f"levels.{name}": rf"levels\.{name}: expected" for name in TREES
    },  # hierarchical_graph/edge_trees.py, check_trees
    "clusters.example": r"clusters\.example: expected",  # TwoLevelGraphModel.check
    "clusters.of": r"clusters\.of: expected",
    "observed.N.texton": r"observed\.\d+\.texton: expected",  # textons/stored_checks.py, check_observed
    "observed.N.frame": r"observed\.\d+\.frame: expected",
    "observed.N.covers": r"observed\.\d+\.covers: expected",
    "observed.N.origin.which": r"which|sources",
    "links.N.frames": r"links\.\d+\.frames: expected",  # TextureModel.check
    "links.N.N": r"links\.\d+\.frames: expected",
    "dofs.moving": r"dofs\.moving: expected",  # variation/dofs.py, Dofs.check
    "dofs.layout.joints.N": r"joints: expected",  # kinematics/channels/layout.py, Layout.__post_init__
    "dofs.layout.sliding.N": r"sliding: expected",
    "dofs.layout.skeleton.ends.N.joint": r"end site",
    "examples.N.origin.which": r"which|sources",
    "grid.lead": r"grid\.lead: expected",  # space/space.py, check_rows
    "grid.count": r"grid\.count: expected",
    "space.rows.lead": r"space\.rows\.(lead|turns): expected",  # space/space.py, Space.check
    "space.rows.count": r"space\.rows\.(count|turns): expected",
    "space.parameters.N.size": r"space\.",
    "space.rows.times": r"space\.rows\.(times|paces): expected",  # numbers that become indices when they are rounded
    "space.rows.paces": r"space\.rows\.(times|paces): expected",  # ... and lengths of results
    "grid.times": r"grid\.(times|paces): expected",
    "grid.paces": r"grid\.(times|paces): expected",
    "splines.gaps": r"splines\.gaps: expected",
    "nodes.N.space.rows.times": r"space\.rows\.(times|paces): expected",
    "nodes.N.space.rows.paces": r"space\.rows\.(times|paces): expected",
    "edges.N.points": r"edges\.\d+\.points: expected",
    "gaze_map": r"gaze_map: ",  # the bytes of a model
    "variation": r"variation: ",
    "overlays.box.origin.which": r"which|sources",
    "nodes.N.lengths": r"nodes\.lengths: expected",  # parametric_graph/nodes.py, Node.check
    "nodes.N.sources.which": r"nodes\.sources\.which: expected",
    "nodes.N.space.rows.lead": r"space\.rows\.(lead|turns): expected",
    "nodes.N.space.rows.count": r"space\.rows\.(count|turns): expected",
    "nodes.N.space.parameters.N.size": r"space\.",
    "edges.N.source": r"edges\.\d+\.source: expected",  # parametric_graph/edge.py, Edge.check
    "edges.N.target": r"edges\.\d+\.target: expected",
    "loop.start": r"loop: expected",  # VariationModel.check
    "loop.stop": r"loop: expected",
}
NO_INDEX = (  # counts that are only reported, and values of recipes
    r"(.*\.)?origin\.(made|sources|notes)\..*",
    r"pruned\..*",
    r"(edges\.\d+\.report|refused\.\d+)\..*",
    r".*\.(seed|take|line|unit|frames_per_second)",
)


def plain(name: str) -> str:
    return re.sub(r"\.\d+(?=\.|$)", ".N", name)


def whole_numbers(tree, name=""):
    """Every whole number in a description, with the path to it in the model and how to change it."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        path = name if key in ("fields", "tuple", "list", "map") else f"{name}.{key}".lstrip(".")
        if isinstance(value, int) and not isinstance(value, bool):
            yield path, tree, key
        yield from whole_numbers(value, path)


@pytest.mark.parametrize("method", [*METHODS, *SPECIAL])
def test_every_stored_index_has_a_check_that_is_named_here(method, models, tmp_path):
    path = tmp_path / "model.loom"
    save_model(SPECIAL[method](models.__getitem__) if method in SPECIAL else models[method], path)
    arrays, head = model_parts(path.read_bytes())
    tried = set()

    def rejected(name, data):
        path.write_bytes(data)
        with pytest.raises(FormatError) as caught:
            load_model(path)
        assert re.search(CHECKS[plain(name)], str(caught.value)), f"{name}: {caught.value}"

    for name, array in arrays.items():
        whole = array.dtype.kind in "iu"
        if plain(name) in tried or not (whole or plain(name) in CHECKS):
            continue
        assert plain(name) in CHECKS, f"{name} of {method} holds whole numbers: name the check of their range here"
        if not array.size:
            continue
        tried.add(plain(name))
        for value in (np.iinfo(array.dtype).max, np.iinfo(array.dtype).min) if whole else (1e6, -1e6):
            damaged = array.copy().reshape(-1)
            damaged[-1] = value
            if (damaged == array.reshape(-1)).all():  # of bytes
                continue
            rejected(name, model_bytes(arrays | {name: damaged.reshape(array.shape)}, head))
    for name, owner, key in list(whole_numbers({"skeleton": head["skeleton"], **head["model"]})):
        if plain(name) in tried or any(re.fullmatch(pattern, name) for pattern in NO_INDEX):
            continue
        tried.add(plain(name))
        assert plain(name) in CHECKS, f"{name} of {method} is a whole number: name the check of its range here"
        for value in (1 << 40, -5):
            before, owner[key] = owner[key], value
            rejected(name, model_bytes(arrays, json.loads(json.dumps(head))))
            owner[key] = before
    assert tried
