"""What is fuzzed: valid files of every kind, and how each kind is read. Case n of a kind is always the same."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import clip_files
import model_files
import numpy as np
import other_files as other
from clip_files import AMC, ASF, BVH, beside, marker_file, saved
from model_files import SPECIAL, model_bytes, request_text, run_model, run_request
from mutations import damaged_bytes, damaged_glb, damaged_json, damaged_npz, damaged_request

from motionloom.control.tracks import read_tracks
from motionloom.core import MotionloomError
from motionloom.evaluate.study.ratings import read_ratings
from motionloom.io import load, load_many, load_markers
from motionloom.io.download.fetch import SUMS, _sums
from motionloom.kinematics import fk
from motionloom.methods import METHODS
from motionloom.methods.gaze.fit import read_marking, read_targets
from motionloom.methods.parametric_graph.graph_file import read_graph_file
from motionloom.methods.texture.influence import read_influence
from motionloom.methods.two_level_graph.masks import mask_files, read_masks
from motionloom.recipes.gazing import read_objects

LONGEST = 3000  # characters of a message
INTEL, DEC, MIPS = 84, 85, 86  # machines of C3D files
# shares of the cases, so that every kind takes about the same time
QUICK, USUAL, LARGE, MODEL, PROCESS = 3.0, 1.5, 0.5, 0.1, 0.004  # models are run; FBX has a new process for each file


class Kind(NamedTuple):
    """A kind of input: the valid file, the other files that are needed with it, and how it is read."""

    name: str
    valid: Callable[[Path], bytes]  # makes the file; the folder already has the others
    read: Callable[[Path], Any]
    others: Callable[[Path], None] = lambda folder: None
    damage: Callable[[bytes, np.random.Generator], bytes] = damaged_bytes
    share: float = USUAL


def _clip(name: str) -> Callable[[Path], Any]:
    def read(folder: Path) -> Any:
        clip = load(folder / name, strict=zlib.crc32((folder / name).read_bytes()) % 5 == 0)
        assert np.isfinite(fk(clip[:2])).all()
        return clip

    return read


def _fixed(data: bytes) -> Callable[[Path], bytes]:
    return lambda folder: data


def _with(name: str, data: bytes) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes(data) and None


READERS = (
    Kind("x.bvh", saved("bvh"), _clip("x.bvh")),
    Kind("short/x.bvh", _fixed(BVH), _clip("x.bvh")),
    Kind("x.glb", saved("glb"), _clip("x.glb"), damage=damaged_glb, share=LARGE),
    Kind("x.gltf", clip_files.gltf, _clip("x.gltf"), damage=damaged_json, share=LARGE),
    Kind("x.npz", saved("npz"), _clip("x.npz"), damage=damaged_npz, share=LARGE),
    Kind("s.npz", clip_files.smpl, _clip("s.npz"), damage=damaged_npz),
    Kind("x.amc", _fixed(AMC), _clip("x.amc"), _with("x.asf", ASF), share=LARGE),
    Kind("x.asf", _fixed(ASF), _clip("x.amc"), _with("x.amc", AMC), share=LARGE),
    Kind("x.csv", clip_files.stroke, _clip("x.csv"), share=QUICK),
    Kind("m.csv", marker_file(".csv"), lambda folder: load_markers(folder / "m.csv")),
    Kind("x.trc", marker_file(".trc"), lambda folder: load_markers(folder / "x.trc")),
    *(
        Kind(f"{name}/x.c3d", clip_files.c3d(code, floats=floats), lambda folder: load_markers(folder / "x.c3d"))
        for name, code, floats in (("intel", INTEL, True), ("dec", DEC, True), ("mips", MIPS, False))
    ),
    Kind("x.mat", clip_files.mat, lambda folder: load_many(folder / "x.mat"), share=QUICK),
    Kind("x.fbx", clip_files.fbx, _clip("x.fbx"), share=PROCESS),
    Kind("forked/x.fbx", clip_files.fbx, clip_files.in_forked_process(_clip("x.fbx")), share=MODEL),
    Kind("x.usda", saved("usda"), _clip("x.usda"), share=MODEL),
    Kind("x.usdc", saved("usdc"), _clip("x.usdc"), share=MODEL),
)
LABELS = b"start,end,label\n0,0.1,walk\n0.1,0.2,contact:left_heel\n"
ROLES = b'[roles]\nhips = "Hips"\nleft_foot = "LeftFoot"\n[reading]\nunit = "cm"\nup = "y"\nfps = 60\n'
SIDE_FILES = (
    Kind("x.labels.csv", _fixed(LABELS), _clip("x.bvh"), beside, share=LARGE),
    Kind("x.roles.toml", _fixed(ROLES), _clip("x.bvh"), beside, share=LARGE),
    Kind("x.licence.txt", _fixed(b"CC BY 4.0, by A. N. Other\n"), _clip("x.bvh"), beside, share=LARGE),
    Kind("x.origin.json", other.origin, _clip("x.bvh"), beside, damaged_json, share=LARGE),
    Kind("x.journal", other.journal, other.read_journal, damage=damaged_json, share=QUICK),
)
OTHER_FILES = (
    Kind("x.yaml", _fixed(other.REQUEST), other.read_request, other.request_files, damaged_request, share=LARGE),
    Kind("ground/x.csv", _fixed(other.HEIGHTS), other.read_heights),
    Kind("graph/x.toml", _fixed(other.GRAPH), lambda folder: read_graph_file(folder / "x.toml"), beside, share=MODEL),
    Kind("tracks/x.csv", _fixed(other.TRACKS), lambda folder: read_tracks(folder / "x.csv"), share=QUICK),
    Kind("adverbs/x.yaml", _fixed(other.ADVERBS), other.read_adverbs, beside, share=LARGE),
    Kind("method/x.yaml", _fixed(other.CONTENDER), other.read_method, damage=damaged_json, share=QUICK),
    Kind("gaze/x.csv", _fixed(other.TARGETS), lambda folder: read_targets(folder / "x.csv"), share=QUICK),
    Kind("gaze/x.toml", _fixed(other.MARKING), lambda folder: read_marking(folder / "x.toml"), share=QUICK),
    Kind("ratings/x.csv", _fixed(other.RATINGS), lambda folder: read_ratings(folder / "x.csv"), share=QUICK),
    Kind("objects/x.csv", _fixed(other.OBJECTS), lambda folder: read_objects(folder / "x.csv"), share=QUICK),
    Kind(
        "influence/x.csv", other.influence, lambda folder: read_influence(folder / "x.csv", clip_files.small().skeleton)
    ),
    Kind("mask/x.png", other.mask, lambda folder: read_masks(mask_files(folder))),
    Kind("again/x.origin.json", other.recipe(streamed=False), other.repeat_recipe, damage=damaged_json, share=MODEL),
    Kind("streamed/x.origin.json", other.recipe(streamed=True), other.repeat_recipe, damage=damaged_json, share=MODEL),
    Kind("web/x.npz", other.web, other.read_web, other.web_files, damaged_npz),
    Kind("web/x.json", other.decisions, other.read_decisions, other.web_files, damaged_json),
    Kind("x.zip", other.archive, other.read_archive, share=QUICK),
    Kind(f"sums/{SUMS}", _fixed(other.SUMS), _sums, share=QUICK),
    Kind("x.http", _fixed(other.HTTP), other.read_http, share=QUICK),
)
MODELS = tuple(
    Kind(f"{name}/x.loom", model_bytes(name), run_model, damage=model_files.damage, share=LARGE)
    for name in (*METHODS, *SPECIAL)
)
REQUESTS = tuple(
    Kind(f"{name}/x.yaml", request_text(name), run_request(name), beside, damaged_request, share=MODEL)
    for name in METHODS
)
KINDS: tuple[Kind, ...] = (*READERS, *SIDE_FILES, *OTHER_FILES, *REQUESTS, *MODELS)
BY_NAME = {kind.name: kind for kind in KINDS}


def prepare(kind: Kind, models: Path, top: Path) -> tuple[Path, bytes]:
    """The folder of a kind with its other files, and the valid bytes."""
    model_files.FOLDER[:] = [models]
    folder = top / kind.name.replace("/", "_").replace(".", "_")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / Path(kind.name).name).unlink(missing_ok=True)  # the last damaged file of an earlier run
    kind.others(folder)
    return folder, kind.valid(folder)


def run_case(kind: Kind, folder: Path, valid: bytes, number: int) -> bool:
    """Whether damaged file `number` could be read; anything but a `MotionloomError` is raised. Case -1 is valid."""
    rng = np.random.default_rng([zlib.crc32(kind.name.encode()), number + 1])
    (folder / Path(kind.name).name).write_bytes(valid if number < 0 else kind.damage(valid, rng))
    try:
        kind.read(folder)
    except MotionloomError as error:
        if number < 0:
            raise
        if len(str(error)) > LONGEST:
            raise ValueError(f"a message of {len(str(error))} characters") from error
        return False
    return True
