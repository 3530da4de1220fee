"""The table of cases that a BVH reader meets in the wild, second part: the motion. Each test carries its row's name."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import FormatError
from motionloom.io import load
from motionloom.kinematics.fk import fk


class TestHeaderFrameCountWrong:
    """Header frame count wrong: trust the rows, warn; strict refuses."""

    @pytest.mark.parametrize("declared", [1, 480, 10**12])
    def test_the_rows_are_trusted(self, read, two, declared, said):
        clip = read(two.replace("Frames: 2", f"Frames: {declared}"))
        assert len(clip) == 2
        assert f'line 17: expected {declared} frames ("Frames: {declared}"), found 2' in said(clip)

    def test_strict_refuses(self, read, two):
        with pytest.raises(FormatError, match=r'^walk.bvh:17: expected 480 frames \("Frames: 480"\), found 2$'):
            read(two.replace("Frames: 2", "Frames: 480"), strict=True)

    def test_no_rows_at_all_is_an_error(self, read, two):
        with pytest.raises(FormatError, match=r"expected 2 frames .* found 0"):
            read(two[: two.index("0 1 0")])


class TestRowsOfTheWrongWidth:
    """Short last row / wrong width elsewhere: drop with a warning / error with line and both counts."""

    @pytest.mark.parametrize("cut", ["0 1 1 0", "0 1 1 0 0 90 90 0 -", "0 1 1 0 0 90 90 1.5e"])
    def test_a_short_last_row_is_dropped(self, read, two, cut, said):
        text = two.replace("0 1 1 0 0 90 90 0 0\n", cut)
        clip = read(text)
        assert len(clip) == 1
        count = len([t for t in cut.split() if t[-1].isdigit()])
        assert f"line 20: expected 9 values (HIERARCHY declares 9 channels), found {count} in the last row" in said(
            clip
        )
        with pytest.raises(FormatError, match=r"walk.bvh:20: expected 9 values"):
            read(text, strict=True)

    @pytest.mark.parametrize(("row", "count"), [("0 1 0 0 0 0 0 0", 8), ("0 1 0 0 0 0 0 0 0 0 0", 11)])
    def test_a_wrong_width_elsewhere_is_an_error(self, read, two, row, count):
        text = two.replace("0 1 0 0 0 0 0 0 0\n", row + "\n")
        message = rf"^walk.bvh:19: expected 9 values \(HIERARCHY declares 9 channels\), found {count}$"
        with pytest.raises(FormatError, match=message):
            read(text)

    def test_a_long_last_row_is_an_error(self, read, two):
        with pytest.raises(FormatError, match=r"walk.bvh:20: expected 9 values .*, found 10"):
            read(two.rstrip() + " 7\n")


class TestGluedNumbersAndDecimalComma:
    """`0.0-7.5094` glued numbers, decimal comma: an error that says exactly that."""

    @pytest.mark.parametrize(
        ("token", "complaint"),
        [
            ("0.0-7.5094", "'0.0-7.5094' is two numbers glued together (0.0 and -7.5094)"),
            ("1.25+3", "'1.25+3' is two numbers glued together (1.25 and +3)"),
            ("0.5.25", "'0.5.25' is two numbers glued together (0.5 and .25)"),
            ("0,5", "'0,5' has a decimal comma"),
            ("0.5,1.5", "'0.5,1.5' has commas between numbers"),
            ("nan", "'nan' is not a finite number"),
            ("abc", "'abc' is not a number"),
            ("−90", "'−90' is not a number"),  # a minus sign of typesetters
            ("1e", "'1e' is not a number"),
            ("1e999", "beyond any place or angle"),
        ],
    )
    def test_says_so_with_the_line(self, read, two, token, complaint):
        with pytest.raises(FormatError) as error:
            read(two.replace("0 1 0 0", f"0 {token} 0 0", 1))
        assert complaint in str(error.value)
        if "beyond" not in complaint:
            assert str(error.value).startswith("walk.bvh:19: value 2 of 9: ")

    def test_in_an_offset_and_in_the_frame_time_too(self, read, two):
        with pytest.raises(FormatError, match=r"walk.bvh:8: OFFSET of 'Head': '0,5' has a decimal comma"):
            read(two.replace("0.5", "0,5"))
        with pytest.raises(FormatError, match=r"walk.bvh:18: '0,1' has a decimal comma"):
            read(two.replace("0.1\n", "0,1\n"))


class TestHarmlessSpellings:
    """Exponents, `.0083333`, `+1.0`, tabs, CRLF, mixed ends, BOM, trailing blanks, comments, `{` on the same line,
    lower-case keywords: accepted."""

    def same(self, read, two, changed) -> None:
        assert np.array_equal(fk(read(changed)), fk(read(two)))

    def test_exponents(self, read, two):
        self.same(read, two, two.replace("90 90", "9e1 0.9E+02").replace("0.5", "5e-1"))

    def test_leading_point(self, read, two):
        assert read(two.replace("0.1\n", ".0083333\n")).fps == 120
        self.same(read, two, two.replace("0.5", ".5"))

    def test_plus_signs(self, read, two):
        self.same(read, two, two.replace("0 1 1", "+0 +1.0 +1.").replace("0.5", "+0.5"))

    def test_tabs(self, read, two):
        self.same(read, two, two.replace(" ", "\t"))

    @pytest.mark.parametrize("end", ["\r\n", "\r"])
    def test_line_ends(self, read, two, end):
        self.same(read, two, two.replace("\n", end))

    def test_mixed_line_ends_are_counted_once(self, read, two):
        lines = two.splitlines()
        mixed = "".join(line + ("\r\n", "\n", "\r")[n % 3] for n, line in enumerate(lines))
        self.same(read, two, mixed)
        with pytest.raises(FormatError, match=r"walk.bvh:20: value 9 of 9: 'x'"):
            read(mixed.rstrip()[:-1] + "x y")

    def test_byte_order_mark(self, read, two):
        self.same(read, two, b"\xef\xbb\xbf" + two.encode())

    def test_trailing_blanks_and_blank_lines(self, read, two):
        self.same(read, two, "\n\n" + two.replace("\n", " \t \n\n") + "\n \n\t\n")

    def test_comments(self, read, two):
        changed = two.replace("ROOT", "# made by hand\n// twice\nROOT").replace("0.5 0\n", "0.5 0 # up\n")
        changed = changed.replace("ROOT Hips", "ROOT Hips // the pelvis").replace("MOTION", "MOTION # now")
        changed = changed.replace("0.1\n", "0.1 // ten a second\n# rows\n").replace("90 90 0 0", "90 90 0 0 # last")
        self.same(read, two, "# a comment before all\n" + changed)

    def test_brace_on_the_same_line(self, read, two):
        self.same(read, two, two.replace("\n{", " {").replace("Head\n  {", "Head{").replace("Site\n    {", "Site {"))

    def test_all_of_the_hierarchy_on_one_line(self, read, two):
        head, motion = two.split("MOTION")
        head = " ".join(head.split()).replace("ROOT Hips {", "ROOT Hips {")
        self.same(read, two, head + " MOTION" + motion)
        self.same(read, two, two.replace("Frames: 2\n", "Frames: 2 "))

    def test_lower_case_keywords(self, read, two):
        self.same(read, two, two.lower())


class TestFrameTime:
    """Frame Time <= 0, NaN: error; outside 10-1000 fps warns."""

    @pytest.mark.parametrize("text", ["0", "-0.01", "nan", "inf", "", "fast"])
    def test_not_a_time_is_an_error_unless_fps_is_given(self, read, two, text, again):
        changed = two.replace("Frame Time: 0.1", f"Frame Time: {text}")
        with pytest.raises(FormatError, match=r"walk.bvh:18: "):
            read(changed)
        clip = read(changed, fps=25.0)
        assert clip.fps == 25
        assert again(clip).fps == 25

    @pytest.mark.parametrize(("text", "fps"), [("0.5", 2), ("0.0001", 10_000)])
    def test_an_unusual_rate_warns(self, read, two, text, fps, said):
        clip = read(two.replace("Frame Time: 0.1", f"Frame Time: {text}"))
        assert clip.fps == fps
        assert f"{fps} frames per second (Frame Time {text}) is unusual" in said(clip)

    def test_a_usual_rate_does_not(self, read, two, said):
        assert "unusual" not in said(read(two))

    @pytest.mark.parametrize(
        ("text", "fps"),
        [
            (".0083333", 120),
            ("0.008333", 120),
            ("0.0333333", 30),
            ("0.033333", 30),
            ("0.0166667", 60),
            ("0.04166667", 24),
            ("0.041708", 24 / 1.001),
            ("0.0333667", 30 / 1.001),
            ("0.04", 25),
            ("0.01", 100),
            ("1e-2", 100),
            ("0.0123", 1 / 0.0123),
        ],
    )
    def test_a_rounded_time_means_the_rate_it_was_rounded_from(self, read, two, text, fps, written):
        clip = read(two.replace("Frame Time: 0.1", f"Frame Time: {text}"))
        assert clip.fps == fps
        assert f"Frame Time: {text}\n" in written(clip).decode()


class TestTPose:
    """T-pose as frame 0 (all CMU files): detected, said, trimmed on request; frame numbers still count it."""

    def with_tpose(self, person: str) -> str:
        head = person.split("MOTION\n")[0]
        bent = "0 94 0 " + " ".join(["20 30 40"] * 15)
        rows = ["0 94 0 " + "0 0 0 " * 15] + [bent] * 5
        return f"{head}MOTION\nFrames: 6\nFrame Time: 0.1\n" + "\n".join(rows)

    def test_detected_and_said(self, bvh, person, said):
        clip = load(bvh(self.with_tpose(person)))
        assert len(clip) == 6
        assert "frame 0 is a T-pose (not dropped)" in said(clip)

    def test_trimmed_on_request(self, bvh, person, said):
        clip = load(bvh(self.with_tpose(person)), trim_tpose=True)
        assert len(clip) == 5
        assert clip.origin.main()[1].tolist() == [1, 2, 3, 4, 5]
        assert "frame 0 is a T-pose: dropped" in said(clip)

    def test_a_motion_that_starts_smoothly_keeps_its_first_frame(self, bvh, person, said):
        assert "T-pose" not in said(load(bvh(person)))

    def test_found_in_all_cmu_files_and_in_no_other(self, mocap, said):
        for path in sorted(mocap.rglob("*.bvh"))[::6]:
            found = "T-pose" in said(load(path))
            assert found == (path.parent.name == "cmu"), path.name


class TestNotBvh:
    """Git LFS pointer, HTML page, FBX, binary instead of BVH: says what it is."""

    @pytest.mark.parametrize(
        ("content", "what"),
        [
            (b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", "a Git LFS pointer"),
            (b"<!DOCTYPE html>\n<html><head>", "an HTML page"),
            (b"\n<html><body>404", "an HTML page"),
            (b"Kaydara FBX Binary  \x00\x1a\x00", "an FBX file (binary)"),
            (b"; FBX 7.3.0 project file\n", "an FBX file (text)"),
            (b"PK\x03\x04abc", "a zip archive"),
            (b"\x1f\x8b\x08", "a gzip archive"),
            (b"\x02\x50\x00\x00", "a C3D file"),
            (b"\x00\x01\x02\x03", "a binary file"),
            ("HIERARCHY\n".encode("utf-16"), "UTF-16 text"),
            (b'{"asset": 1}', "a JSON file"),
            (b":version 1.10\n:name VICON", "an Acclaim file"),
            (b"", "an empty file"),
            (b"  \n", "a file of blanks"),
            (b"hello", "not a BVH file: it starts with 'hello', not with HIERARCHY"),
        ],
    )
    def test_says_what_it_is(self, bvh, content, what):
        with pytest.raises(FormatError) as error:
            load(bvh(content))
        assert what in str(error.value)
        assert "walk.bvh" in str(error.value)

    def test_a_missing_file_and_a_folder_are_said(self, tmp_path):
        with pytest.raises(FormatError, match=r"nothing.bvh: cannot be read: No such file"):
            load(tmp_path / "nothing.bvh")
        (tmp_path / "folder.bvh").mkdir()
        with pytest.raises(FormatError, match=r"folder.bvh: cannot be read"):
            load(tmp_path / "folder.bvh")

    def test_a_hierarchy_alone_is_said(self, read, two):
        with pytest.raises(FormatError, match=r"no MOTION after HIERARCHY"):
            read(two[: two.index("MOTION")])
