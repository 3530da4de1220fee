"""`motionloom texture` and `motionloom transfer`: where each joint of a texture comes from; motion by analogy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionloom.cli.flags import argument, option
from motionloom.cli.options import Force, Json, Seed, columns, for_each, print_json, print_line, read_clip, with_reading
from motionloom.cli.progress_bars import busy, write_clip
from motionloom.cli.requests import Root, given_request

if TYPE_CHECKING:
    from motionloom.methods.texture import Options, TextureModel
    from motionloom.methods.texture.plan import TexturePlan

FILES = ("texture.png", "neighbourhood.png", "cells.npz")


def texture(
    model: Annotated[Path, argument("MODEL", "A .loom file that was learned with texture.")],
    out: Annotated[Path, option("-o --out", "DIR", "Folder for texture.png, neighbourhood.png and cells.npz.")],
    request: Annotated[
        str, option("-r --request", "FILE|YAML", "A request file, or YAML: '{seconds: 12}'.")
    ] = "{seconds: 4}",
    joint: Annotated[str | None, option("--joint", "NAME", "The joint whose neighbourhood is drawn.")] = None,
    seed: Seed = 0,
    root: Root = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Draw the texture of joints and frames, each cell coloured by its source and keys marked, and list E.

    cells.npz holds the clip and the frame (counted at the frame rate of the model) of every cell, keys, and E of every
    level and pass.
    """
    import numpy as np

    from motionloom.core import BadRequest
    from motionloom.io.arrays.npz_data import npz_bytes
    from motionloom.io.atomic_files import write_whole
    from motionloom.methods.store import load_model_of
    from motionloom.methods.texture import TextureModel
    from motionloom.methods.texture.plan import TexturePlan

    pictures, cells_file = FILES[:2], FILES[2]
    foreign = [name for name in pictures if (out / name).exists()] if not (out / cells_file).exists() else []
    if foreign and not force:  # this command writes cells.npz first
        raise BadRequest(
            f"{out / foreign[0]} exists, and this command did not write it: choose another folder, or --force"
        )
    learned = load_model_of(TextureModel, model)
    asked = given_request(request, root=root)
    with busy("making") as report:
        plan = learned.plan(asked, np.random.default_rng([seed, 0]), report)
    assert isinstance(plan, TexturePlan)
    options = learned.options(asked)
    keys = plan.key_cells(learned.inner_request(asked).constraints, learned.skeleton, learned.fps)
    out.mkdir(parents=True, exist_ok=True)
    which, frames = plan.clip_frames
    energy = np.array([(e.level, e.number, e.value) for e in plan.energy]).reshape(-1, 3)
    names = {"clips": np.array(plan.names), "joints": np.array(learned.skeleton.names)}
    stored = npz_bytes({"clip": which, "frame": frames, "keys": keys, **names, "energy": energy})
    write_whole(out / cells_file, [stored])
    _draw(learned, plan, options, keys, out, joint)
    mixed = plan.mixed
    summary: dict[str, Any] = {
        "frames": plan.frames,
        "mixed": mixed,
        "energy": [e._asdict() for e in plan.energy],
        "files": [str(out / name) for name in FILES],
    }
    if json:
        print_json(summary)
        return
    print_line(f"{plan.frames} frames; {mixed:.0%} of them show joints of more than one example frame")
    if plan.energy:
        cells = [(str(e.level), str(e.number), f"{e.value:.4g}") for e in plan.energy]
        print_line("\n".join(columns(("level", "pass", "E"), cells)))
    for path in summary["files"]:
        print_line(f"wrote {path}")


@with_reading(trim_tpose=True, rates="Frame rate of the files, or of PLAIN, STYLED and OTHER: 60,120,60 [frames/s].")
def transfer(
    plain: Annotated[Path, argument("PLAIN", "A plain motion: a walk.")],
    styled: Annotated[Path, argument("STYLED", "The same in the style that is wanted, also of another body.")],
    other: Annotated[Path, argument("OTHER", "Another plain motion, of the body of PLAIN: a run.")],
    out: Annotated[Path, option("-o --out", "OUT", "The result: OTHER in that style.")],
    weight: Annotated[
        float, typer.Option("--weight", min=0, max=1000, help="Weight of the likeness to OTHER, beside seams.")
    ] = 0.5,
    seed: Seed = 0,
    force: Force = False,
    json: Json = False,
    *,
    reading: Any = None,
) -> None:
    """Make what STYLED is to PLAIN, for OTHER: a sneak is to a walk as the result is to a run (EDEN 5.2.3).

    STYLED is aligned in time with PLAIN by the feet that both bodies have. The result is a texture of STYLED, in the
    time of OTHER's steps, whose frames belong to moments of PLAIN that look like those of OTHER. It has the body of
    STYLED: with a dog as STYLED, a person's run makes a dog run.
    """
    from motionloom.io import check_target
    from motionloom.recipes.transferring import transfer as transfer_clips

    check_target(out, overwrite=force)
    clips = [read_clip(path, one) for path, one in zip((plain, styled, other), for_each(reading, 3), strict=True)]
    with busy("transferring") as report:
        made = transfer_clips(*clips, seed=seed, weight=weight, progress=report)
    write_clip(made.clip, out)
    if json:
        print_json({"out": str(out), "frames": len(made.clip), "rate": made.rate, "gap_cm": 100 * made.gap})
        return
    print_line(
        f"wrote {out}: {len(made.clip)} frames; {styled.name} played {made.rate:.2f} times as fast, "
        f"{100 * made.gap:.1f} cm from {other.name} on average (RMS over joints)"
    )


def _draw(model: TextureModel, plan: TexturePlan, options: Options, keys: Any, out: Path, joint: str | None) -> None:
    from motionloom.methods.texture.faithful.joint_order import joint_order
    from motionloom.methods.texture.faithful.synthesis import gauss
    from motionloom.plot.figures import save_figure
    from motionloom.plot.texture import neighbourhood, texture_plane

    skeleton = model.skeleton
    lengths = [len(clip) for clip in model.clips]
    plane = texture_plane(*plan.clip_frames, lengths, plan.names, skeleton.names, model.fps, keys=keys)
    save_figure(plane.figure, out / "texture.png", dpi=110)
    chosen = skeleton.joint(joint) if joint else len(skeleton) // 2
    order, over = joint_order(skeleton, options.joint_order), gauss(options.window_at(0), options.falloff_at(0))
    shape = neighbourhood(model.influence[chosen], over, order, skeleton.names, chosen)
    save_figure(shape.figure, out / "neighbourhood.png", dpi=110)
