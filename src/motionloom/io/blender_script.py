"""Runs inside Blender, without the rest of motionloom: `blender_script.py IN.glb OUT.fbx FPS` (see `fbx_export`)."""

from __future__ import annotations

import sys
from datetime import datetime
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any


def export(source: str, target: str, fps: float) -> None:
    """Import a GLB file into an empty scene and export it as FBX, with a key in every frame."""
    bpy: Any = import_module("bpy")
    addons: Any = import_module("addon_utils")  # is there once bpy is imported
    bpy.ops.wm.read_factory_settings(use_empty=True)
    for addon in ("io_scene_gltf2", "io_scene_fbx"):
        addons.enable(addon)
    _make_repeatable()
    scene = bpy.context.scene
    scene.name = Path(source).stem  # names the take
    scene.render.fps = max(1, round(fps))
    scene.render.fps_base = scene.render.fps / fps  # keys are placed on the frames of the scene
    bpy.ops.import_scene.gltf(filepath=source)
    spans: list[Any] = [action.frame_range for action in bpy.data.actions]
    scene.frame_start, scene.frame_end = round(min(a for a, _ in spans)), round(max(b for _, b in spans))
    bpy.ops.export_scene.fbx(
        filepath=target,
        object_types={"ARMATURE", "MESH", "EMPTY"},
        add_leaf_bones=False,
        bake_anim_use_nla_strips=False,
        bake_anim_use_all_actions=False,
        bake_anim_simplify_factor=0.0,
        path_mode="COPY",
        embed_textures=True,
    )


def _make_repeatable() -> None:
    """Give equal clips equal bytes: the exporter writes the time, and numbers that depend on Python's random hashes."""
    writer, names = (import_module(f"io_scene_fbx.{name}") for name in ("export_fbx_bin", "fbx_utils"))
    vars(writer)["datetime"] = SimpleNamespace(datetime=SimpleNamespace(now=lambda: datetime(1970, 1, 1)))
    vars(names)["hash"] = lambda key: int.from_bytes(sha256(repr(key).encode()).digest()[:7], "big")


if __name__ == "__main__":
    source, target, fps = sys.argv[-3:]
    export(source, target, float(fps))
