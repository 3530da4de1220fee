"""The table of cases that a BVH reader meets in the wild, first part: the body. Each test carries its row's name."""

from __future__ import annotations

import json

import numpy as np
import pytest

from motionloom.core import FormatError, replace
from motionloom.io import load, save
from motionloom.kinematics.fk import fk
from motionloom.rotation import from_euler, multiply

XYZ = "Xposition Yposition Zposition"
ZXY = "Zrotation Xrotation Yrotation"


class TestChannels:
    """0, 1, 3, 6, 9 channels per joint, any order, different per joint: accepted; scale other than 1 warns."""

    def test_every_count_and_order_is_accepted(self, read, again, chain):
        row = "10 1 20 3 30 2  40  50 60 70  5 6 7 8 9 10  11 12 13 14 15 16 1 1 1"
        text = chain(
            "Root|0 0 0|6 Yrotation Xposition Zrotation Zposition Xrotation Yposition",
            "Fixed|0 1 0|0",
            "Hinge|0 2 0|1 Xrotation",
            "Ball|0 3 0|3 Yrotation Zrotation Yrotation",
            f"Six|0 4 0|6 {ZXY} {XYZ}",
            f"Nine|0 5 0|9 {XYZ} {ZXY} Xscale Yscale Zscale",
            rows=f"{row}\n{row}",
        )
        clip = read(text)
        turn = lambda order, *degrees: from_euler(np.radians(degrees), order)
        assert clip.root[0].tolist() == [1, 2, 3]
        expected = [turn("yzx", 10, 20, 30), [1, 0, 0, 0], turn("xyz", 40, 0, 0), turn("yzy", 50, 60, 70)]
        expected += [turn("zxy", 5, 6, 7), turn("zxy", 14, 15, 16)]
        assert np.allclose(clip.rotations[0], expected, atol=1e-12)
        assert clip.skeleton.offsets[4].tolist() == [8, 9, 10]  # position channels replace OFFSET
        assert np.allclose(fk(again(clip)), fk(clip), atol=1e-5)

    def test_scale_other_than_one_warns(self, read, said, chain):
        text = chain(f"Root|0 0 0|9 {XYZ} {ZXY} Xscale Yscale Zscale", rows="0 0 0 0 0 0 1 1.2 1")
        assert "scale channels of 'Root' reach 1.2" in said(read(text))
        with pytest.raises(FormatError, match=r"scale"):
            read(text, strict=True)

    def test_one_position_channel_replaces_one_axis(self, read, chain):
        clip = read(chain(f"Root|0 0 0|6 {XYZ} {ZXY}", "Pump|1 2 3|1 Yposition", rows="0 0 0 0 0 0 9"))
        assert clip.skeleton.offsets[1].tolist() == [1, 9, 3]

    @pytest.mark.parametrize(
        ("channels", "complaint"),
        [
            ("3 Xrotation Yrotation", "CHANNELS declares 3, lists 2"),
            ("2 Xrotation Yrotation Zrotation", "CHANNELS declares 2, lists 3"),
            ("3 Xrotation Yrotation Wrotation", "CHANNELS declares 3, lists 2 (then 'Wrotation')"),
            ("2 Xposition Xposition", "CHANNELS lists Xposition twice"),
            ("2 Zrotation Zrotation", "no Euler order"),
            ("x", "CHANNELS: expected how many, found 'x'"),
        ],
    )
    def test_channels_that_make_no_sense_are_errors_with_a_line(self, read, channels, complaint, chain):
        with pytest.raises(FormatError) as error:
            read(chain(f"Root|0 0 0|{channels}", rows="0 0 0"))
        assert complaint in str(error.value)
        assert str(error.value).startswith("walk.bvh:5: ")


class TestPositionChannelsOnEveryJoint:
    """Position channels on every joint (Bandai-Namco): kept as slides where they move; an option drops them."""

    @pytest.fixture
    def text(self, chain) -> str:
        rows = "0 1 0 0 0 0  0 2 0 0 0 0  0 1 0 0 0 0\n0 1 0 0 0 0  0 2 0 0 0 0  0 1.25 0 0 0 0"
        six = f"6 {XYZ} {ZXY}"
        return chain(f"Hips|0 0 0|{six}", f"Still|0 5 0|{six}", f"Sliding|0 1 0|{six}", rows=rows)

    def test_kept_as_slides_where_they_move(self, read, text, said):
        clip = read(text)
        assert clip.skeleton.offsets.tolist() == [[0, 0, 0], [0, 2, 0], [0, 1, 0]]
        assert clip.slides[1].tolist() == [[0, 0, 0], [0, 0, 0], [0, 0.25, 0]]
        assert fk(clip)[:, 2, 1].tolist() == [4, 4.25]
        assert "1 joints slide: position channels move them by up to 250 mm" in said(clip)

    def test_dropped_on_request_and_the_largest_deviation_is_said(self, read, text, said):
        clip = read(text, drop_slides=True)
        assert clip.slides is None
        assert "slides of 1 joints dropped; the largest was 125 mm ('Sliding', frame 0)" in said(clip)

    def test_written_so_that_readers_that_add_and_readers_that_replace_agree(self, read, text, written, again):
        clip = read(text)
        lines = [line.strip() for line in written(clip).decode().splitlines()]
        sliding = lines.index("JOINT Sliding")
        assert lines[sliding + 2 : sliding + 4] == ["OFFSET 0.000000 0.000000 0.000000", f"CHANNELS 6 {XYZ} {ZXY}"]
        assert np.allclose(fk(again(clip)), fk(clip), atol=1e-6)
        lines = [line.strip() for line in written(read(text, drop_slides=True)).decode().splitlines()]
        still, sliding = lines.index("JOINT Still"), lines.index("JOINT Sliding")
        assert lines[still + 2 : still + 4] == ["OFFSET 0.000000 2.000000 0.000000", f"CHANNELS 3 {ZXY}"]
        assert lines[sliding + 3] == f"CHANNELS 3 {ZXY}"

    def test_a_joint_that_does_not_slide_keeps_its_channels(self, read, text, written, again):
        clip = read(text)
        lines = [line.strip() for line in written(clip).decode().splitlines()]
        still = lines.index("JOINT Still")
        assert lines[still + 2 : still + 4] == ["OFFSET 0.000000 2.000000 0.000000", f"CHANNELS 6 {XYZ} {ZXY}"]
        assert lines[-1].split()[6:9] == ["0.000000", "2.000000", "0.000000"]
        assert again(clip).origin.header["bvh"]["channels"] == clip.origin.header["bvh"]["channels"]

    def test_some_channels_of_some_joints_are_kept(self, read, chain, again, written):
        joints = (f"Hips|0 3 0|5 Xposition Zposition {ZXY}", "Lift|0 1 0|4 Yposition " + ZXY, f"Head|0 1 0|3 {ZXY}")
        clip = read(chain(*joints, rows="1 2 0 0 0 1 0 0 0 0 0 0\n1 3 0 0 0 1.5 0 0 0 0 0 0"))
        assert clip.root.tolist() == [[1, 3, 2], [1, 3, 3]]
        back = again(clip)
        assert back.origin.header["bvh"]["channels"] == clip.origin.header["bvh"]["channels"]
        assert np.allclose(fk(back), fk(clip), atol=1e-6)
        lines = [line.strip() for line in written(clip).decode().splitlines()]
        assert lines[3] == "OFFSET 0.000000 3.000000 0.000000"
        moved = again(replace(clip, root=clip.root + [[0, 0, 0], [0, 1, 0]]))  # now three channels are needed
        assert moved.origin.header["bvh"]["channels"][0][:3] == XYZ.split()
        assert moved.root[1].tolist() == [1, 4, 3]

    def test_slides_that_are_constant_to_a_tenth_of_a_millimetre_are_written_as_offset(self, read, chain, written):
        rows = "\n".join(f"0 1 0 0 0 0 0 {1 + 0.00018 * (f % 2)} 0 0 0 0" for f in range(4))
        clip = read(chain(f"Hips|0 0 0|6 {XYZ} {ZXY}", f"Head|0 1 0|6 {XYZ} {ZXY}", rows=rows))
        assert clip.slides is not None
        lines = [line.strip() for line in written(clip).decode().splitlines()]
        head = lines.index("JOINT Head")
        assert lines[head + 2 : head + 4] == ["OFFSET 0.000000 1.000090 0.000000", f"CHANNELS 6 {XYZ} {ZXY}"]
        assert all(line.split()[7] == "1.000090" for line in lines[-4:])


class TestStaticJointAboveTheHips:
    """Static joint above the hips, large first OFFSET: folded away, restored on writing, said."""

    def wrapped(self, person: str, offset: str, row: str, channels: str = f"6 {XYZ} {ZXY}") -> str:
        head, motion = person.split("MOTION\n")
        head = head.replace("HIERARCHY\n", f"HIERARCHY\nROOT World\n{{\nOFFSET {offset}\nCHANNELS {channels}\n")
        lines = motion.splitlines()
        rows = "\n".join(f"{row} {line}" for line in lines[2:])
        return f"{head.replace('ROOT Hips', 'JOINT Hips')}}}\nMOTION\n{lines[0]}\n{lines[1]}\n{rows}\n"

    def test_folded_away_and_said(self, read, person, said):
        plain, folded = read(person), read(self.wrapped(person, "0 0 0", "0 0 0 0 0 0"))
        assert folded.skeleton.names == plain.skeleton.names
        assert np.allclose(fk(folded), fk(plain))
        assert "'World' stands still above the hips: folded away, and restored on writing" in said(folded)

    def test_restored_on_writing_with_its_transform(self, read, person, written, again):
        clip = read(self.wrapped(person, "500 0 -300", "10 20 30 0 0 90"))
        plain = read(person)
        assert np.allclose(clip.root[1], [10 + plain.root[1, 2], 20 + plain.root[1, 1], 30 - plain.root[1, 0]])
        text = written(clip).decode()
        assert text.splitlines()[1:5] == [
            "ROOT World",
            "{",
            "\tOFFSET 0.000000 0.000000 0.000000",
            f"\tCHANNELS 6 {XYZ} {ZXY}",
        ]
        first_row = text.splitlines()[-4].split()
        assert first_row[:6] == ["10.000000", "20.000000", "30.000000", "0.000000", "0.000000", "90.000000"]
        assert np.allclose(fk(again(clip)), fk(clip), atol=1e-4)

    def test_a_large_offset_of_a_wrapper_without_channels_counts(self, read, person, again):
        clip = read(self.wrapped(person, "500 0 -300", "", "0"))
        assert np.allclose(clip.root, read(person).root + [500, 0, -300])
        assert np.allclose(fk(again(clip)), fk(clip), atol=1e-4)

    def test_the_roots_own_offset_is_replaced_by_its_channels(self, read, person, said):
        clip = read(person.replace("OFFSET 0 0 0", "OFFSET 1000 0 0", 1))
        assert np.allclose(fk(clip), fk(read(person)))
        assert "the OFFSET of 'Hips' is not used" in said(clip)

    def test_a_moving_wrapper_is_put_into_the_hips(self, read, person, said, again):
        lines = self.wrapped(person, "0 0 0", "0 0 0 0 0 0").splitlines()
        for f in range(4):
            lines[-4 + f] = f"{10 * f} 0 0 0 0 {30 * f} " + lines[-4 + f].split(None, 6)[6]
        clip, plain = read("\n".join(lines)), read(person)
        turn = from_euler(np.radians([0, 0, 90]), "zxy")
        assert np.allclose(clip.root[3], [30 + plain.root[3, 2], plain.root[3, 1], -plain.root[3, 0]])
        assert np.allclose(abs(clip.rotations[3, 0] @ multiply(turn, plain.rotations[3, 0])), 1)
        assert "'World' moves above the hips: its motion is put into the hips" in said(clip)
        back = again(clip)
        assert np.allclose(fk(back), fk(clip), atol=1e-4)
        assert back.origin.header["bvh"]["wrappers"][0]["name"] == "World"


class TestNames:
    """Names with spaces, `:`, `.`, non-ASCII, duplicates: kept exactly on export; disambiguated inside."""

    @pytest.mark.parametrize(
        "name",
        ["Left Arm", "mixamorig:Head", "arm.L", "Bone #2", "Hüfte", "右ひじ", "a  b", "Bip01 Head", "JOINT", "End"],
    )
    def test_kept_exactly(self, read, two, name, written):
        clip = read(two.replace("JOINT Head", f"JOINT {name}"))
        assert clip.skeleton.names[1] == name
        assert f"JOINT {name}\n" in written(clip).decode()

    def test_cp932_and_latin_1_are_read_with_a_warning_and_written_back(self, read, two, written, said):
        for name, encoding in [("右ひじ", "cp932"), ("上半身", "cp932"), ("Épaule", "latin-1"), ("Hüfte", "latin-1")]:
            data = two.replace("JOINT Head", f"JOINT {name}").encode(encoding)
            clip = read(data)
            assert clip.skeleton.names[1] == name
            assert "the names are not UTF-8" in said(clip)
            assert f"JOINT {name}\n".encode(encoding) in written(clip)
            with pytest.raises(FormatError, match=r"not UTF-8"):
                read(data, strict=True)

    def test_duplicates_are_told_apart_inside_and_written_as_they_were(self, read, person, written, said):
        text = person.replace("LeftFoot", "Foot").replace("RightFoot", "Foot")
        clip = read(text)
        assert clip.skeleton.names[3] == "Foot"
        assert clip.skeleton.names[6] == "Foot#2"
        assert written(clip).decode().count("JOINT Foot\n") == 2
        assert "joint names repeat" in said(clip)


class TestEndSites:
    """No End Site, zero-length End Site, `End <name>`, CHANNELS after JOINT: accepted where the meaning is clear."""

    def test_no_end_site(self, read, chain):
        assert read(chain(f"Hips|0 0 0|6 {XYZ} {ZXY}", rows="0 0 0 0 0 0")).skeleton.ends == ()

    def test_zero_length_end_site(self, read, two):
        assert read(two.replace("0 0.2 0", "0 0 0")).skeleton.ends[0].offset == (0, 0, 0)

    def test_a_named_end_is_kept_on_export(self, read, two, written):
        clip = read(two.replace("End Site", "End HeadTop tip"))
        assert clip.skeleton.ends[0].name == "HeadTop tip"
        assert "End HeadTop tip\n" in written(clip).decode()

    def test_an_end_site_beside_a_joint_keeps_its_place(self, read, two, again):
        end = "End Site\n{\nOFFSET 1 2 3\n}\n"
        for text in (
            two.replace("JOINT Head", end + "JOINT Head"),
            two.replace("  }\n}\nMOTION", f"}}\n{end}}}\nMOTION"),
        ):
            clip = read(text)
            assert len(clip.skeleton.ends) == 2
            assert again(clip).skeleton.ends == clip.skeleton.ends

    def test_channels_after_a_joint_without_channels_are_clear(self, read):
        text = "HIERARCHY\nROOT A\n{\nOFFSET 0 0 0\nJOINT B\n{\nOFFSET 0 1 0\n}\n"
        text += "CHANNELS 3 Xrotation Yrotation Zrotation\n}\n"
        clip = read(text + "MOTION\nFrames: 1\nFrame Time: 0.1\n90 0 0\n")
        assert np.allclose(fk(clip)[0, 1], [0, 0, 1])

    def test_channels_before_offset(self, read, two):
        lines = two.splitlines()
        lines[3], lines[4] = lines[4], lines[3]
        assert np.array_equal(fk(read("\n".join(lines))), fk(read(two)))

    def test_channels_after_a_joint_with_channels_are_an_error_with_the_line(self, read, two):
        lines = two.splitlines()
        lines.insert(13, lines.pop(4))
        with pytest.raises(FormatError, match=r"walk.bvh:14: CHANNELS of 'Hips' after those of its child 'Head'"):
            read("\n".join(lines))

    @pytest.mark.parametrize(
        ("old", "new", "complaint"),
        [
            ("      OFFSET 0 0.2 0\n", "", "End Site .line 10. has no OFFSET"),
            ("    OFFSET 0 0.5 0\n", "", "'Head' .line 6. has neither an OFFSET nor three position channels"),
            ("OFFSET 0 0.2 0", "OFFSET 0 0.2", "expected a number, found '}'"),
            ("OFFSET 0 0.2 0", "OFFSET 0 0.2 0 7", "number 7 in End Site is one more"),
            ("OFFSET 0 0.2 0", "CHANNELS 1 Xrotation", "an end site cannot move"),
            ("OFFSET 0 0.2 0", "JOINT x", "a JOINT inside End Site"),
            ("}\nMOTION", "MOTION", "HIERARCHY ends inside 'Hips'"),
            ("}\nMOTION", "}}\nMOTION", "expected MOTION after the last"),
            ("JOINT Head", "JOINT", "JOINT without a name"),
            ("JOINT Head\n  {", "JOINT Head\n", "expected '{' after JOINT Head"),
            ("ROOT Hips", "JOINT Hips", "expected ROOT, found 'JOINT'"),
            ("JOINT Head", "ROOT Head", "ROOT inside 'Hips'"),
            ("OFFSET 0 0.5 0", "OFFSET 0 0.5 0 OFFSET 0 0 0", "a second OFFSET in 'Head'"),
            ("Frames: 2", "", "expected 'Frames: N' after MOTION"),
            ("Frames: 2", "Frames: many", "expected a number of frames"),
            ("Frame Time: 0.1", "", "expected 'Frame Time: seconds'"),
        ],
    )
    def test_what_is_not_clear_is_an_error_with_the_line(self, read, two, old, new, complaint):
        with pytest.raises(FormatError, match=complaint) as error:
            read(two.replace(old, new, 1))
        assert error.value.line is not None

    def test_a_body_without_channels_is_refused(self, read, chain):
        with pytest.raises(FormatError, match=r"HIERARCHY declares no channels"):
            read(chain("Hips|0 0 0|0", rows=""))


def test_several_roots_are_refused_clearly(read, two):
    second = two[two.index("ROOT") : two.index("MOTION")].replace("Hips", "Other")
    with pytest.raises(
        FormatError, match=r"walk.bvh:16: a second ROOT 'Other', after 'Hips' in line 2: only one actor per file"
    ):
        read(two.replace("MOTION", second + "MOTION"))


def test_the_header_for_the_writer_can_be_stored_as_json(bvh, person, tmp_path):
    wrapped = TestStaticJointAboveTheHips().wrapped(person, "1 2 3", "10 20 30 0 0 90")
    clip = load(bvh(wrapped))
    kept = json.loads(json.dumps(dict(clip.origin.header)))
    assert kept == dict(clip.origin.header)
    save(clip, tmp_path / "out.bvh")
    assert load(tmp_path / "out.bvh").origin.header["bvh"]["joints"] == clip.origin.header["bvh"]["joints"]
