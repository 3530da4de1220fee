"""Files that we wrote, in the eyes of Blender and three.js: `./run interop` calls this with what it found to run them.

Each clip is written as BVH, GLB and, where the extra is installed, USD. The other program imports it; joint names,
hierarchy and number of frames must be the same, and every joint must be where we say, to 0.1 mm. GLB files must pass
Khronos' validator without an error or a warning.

Three skinned rigs (those of the tests: bones along y, along x, any axes) get a motion by `retarget`: in Blender bones,
skin and material of the result are as we say, and the animation plays the same on the untouched rig. FBX files of the
same, which Blender writes for us, have their bones where we say, in Blender and read again by us.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from motionloom.core import Clip, FloatArray, MotionloomError
from motionloom.io import FORMATS, load, save
from motionloom.io.fbx_export import PROGRAM
from motionloom.kinematics import fk, positions
from motionloom.kinematics.body.rest_pose import stance
from motionloom.recipes import retarget
from motionloom.samples import make

HERE = Path(__file__).resolve().parent
MOCAP = HERE.parents[1] / "shared" / "mocap"
TOLERANCE = 1e-4  # m
FRAMES = 12  # compared of each clip, the first and the last among them
CMU = ("16_15", "35_17", "49_06", "60_10", "69_01", "75_20", "83_42", "93_03", "127_25", "143_23")
DOG = ("007_KAN01_001", "009_KAN01_002", "010_KAN01_003", "ex04_KAN02_002")
BANDAI = (
    *("1_punch_normal_001", "1_punch_normal_002", "2_raise-up-both-hands_normal_001"),
    *("2_raise-up-both-hands_normal_002", "2_walk-turn-left_normal_001", "2_walk-turn-right_normal_001"),
)
REAL = (
    *(f"cmu/{take}.bvh" for take in CMU),
    *(f"dog/D1_{take}.bvh" for take in DOG),
    *(f"bandai/dataset-{take}.bvh" for take in BANDAI),
)
AGAIN = ("35_17", "D1_010_KAN01_003", "dataset-1_punch_normal_001")  # go through Blender and are read by us again
SAMPLES = ("walk", "run", "jump", "punch", "dance", "dog_walk")


def clips() -> dict[str, Clip]:
    """Twenty real clips of three skeletons, or samples where there are none; and a sample that has eyes."""
    if not MOCAP.is_dir():
        print("no ../shared/mocap: our own samples are used")
        return {name: make(name) for name in SAMPLES}
    paths = [MOCAP / name for name in REAL]
    missing = [path.name for path in paths if not path.is_file()]
    if missing:
        raise SystemExit(f"not in ../shared/mocap: {', '.join(missing)}")
    read = {path.stem: load(path, drop_slides=True) for path in paths}  # three.js adds position channels to OFFSET
    return read | {"sample_walk": make("walk")}


def written(folder: Path, found: dict[str, Clip]) -> list[dict[str, Any]]:
    """Write every clip in every format, and say what to look at."""
    jobs = []
    for name, clip in found.items():
        frames = np.unique(np.linspace(0, len(clip) - 1, FRAMES).astype(int)).tolist()
        for suffix in (".bvh", ".glb", ".usdc"):
            entry = FORMATS.get(suffix)
            if entry is None or entry.write is None:
                continue
            path = folder / f"{name}{suffix}"
            save(clip, path)
            again = str(folder / f"{name}.blender.glb") if suffix == ".glb" and name in AGAIN else ""
            job = {"path": str(path), "fps": clip.fps, "frames": frames, "name": name, "suffix": suffix, "again": again}
            jobs.append(job)
    return jobs


RIGS = ("mixamo", "unreal", "blender")  # joint names and axes as these programs write them


def rigged(folder: Path) -> tuple[dict[str, Clip], list[dict[str, Any]]]:
    """A walk on every rig as GLB and BVH, and once more to be played on the rig as it was."""
    sys.path.insert(0, str(HERE.parent / "tests" / "io"))
    from rig_files import rig

    found, jobs = {}, []
    walk = make("walk", seed=2, seconds=1.5, fps=30.0)
    for style in RIGS:
        hero = rig(folder / f"{style}_hero.glb", style)
        clip = retarget(walk, load(hero)).clip
        frames = np.unique(np.linspace(0, len(clip) - 1, FRAMES).astype(int)).tolist()
        for suffix, onto in ((".glb", ""), (".glb", str(hero)), (".bvh", ""), (".fbx", "")):
            name = f"rig_{style}{'_played_on_it' if onto else ''}"
            path = folder / f"{name}{suffix}"
            save(clip, path)
            job = {"path": str(path), "fps": clip.fps, "frames": frames, "name": name, "suffix": suffix, "again": ""}
            jobs.append({**job, "onto": onto})
            found[name] = clip
    return found, jobs


def rig_faults(job: dict[str, Any], answer: dict[str, Any], clip: Clip) -> tuple[list[str], float]:
    """What is wrong with a rig in Blender, and the largest distance of a bone, in metres; points of the skin are 3 cm
    from their bone, as the tests' rigs are built."""
    if "error" in answer:
        return [answer["error"]], float("nan")
    missing = set(clip.skeleton.names) - set(answer["names"])
    if missing:
        return [f"bones missing: {sorted(missing)[:3]}"], float("nan")
    unit = clip.origin.unit if job["suffix"] == ".bvh" else 1.0
    order = [answer["names"].index(name) for name in clip.skeleton.names]
    bones = fk(clip)[job["frames"]]
    apart = float(np.linalg.norm(np.array(answer["places"])[:, order] * unit - bones, axis=-1).max())
    wrong = [] if apart <= TOLERANCE else [f"bones {1000 * apart:.3f} mm apart"]
    if job["suffix"] != ".bvh":
        points = np.array(answer["points"])
        if points.shape[1:] != (3 * len(clip.skeleton), 3):
            return [*wrong, f"the skin has the shape {points.shape}"], apart
        off = np.linalg.norm(points.reshape(len(points), 3, -1, 3) - bones[:, None], axis=-1) - 0.03
        if not np.abs(off).max() <= TOLERANCE:
            wrong.append(f"skin {1000 * np.abs(off).max():.3f} mm off")
        if [name.split(".")[0] for name in answer["materials"]] != ["Skin"]:  # Blender numbers a second one
            wrong.append(f"materials {answer['materials']}")
    return wrong, apart


def faults(job: dict[str, Any], answer: dict[str, Any], clip: Clip, *, plain_names: bool) -> tuple[list[str], float]:
    """What is not as it should be, and the largest distance between the two programs' joints, in metres."""
    if "error" in answer:
        return [answer["error"]], float("nan")
    wrong = []
    named = _plain if plain_names else str
    names = [named(n) for n in clip.skeleton.names]
    theirs = dict(zip(answer["names"], answer["parents"], strict=True))
    wrappers = {named(w["name"]) for w in clip.origin.header.get("bvh", {}).get("wrappers", [])}
    extra = set(theirs) - set(names) - wrappers
    if extra or not set(names) <= set(theirs):
        wrong.append(f"joints differ: {sorted(extra)[:3]} more, {sorted(set(names) - set(theirs))[:3]} missing")
        return wrong, float("nan")
    for j, name in enumerate(names):
        above = names[clip.skeleton.parents[j]] if j else ""
        if theirs[name] != above and not (j == 0 and theirs[name] in wrappers):
            wrong.append(f"{name!r} hangs on {theirs[name]!r}, not on {above!r}")
    if abs(answer["frames"] - len(clip)) > 1e-3:
        wrong.append(f"{answer['frames']:g} frames, not {len(clip)}")
    unit = clip.origin.unit if job["suffix"] == ".bvh" else 1.0
    order = [answer["names"].index(name) for name in names]
    places = np.array(answer["places"])[:, order] * unit
    apart = float(np.linalg.norm(places - fk(clip)[job["frames"]], axis=-1).max())
    if not apart <= TOLERANCE:
        wrong.append(f"joints {1000 * apart:.3f} mm apart")
    if job["suffix"] == ".glb" and "rest" in answer:
        rest = stance(clip)
        ours = positions(clip.skeleton, rest.root[None], rest.rotations[None], _still(clip))[0]
        off = float(np.linalg.norm(np.array(answer["rest"])[order] - ours, axis=-1).max())
        if not off <= TOLERANCE:
            wrong.append(f"rest pose {1000 * off:.3f} mm from {rest.description}")
    if answer.get("errors") or answer.get("warnings"):
        wrong.append(f"validator: {answer['errors']} errors, {answer['warnings']} warnings: {answer['issues']}")
    return wrong, apart


def read_again(job: dict[str, Any], clip: Clip) -> tuple[list[str], float]:
    """What Blender exported, read by us: the same joints in the same places, and as many frames."""
    back = load(job["again"] or job["path"])
    if len(back) != len(clip) or not set(clip.skeleton.names) <= set(back.skeleton.names):
        return [f"exported and read again: {back}, not {clip}"], float("nan")
    order = [back.skeleton.names.index(name) for name in clip.skeleton.names]
    apart = float(np.linalg.norm(fk(back)[:, order] - fk(clip), axis=-1).max())
    return ([] if apart <= TOLERANCE else [f"exported and read again: {1000 * apart:.3f} mm apart"]), apart


def _still(clip: Clip) -> FloatArray | None:
    """Where sliding joints are at rest: in the middle of their way."""
    return None if clip.slides is None else (clip.slides.min(0) + clip.slides.max(0))[None] / 2


def _plain(name: str) -> str:
    """A name as three.js keeps it in paths of properties."""
    return re.sub(r"[\[\].:/]", "", re.sub(r"\s", "_", name))


def asked(program: str, command: list[str], jobs: list[dict[str, Any]], folder: Path) -> dict[str, dict[str, Any]]:
    """Run the other program over all jobs; its answers by path."""
    work, out = folder / f"{program}.jobs.json", folder / f"{program}.answers.jsonl"
    work.write_text(json.dumps(jobs))
    done = subprocess.run([*command, str(work), str(out)], capture_output=True, text=True, check=False, timeout=900)
    if not out.is_file():
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-15:])
        raise SystemExit(f"{program} did not finish (exit {done.returncode}):\n{tail}")
    return {a["path"]: a for a in map(json.loads, out.read_text().splitlines())}


def check_rigs(command: list[str], folder: Path) -> int:
    """Let Blender read the rigs; how many are wrong."""
    found, jobs = rigged(folder)
    answers, failed = asked("Blender rigs", command, jobs, folder), 0
    for job in jobs:
        answer = answers.get(job["path"], {"error": "no answer"})
        wrong, apart = rig_faults(job, answer, found[job["name"]])
        if job["suffix"] == ".fbx":
            more, again = read_again(job, found[job["name"]])
            wrong, apart = wrong + more, max(apart, again)
        failed += bool(wrong)
        print(f"Blender {Path(job['path']).name}: bones at most {1000 * apart:.4f} mm apart")
        for fault in wrong:
            print(f"  FAILED Blender {Path(job['path']).name}: {fault}")
    return failed


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--blender", help="a Python with bpy")
    parser.add_argument("--node", help="Node")
    parser.add_argument("--rigs-only", action="store_true", help="only the rigs, in Blender")
    options = parser.parse_args()
    programs = {
        "Blender": ([options.blender, str(HERE / "blender_joints.py")], (".bvh", ".glb", ".usdc"), options.blender),
        "three.js": ([options.node, str(HERE / "three_joints.mjs")], (".bvh", ".glb"), options.node),
    }
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        if options.blender:
            os.environ[PROGRAM] = str(Path(options.blender).absolute())  # it writes FBX
            failed += check_rigs(programs["Blender"][0], folder)
        if options.rigs_only:
            return 1 if failed else 0
        found = clips()
        jobs = written(folder, found)
        for program, (command, suffixes, there) in programs.items():
            if not there:
                print(f"{program}: not asked")
                continue
            start = time.perf_counter()
            mine = [job for job in jobs if job["suffix"] in suffixes]
            answers = asked(program, command, mine, folder)
            for suffix in suffixes:
                some = [job for job in mine if job["suffix"] == suffix]
                if not some:
                    print(f"{program} {suffix}: no writer here, not tried")
                    continue
                worst = 0.0
                for job in some:
                    answer = answers.get(job["path"], {"error": "no answer"})
                    wrong, apart = faults(job, answer, found[job["name"]], plain_names=program == "three.js")
                    worst = max(worst, apart)
                    if job["again"] and program == "Blender":
                        more, apart = read_again(job, found[job["name"]])
                        wrong += more
                        print(f"{program} {job['name']} exported as GLB, read by us: {1000 * apart:.4f} mm apart")
                    failed += bool(wrong)
                    for fault in wrong:
                        print(f"  FAILED {program} {Path(job['path']).name}: {fault}")
                checked = ", validator clean" if program == "three.js" and suffix == ".glb" and not failed else ""
                print(f"{program} {suffix}: {len(some)} clips, joints at most {1000 * worst:.4f} mm apart{checked}")
            print(f"{program}: {time.perf_counter() - start:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except MotionloomError as error:
        sys.exit(f"interop: {error}")
