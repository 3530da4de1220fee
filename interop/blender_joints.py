"""What Blender makes of files: run by `.venv-blender` with a JSON list of jobs; prints one JSON line for each.

A job is {"path", "fps", "frames": [0, 7, ...]}, and "again": a path to export what was imported to, or nothing; "onto":
a rig whose armature plays the imported animation instead, or nothing. The answer has the bones' names, their parents,
the number of frames, where the bones' heads are (frames x bones x 3), in the file's unit with y up, and where they are
at rest (bones x 3); of a skinned mesh also its points (frames x points x 3), and the names of its materials.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import bpy


def imported(path: str, fps: float) -> Any:
    """The armature that an import makes in an empty scene which runs at the clip's frame rate."""
    import addon_utils  # is there once bpy is imported

    bpy.ops.wm.read_factory_settings(use_empty=True)
    for addon in ("io_anim_bvh", "io_scene_fbx", "io_scene_gltf2"):
        addon_utils.enable(addon)
    scene = bpy.context.scene
    scene.render.fps = max(1, round(fps))
    scene.render.fps_base = scene.render.fps / fps
    if path.endswith(".bvh"):
        bpy.ops.import_anim.bvh(filepath=path, update_scene_fps=False, use_fps_scale=False, frame_start=1)
    elif path.endswith((".glb", ".gltf")):
        bpy.ops.import_scene.gltf(filepath=path)
    elif path.endswith(".fbx"):
        bpy.ops.import_scene.fbx(filepath=path)
    else:
        bpy.ops.wm.usd_import(filepath=path, set_frame_range=True)
    found = [o for o in bpy.data.objects if o.type == "ARMATURE"]
    if len(found) != 1:
        raise RuntimeError(f"{len(found)} armatures")
    return found[0]


def on_rig(path: str, played: Any) -> Any:
    """The armature of another file, imported beside the first one, with the action of the first one."""
    before = set(bpy.data.objects)
    bpy.ops.import_scene.gltf(filepath=path)
    (other,) = [o for o in bpy.data.objects if o.type == "ARMATURE" and o not in before]
    other.animation_data_create()
    for track in list(other.animation_data.nla_tracks):
        other.animation_data.nla_tracks.remove(track)
    other.animation_data.action = played.animation_data.action
    slot = getattr(played.animation_data, "action_slot", None)
    if slot is not None:
        other.animation_data.action_slot = slot
    return other


def skin_of(armature: Any) -> Any:
    """The mesh that the armature deforms, or None."""
    for o in bpy.data.objects:
        if o.type == "MESH" and any(m.type == "ARMATURE" and m.object == armature for m in o.modifiers):
            return o
    return None


def answer(job: dict[str, Any]) -> dict[str, Any]:
    armature = imported(job["path"], job["fps"])
    action = armature.animation_data.action
    if job.get("onto"):
        armature = on_rig(job["onto"], armature)
    if action is None:  # a USD animation comes as an action of its own, or as none
        action = bpy.data.actions[0]
    start, end = action.frame_range
    places, points, skin = [], [], skin_of(armature)
    for frame in job["frames"]:
        bpy.context.scene.frame_set(round(start) + frame)
        world = armature.matrix_world
        heads = [world @ bone.head for bone in armature.pose.bones]
        places.append([[p.x, p.z, -p.y] for p in heads])  # z up to y up
        if skin is not None:
            shown = skin.evaluated_get(bpy.context.evaluated_depsgraph_get())
            corners = [shown.matrix_world @ corner.co for corner in shown.data.vertices]
            points.append([[p.x, p.z, -p.y] for p in corners])
    if job.get("again"):
        bpy.context.scene.frame_start, bpy.context.scene.frame_end = round(start), round(end)
        bpy.ops.export_scene.gltf(filepath=job["again"], export_format="GLB", export_force_sampling=True)
    bones = armature.data.bones
    return {
        "path": job["path"],
        "names": [bone.name for bone in bones],
        "parents": [bone.parent.name if bone.parent else "" for bone in bones],
        "frames": end - start + 1,
        "places": places,
        "points": points,
        "materials": [] if skin is None else [m.name for m in skin.data.materials],
        "rest": [[p.x, p.z, -p.y] for p in (armature.matrix_world @ bone.head_local for bone in bones)],
    }


def main() -> None:
    with open(sys.argv[1]) as file:
        jobs = json.load(file)
    with open(sys.argv[2], "w") as out:
        for job in jobs:
            try:
                found = answer(job)
            except Exception as error:
                found = {"path": job["path"], "error": f"{type(error).__name__}: {error}"}
            out.write(json.dumps(found) + "\n")


main()
