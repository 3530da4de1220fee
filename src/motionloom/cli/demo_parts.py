"""The parts of the demo page: commands, and which of the files that they write are shown. A new part is one entry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Shown(NamedTuple):
    """Clips in a player: each alone, or with a `title` all in one view."""

    files: str  # names and wildcards
    note: str = ""
    title: str = ""


class Picture(NamedTuple):
    """A command that draws a picture, which needs matplotlib, and the file that is shown."""

    command: str
    file: str
    text: str


class Part(NamedTuple):
    """One section of the page. Commands are run in the folder of the demo's clips; `motionloom` is left out."""

    title: str
    text: str
    commands: str  # one on each line
    shown: tuple[Shown, ...]
    pictures: tuple[Picture, ...] = ()


ROUTE = "[[0, 0], [0, 3], [1, 5], [3, 6], [5, 5], [6, 3], [7, 1], [9, 0], [11, 1], [12, 3]]"
THERE = "{seconds: 8, constraints: [reach: {position: [2.5, 4], heading: 90deg, by: 8}]}"
HAND = "{seconds: 6, constraints: [position_at: {joint: left_hand, time: 3, target: [0.5, 1.5, 3.6]}]}"


def _along(gait: str) -> str:
    path = f"root_path: {{points: {ROUTE}, tolerance: 50cm, weight: 1}}"
    return f"'{{constraints: [{path}, style: {{label: {gait}}}]}}'"


PARTS: Mapping[str, Part] = {
    "samples": Part(
        "Sample clips",
        "Performers that motionloom computes itself, from published gait figures and inverse kinematics, with true "
        "foot plants. Each takes speed, turn, style and seed. Drag to turn a figure, click and scroll to come closer.",
        "samples --all -o samples",
        (Shown("samples/*.bvh samples/*.csv"),),
        (
            Picture(
                "view samples/walk.bvh -o samples/walk.png",
                "samples/walk.png",
                "left limbs warm, right ones cool, and prints where a foot stands",
            ),
        ),
    ),
    "files": Part(
        "Reading and writing",
        "A file is read and written again with its names, order, hierarchy, end sites, unit and up axis. Blender and "
        "three.js find every joint of these files within 0.1 mm of where we have it, and Khronos' validator finds no "
        "problem in the GLB (./run interop).",
        "samples walk -o files/walk.bvh\n"
        "convert files/walk.bvh files/walk.glb\n"
        "convert files/walk.glb files/back.bvh --to-unit cm\n"
        "info files/walk.bvh files/walk.glb files/back.bvh\n"
        "info files/walk.bvh\n"
        "check files",
        (Shown("files/walk.glb files/back.bvh"),),
    ),
    "learning": Part(
        "Learning, and making new motion",
        "From three walks of six seconds, a walk of twenty seconds. `cuts` is the simplest method: it finds where the "
        "poses of two clips are within some centimetres of each other, and cuts there from one to the other at random. "
        "Nothing is blended, so a cut can be seen on close inspection. The source of every frame is recorded: the "
        "coloured bands under the figure.",
        "samples walk --speed 1.3 --turn=-17deg/s --seconds 6 --seed 0 -o walks/right.bvh\n"
        "samples walk --speed 1.3 --seconds 6 --seed 1 -o walks/straight.bvh\n"
        "samples walk --speed 1.35 --turn 20deg/s --seconds 6 --seed 2 -o walks/left.bvh\n"
        "learn cuts walks -o walks.loom\n"
        "synthesize walks.loom -r '{seconds: 20}' --seed 1 -o long_walk.bvh\n"
        "evaluate long_walk.bvh --source walks",
        (Shown("walks/*.bvh", "learned from"), Shown("long_walk.bvh", "20 s from these clips")),
        (
            Picture(
                "view long_walk.bvh --sources -o long_walk.png", "long_walk.png", "which clip each frame comes from"
            ),
        ),
    ),
    "graphs": Part(
        "Motion graphs",
        "Five walks and three runs go in. Wherever two of them are alike, a short blend can lead from one to the other "
        "with the feet kept on the floor; what leads nowhere is left out. A walk through this graph has no end. It can "
        "also be searched: for a path on the floor, walked or run.",
        "samples walk --speed 1.3 --seconds 5 --seed 20 -o moves/walk_1.bvh\n"
        "samples walk --speed 1.3 --turn 40deg/s --seconds 5 --seed 21 -o moves/walk_2.bvh\n"
        "samples walk --speed 1.3 --turn=-40deg/s --seconds 5 --seed 22 -o moves/walk_3.bvh\n"
        "samples walk --speed 1.1 --turn 80deg/s --seconds 5 --seed 23 -o moves/walk_4.bvh\n"
        "samples walk --speed 1.1 --turn=-80deg/s --seconds 5 --seed 24 -o moves/walk_5.bvh\n"
        "samples run --speed 2.2 --seconds 5 --seed 25 -o moves/run_1.bvh\n"
        "samples run --speed 2.2 --turn 40deg/s --seconds 5 --seed 26 -o moves/run_2.bvh\n"
        "samples run --speed 2.2 --turn=-40deg/s --seconds 5 --seed 27 -o moves/run_3.bvh\n"
        "learn motion-graph moves --limits 'walk run 14cm' -o moves.loom\n"
        "walk moves.loom --seconds 20 --seed 0 -o random_moves.bvh\n"
        f"synthesize moves.loom -r {_along('walk')} -o path_walk.bvh\n"
        f"synthesize moves.loom -r {_along('run')} -o path_run.bvh",
        (Shown("random_moves.bvh", "20 s at random"), Shown("path_*.bvh", "on one path", "walked, and run")),
        (
            Picture(
                "view random_moves.bvh --sources -o random_moves.png",
                "random_moves.png",
                "which clip each frame comes from",
            ),
            Picture("graph moves.loom -o moves.png", "moves.png", "the speeds and turns in these clips"),
        ),
    ),
    "textons": Part(
        "Textons: patterns that vary",
        "Each dance is cut into stretches that one linear dynamic system describes; stretches that are alike share "
        "one. A new dance is a walk over these textons, and inside each the frames are new: driven by noise, and "
        "meeting the next one exactly.",
        "samples dance --seconds 16 --seed 10 -o dances/dance_1.bvh\n"
        "samples dance --seconds 16 --seed 11 -o dances/dance_2.bvh\n"
        "learn textons dances -o dances.loom --model-fps 30 --shortest 0.8\n"
        "textons dances.loom\n"
        "synthesize dances.loom -r '{seconds: 20}' --seed 1 --count 2 -o new_dances",
        (Shown("dances/*.bvh", "learned from"), Shown("new_dances/*.bvh", "made")),
    ),
    "texture": Part(
        "Motion texture: joints from different examples",
        "A texture has a row for each joint and a column for each frame. Legs, arms and head are chosen one after the "
        "other, each from the example frames that fit what is already there. Keys on any joints are met exactly: here "
        "a hand passes through a point.",
        "samples walk --speed 1.3 --seconds 6 --seed 20 -o texture/walk_1.bvh\n"
        "samples walk --speed 1.1 --turn 14deg/s --seconds 6 --seed 21 -o texture/walk_2.bvh\n"
        "learn texture texture -o texture.loom\n"
        "synthesize texture.loom -r '{seconds: 12}' --seed 1 -o texture_long.bvh\n"
        f"synthesize texture.loom -r '{HAND}' --seed 1 -o texture_hand.bvh",
        (
            Shown("texture/*.bvh", "learned from"),
            Shown("texture_long.bvh", "12 s, made"),
            Shown("texture_hand.bvh", "the left hand has a key at 3 s"),
        ),
        (
            Picture(
                "texture texture.loom -o texture_picture --seed 1",
                "texture_picture/texture.png",
                "the clip that each joint comes from",
            ),
        ),
    ),
    "variation": Part(
        "Variation: many natural takes from a few",
        "No two steps are the same. From four takes of one motion the method makes any number of others, each with its "
        "own poses and timing, none of them a copy; a cycle can be repeated without end.",
        "samples walk --speed 1.25 --seconds 4 --seed 40 -o long_takes/walk_1.bvh\n"
        "samples walk --speed 1.3 --seconds 4 --seed 41 -o long_takes/walk_2.bvh\n"
        "samples walk --speed 1.35 --seconds 4 --seed 42 -o long_takes/walk_3.bvh\n"
        "samples walk --speed 1.4 --seconds 4 --seed 43 -o long_takes/walk_4.bvh\n"
        "trim long_takes --contacts left_heel --strides 1 -o takes\n"
        "learn variation takes --rounds 1 --tries 8 -o takes.loom\n"
        "synthesize takes.loom --seed 1 --count 6 -o variants\n"
        "synthesize takes.loom -r '{seconds: 12}' --seed 1 -o every_step_new.bvh",
        (
            Shown("takes/*.bvh", "learned from", "four takes"),
            Shown("variants/*.bvh", "made", "six variants"),
            Shown("every_step_new.bvh", "12 s, made"),
        ),
    ),
    "spaces": Part(
        "Parametric spaces: what lies between examples",
        "Clips of one action that differ in a number (how fast a walk turns, how low a duck goes) become a space. Any "
        "value between them can be asked for; the result has that value, with feet that stand still.",
        "samples walk --turn=-40deg/s --seconds 4 --seed 1 --result-fps 30 -o turns/walk_1.bvh\n"
        "samples walk --seconds 4 --seed 1 --result-fps 30 -o turns/walk_2.bvh\n"
        "samples walk --turn 40deg/s --seconds 4 --seed 1 --result-fps 30 -o turns/walk_3.bvh\n"
        "learn parametric-space turns --parameter turn_rate -o turns.loom\n"
        "synthesize turns.loom -r '{seconds: 4, parameters: {turn_rate: -15deg/s}}' -o turn_right.bvh\n"
        "synthesize turns.loom -r '{seconds: 4, parameters: {turn_rate: 25deg/s}}' -o turn_left.bvh\n"
        "samples duck --height 1 --seed 1 --result-fps 30 -o ducks/duck_1.bvh\n"
        "samples duck --height 1.2 --seed 1 --result-fps 30 -o ducks/duck_2.bvh\n"
        "samples duck --height 1.45 --seed 1 --result-fps 30 -o ducks/duck_3.bvh\n"
        "learn parametric-space ducks --parameter head_height --cut none --repeat no -o ducks.loom\n"
        "synthesize ducks.loom -r '{parameters: {head_height: 1.1}}' -o duck_lower.bvh",
        (
            Shown("turns/*.bvh", "-40, 0 and 40 deg/s, learned from", "three walks"),
            Shown("turn_right.bvh turn_left.bvh", "-15 and 25 deg/s, made", "two walks"),
            Shown("ducks/*.bvh duck_lower.bvh", "learned from, and made", "three ducks, and one between them"),
        ),
    ),
    "parametric_graph": Part(
        "Parametric motion graphs: characters that follow commands",
        "A graph of spaces: which walks can follow which, and where, is found in learning, so that a character follows "
        "headings, goes to places and does actions without any search. `drive` without a request steers one by the "
        "arrow keys, in the terminal.",
        "samples walk --turn=-80deg/s --seconds 4 --seed 1 --result-fps 30 -o driven/walk_1.bvh\n"
        "samples walk --turn=-40deg/s --seconds 4 --seed 1 --result-fps 30 -o driven/walk_2.bvh\n"
        "samples walk --seconds 4 --seed 1 --result-fps 30 -o driven/walk_3.bvh\n"
        "samples walk --turn 40deg/s --seconds 4 --seed 1 --result-fps 30 -o driven/walk_4.bvh\n"
        "samples walk --turn 80deg/s --seconds 4 --seed 1 --result-fps 30 -o driven/walk_5.bvh\n"
        "learn parametric-graph driven --sources 12 --targets 200 --verified 2000 --samples 80 -o driven.loom\n"
        f"drive driven.loom -r '{THERE}' -o there.bvh\n"
        "crowd driven.loom --count 6 --seconds 6 --apart -o crowd",
        (
            Shown("driven/*.bvh", "-80 to 80 deg/s, learned from", "five walks"),
            Shown("there.bvh", "to a place, facing left there"),
            Shown("crowd/*.bvh", "made", "six characters that keep apart"),
        ),
    ),
    "layers": Part(
        "Layers: an action and a gaze on any walk",
        "The upper body of one clip is put on the legs of another, in step; then spine, neck, head and eyes turn to a "
        "point, as a captured performer does. Hips and legs keep their bits.",
        "samples carry --seconds 6 --seed 2 -o box.bvh\n"
        "samples walk --turn 40deg/s --seconds 4 --seed 1 -o curve.bvh\n"
        "splice box.bvh curve.bvh -o spliced.bvh\n"
        "samples gaze_takes -o gaze_takes\n"
        "learn gaze gaze_takes -o gaze.loom\n"
        "gaze gaze.loom spliced.bvh -r '{constraints: [look_at: {yaw: -70deg, span: [1.5, 2.5]}]}' -o looking.bvh",
        (
            Shown("box.bvh", "the action"),
            Shown("curve.bvh", "the locomotion"),
            Shown("spliced.bvh", "made"),
            Shown("looking.bvh", "and looking to the right"),
        ),
    ),
    "cleaning": Part(
        "Feet that stand still",
        "`bands` makes slow movements larger, and the feet slide. `clean` finds the contacts, pins heels and toes, and "
        "lets the legs follow; bones keep their length and knees do not pop. Press `o` to lay the figures over each "
        "other.",
        "samples walk --speed 1.3 --seconds 5 --seed 2 -o steady.bvh\n"
        "bands steady.bvh --gains 1,1,1.3,1.3 --no-lock -o sliding.bvh\n"
        "clean sliding.bvh -o cleaned.bvh\n"
        "evaluate sliding.bvh cleaned.bvh --source steady.bvh",
        (Shown("sliding.bvh cleaned.bvh", "press o", "sliding, and cleaned"),),
    ),
    "editing": Part(
        "Loop, trim, resample",
        "A loop carries its displacement on, and feet that stand still stand still at any frame rate.",
        "samples walk --speed 1.3 --turn 20deg/s --seconds 6 --seed 5 -o turning.bvh\n"
        "loop turning.bvh --times 4 -o endless.bvh\n"
        "loop turning.bvh --in-place -o on_the_spot.bvh\n"
        "trim turning.bvh --contacts left --strides 2 -o two_strides.bvh\n"
        "convert turning.bvh film.bvh --result-fps 24",
        (Shown("turning.bvh endless.bvh on_the_spot.bvh two_strides.bvh film.bvh"),),
    ),
    "similarity": Part(
        "Alike, in time, and joined",
        "Every frame of a walk against every frame of a run: dark is alike, wherever the two stand and face; dots are "
        "the best moments to pass from one to the other. `judge` compares four measures of likeness by how far apart "
        "the pairs really are that each of them prefers.",
        "samples walk --speed 1.5 --seconds 4 --seed 3 -o before.bvh\n"
        "samples run --speed 2.6 --seconds 3 --seed 5 -o after.bvh\n"
        "append before.bvh after.bvh -o joined.bvh\n"
        "judge before.bvh after.bvh",
        (Shown("before.bvh after.bvh"), Shown("joined.bvh", "where they are most alike, feet kept on the ground")),
        (Picture("similar before.bvh after.bvh --minima -o alike", "alike/matrix.png", "a walk against a run"),),
    ),
}
