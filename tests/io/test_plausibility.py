"""Estimates of unit, up axis and legs: bodies that were misread, doubts that are reported, settings that are stored."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from motionloom.cli.app import app
from motionloom.core import Clip, End, FormatError, Skeleton, replace
from motionloom.io import load, save
from motionloom.kinematics import fk
from motionloom.kinematics.body.proportions import leg_length
from motionloom.rotation import exp
from motionloom.samples import make

CLI = CliRunner()


def crab(names: str, *, claws: bool = False, legs: int = 10, start: float = 0.3) -> Clip:
    """Legs in a ring under a flat trunk, all feet below it, metres, y up; `names` is formatted with leg and part."""
    joints: list[tuple[str, int, tuple[float, float, float]]] = [("Body", -1, (0.0, 0.0, 0.0))]
    for k in range(legs):
        c, s = np.cos(start + 2 * np.pi * k / legs), np.sin(start + 2 * np.pi * k / legs)
        base = len(joints)
        places = [(0.15 * c, 0.0, 0.15 * s), (0.15 * c, 0.1, 0.15 * s), (0.2 * c, -0.3, 0.2 * s)]
        parents = [0, base, base + 1]
        joints += [(names.format(k + 1, "abc"[i]), parents[i], places[i]) for i in range(3)]
    if claws:
        for k, side in enumerate((1.0, -1.0)):
            base = len(joints)
            places = [(0.1 * side, 0.0, 0.2), (0.1 * side, 0.02, 0.3), (-0.1 * side, 0.0, 0.2)]
            joints += [(names.format(20 + k, "abc"[i]), [0, base, base + 1][i], places[i]) for i in range(3)]
    body = Skeleton(tuple(j[0] for j in joints), [j[1] for j in joints], [j[2] for j in joints])
    rng = np.random.default_rng(0)
    swing = 0.14 * np.sin(np.linspace(0, 9, 40)[:, None, None] + rng.uniform(0, 6, (1, len(body), 3)))
    swing[:, 0] = 0
    root = np.stack([np.linspace(0, 1, 40), np.full(40, 0.2), np.zeros(40)], 1)
    return Clip(body, root, exp(swing), 30.0)


@pytest.mark.parametrize("up", ["y", "z", "-x"])
@pytest.mark.parametrize(
    ("names", "options"),
    [
        ("Bone{}{}", {}),
        ("leg_{}_{}", {"claws": True}),
        ("x{}{}", {"legs": 6, "start": 0.9}),
        ("LeftFoot{}{}", {"start": 0.1}),
    ],
)
def test_a_body_with_many_legs_stands_on_all_of_them(tmp_path, names, options, up):
    clip = crab(names, **options)
    save(clip, tmp_path / "crab.bvh", up=up, unit="m")
    back = load(tmp_path / "crab.bvh")
    assert back.origin.up == up
    assert np.abs(fk(back) - fk(clip)).max() < 1e-5
    assert not any("foot" in role or "thigh" in role for role in back.skeleton.roles)
    legs = options.get("legs", 12 if options.get("claws") else 10)
    assert any(n.level == "warning" and n.text.startswith(f"{legs} legs") for n in back.origin.notes)


def test_fingers_and_skirts_are_no_legs():
    person = make("walk", seconds=1, fps=30).skeleton
    names, parents, offsets = list(person.names), person.parents.tolist(), person.offsets.tolist()
    for k in range(8):  # a skirt of long chains on the hips
        angle = 2 * np.pi * k / 8
        names += [f"Skirt{k}{part}" for part in "abc"]
        parents += [0, len(parents), len(parents) + 1]
        offsets += [[0.2 * np.cos(angle), -0.1, 0.2 * np.sin(angle)], [0, -0.3, 0], [0, -0.3, 0]]
    from motionloom.kinematics.body.roles import guess_roles, many_legs

    assert many_legs(names, parents, np.array(offsets)) == []
    assert {"left_foot", "right_foot", "left_hand"} <= set(guess_roles(names, parents, np.array(offsets)))


def test_the_forefoot_of_a_leg_is_a_toe(bvh, person):
    text = person.replace("LeftFoot", "LeftForeFoot").replace("RightFoot", "RightForeFoot")  # no other foot above it
    roles = load(bvh(text)).skeleton.roles
    assert {"left_hand", "right_hand", "left_thigh", "right_shin"} <= set(roles)
    assert not any("front" in role for role in roles)


@pytest.mark.parametrize(("stature", "unit"), [(0.56, "m"), (3.35, "m")])
def test_a_stature_offers_the_unit_that_would_fit(tmp_path, stature, unit):
    clip = make("walk", seconds=1, fps=30)
    scale = stature / 1.75
    body = Skeleton(clip.skeleton.names, clip.skeleton.parents, scale * clip.skeleton.offsets, clip.skeleton.roles)
    save(replace(clip, skeleton=body, root=scale * clip.root), tmp_path / "x.bvh", unit=unit)
    (warning,) = [n.text for n in load(tmp_path / "x.bvh").origin.notes if n.level == "warning"]
    metres = float(warning.split(" (metres) gives 1.7 m")[0].split()[-1])
    fitted = load(tmp_path / "x.bvh", unit=metres)
    assert not [n for n in fitted.origin.notes if n.level == "warning"]


def test_the_end_site_of_a_shin_is_the_ankle(tmp_path):
    """Legs of two joints: without shins the body was measured by its height, and a file in inches read as one in cm."""
    clip = make("walk", seconds=1, fps=30)
    body = clip.skeleton
    feet = {j for role in ("left_foot", "right_foot") for j in body.below(body.joint(role))}
    kept = [j for j in range(len(body)) if j not in feet]
    ends = [(kept.index(body.joint(f"{s}_shin")), body.offsets[body.joint(f"{s}_foot")]) for s in ("left", "right")]
    footless = Skeleton(
        tuple(body.names[j] for j in kept),
        [kept.index(p) if p >= 0 else -1 for p in body.parents[kept].tolist()],
        body.offsets[kept],
        (),
        tuple(End(j, tuple(offset.tolist()), "End Site") for j, offset in ends),
    )
    save(Clip(footless, clip.root, clip.rotations[:, kept], 30.0), tmp_path / "x.bvh", unit="inch")
    back = load(tmp_path / "x.bvh")
    assert back.origin.unit == 0.0254
    assert leg_length(back.skeleton) == pytest.approx(leg_length(body), rel=1e-3)


def test_a_small_animal_that_is_read_as_a_giant_is_reported_with_the_other_unit(tmp_path):
    """A spider of 7.5 cm, written in centimetres, was read as one of 7.5 m without a word."""
    spider = crab("leg{}{}", legs=8)
    body = Skeleton(spider.skeleton.names, spider.skeleton.parents, 0.2 * spider.skeleton.offsets)
    save(replace(spider, skeleton=body, root=0.2 * spider.root), tmp_path / "spider.bvh", unit="cm")
    (warning,) = [n.text for n in load(tmp_path / "spider.bvh").origin.notes if "with unit m" in n.text]
    assert "--unit cm gives 0.075 m" in warning
    assert not any("with unit" in n.text for n in load(tmp_path / "spider.bvh", unit="cm").origin.notes)


def test_feet_above_the_hips_are_reported_with_the_other_axis(tmp_path):
    save(make("walk", seconds=1, fps=30), tmp_path / "x.bvh")
    (warning,) = [n.text for n in load(tmp_path / "x.bvh", up="-y").origin.notes if n.level == "warning"]
    assert "100 %" in warning
    assert warning.endswith("--up y")


def test_settings_that_were_given_once_are_stored_beside_the_file(tmp_path):
    clip = make("walk", seconds=1, fps=30)
    save(clip, tmp_path / "x.bvh")
    own = tmp_path / "x.roles.toml"
    own.write_text('# my roles\n[roles]\nhead = "Head"\n[reading]\nunit = "mm"\n')
    command = ["info", str(tmp_path / "x.bvh"), "--unit", "cm", "--up", "z", "--source-fps", "60", "--remember"]
    assert CLI.invoke(app, command).exit_code == 0
    assert own.read_text().startswith('# my roles\n[roles]\nhead = "Head"\n')
    stored = load(tmp_path / "x.bvh")
    assert (stored.origin.unit, stored.origin.up, stored.fps) == (0.01, "z", 60.0)
    assert "unit cm, up z, fps 60: from x.roles.toml" in [n.text for n in stored.origin.notes]
    assert load(tmp_path / "x.bvh", unit="m").origin.unit == 1.0  # what is given comes first
    roles = tmp_path / "given.toml"
    roles.write_text('[roles]\nhead = ""\n')
    load(tmp_path / "x.bvh", roles=roles, remember="all")
    assert "head" not in load(tmp_path / "x.bvh").skeleton.roles
    assert load(tmp_path / "x.bvh").fps == 60.0


def test_a_unit_or_up_axis_in_doubt_does_not_replace_a_stored_one(tmp_path):
    save(make("walk", seconds=1, fps=30), tmp_path / "x.bvh", unit="cm")
    ask = lambda *words: CLI.invoke(app, ["info", str(tmp_path / "x.bvh"), *words]).output
    assert "unit stored in" in ask("--unit", "cm")
    assert "unit not stored, because of the doubt above (--remember stores it)" in ask("--unit", "9")
    assert "up not stored" in ask("--up", "-y")
    stored = load(tmp_path / "x.bvh")
    assert (stored.origin.unit, stored.origin.up) == (0.01, "y")
    ask("--unit", "9", "--remember")
    assert load(tmp_path / "x.bvh").origin.unit == 9


def test_unit_up_and_roles_are_stored_without_being_asked_for(tmp_path):
    clip = make("walk", seconds=1, fps=30)
    for name in ("x.bvh", "y.bvh", "z.bvh"):
        save(clip, tmp_path / name, unit="cm")
    roles = tmp_path / "given.toml"
    roles.write_text('[roles]\nhead = ""\n')
    command = [str(tmp_path / "x.bvh"), "--unit", "cm", "--up", "z", "--source-fps", "60", "--roles", str(roles)]
    assert "stored in x.bvh.roles.toml" in CLI.invoke(app, ["info", *command]).output
    written = (tmp_path / "x.bvh.roles.toml").read_bytes()
    assert (
        CLI.invoke(app, ["convert", str(tmp_path / "x.bvh"), str(tmp_path / "x.glb")]).exit_code == 0
    )  # the same stem
    stored = load(tmp_path / "x.bvh")
    assert (stored.origin.unit, stored.origin.up, stored.fps) == (0.01, "z", 30.0)  # a frame rate only with --remember
    assert "head" not in stored.skeleton.roles
    assert "stored" not in CLI.invoke(app, ["info", *command]).output.replace("--", "")  # nothing new
    assert (tmp_path / "x.bvh.roles.toml").read_bytes() == written
    assert CLI.invoke(app, ["info", str(tmp_path / "y.bvh"), "--unit", "cm", "--forget"]).exit_code == 0
    load(tmp_path / "z.bvh", unit="cm")  # the library stores nothing by itself
    assert not list(tmp_path.glob("[yz].*toml"))


def test_a_roles_file_of_the_users_own_is_changed_only_on_request(tmp_path):
    save(make("walk", seconds=1, fps=30), tmp_path / "x.bvh", unit="cm")
    own = tmp_path / "x.roles.toml"
    own.write_text('[reading]\nunit = "mm"\n')
    output = CLI.invoke(app, ["info", str(tmp_path / "x.bvh"), "--unit", "cm"]).output
    assert "not stored: x.roles.toml was not written by motionloom" in output
    assert own.read_text() == '[reading]\nunit = "mm"\n'
    assert not (tmp_path / "x.bvh.roles.toml").exists()


def test_stored_settings_keep_what_the_file_of_the_folder_says_about_this_body(tmp_path):
    save(make("walk", seconds=1, fps=30), tmp_path / "x.bvh", unit="cm")
    (tmp_path / "roles.toml").write_text('[roles]\nhead = ""\nleft_eye = "NoSuchJoint"\n[reading]\nup = "z"\n')
    load(tmp_path / "x.bvh", unit="cm", remember="facts")
    stored = load(tmp_path / "x.bvh")
    assert (stored.origin.unit, stored.origin.up) == (0.01, "z")
    assert "head" not in stored.skeleton.roles


def test_stored_settings_follow_a_file_that_is_written_again_in_another_unit(tmp_path):
    save(make("walk", seconds=1, fps=30), tmp_path / "x.bvh", unit="cm")
    clip = load(tmp_path / "x.bvh", unit=0.0123, fps=60, remember="all")
    save(clip, tmp_path / "x.bvh", unit=0.37, up="z")
    back = load(tmp_path / "x.bvh")
    assert (back.origin.unit, back.origin.up, back.fps) == (0.37, "z", 60)
    assert np.abs(back.root - clip.root).max() < 1e-5
    assert "fps" not in (tmp_path / "x.bvh.roles.toml").read_text()


def test_in_a_folder_that_cannot_be_written_settings_apply_and_a_warning_is_given(tmp_path, monkeypatch):
    save(make("walk", seconds=1, fps=30), tmp_path / "x.bvh", unit="cm")

    def fail(path, parts):
        raise FormatError("cannot be written: Read-only file system", path=path)

    monkeypatch.setattr("motionloom.io.sidecars.stored_reading.write_whole", fail)
    clip = load(tmp_path / "x.bvh", unit="cm", remember="facts")
    assert clip.origin.unit == 0.01
    (note,) = [n for n in clip.origin.notes if "not stored" in n.text]
    assert note.level == "warning"
    assert "Read-only" in note.text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("unit = 'ell'", "no unit 'ell'"),
        ("unit = [1]", r"unit: expected a unit, found '\[1\]'"),
        ("unit = true", "unit: expected a unit, found 'True'"),
        ("up = 3", "up: expected an axis, found '3'"),
        ("fps = '60'", "fps: expected a number, found '60'"),
        ("fps = nan", "fps: expected 0.001 to"),
        ("scale = 2", "expected unit, up, fps"),
    ],
)
def test_a_wrong_setting_beside_the_file_is_an_error_that_names_it(tmp_path, text, message):
    save(make("walk", seconds=1, fps=30), tmp_path / "x.bvh")
    Path(tmp_path / "x.roles.toml").write_text(f"[reading]\n{text}\n")
    with pytest.raises(FormatError, match=rf"x\.roles\.toml: \[reading\]: {message}"):
        load(tmp_path / "x.bvh")
