"""Time and memory of readers grow with the size of a file, not with its square or worse.

Each of these inputs would take minutes to centuries with an expression that goes back over what it has matched.
"""

from __future__ import annotations

import pytest

from motionloom.core import BadRequest, FormatError
from motionloom.core.text import read_toml
from motionloom.core.units import moment, quantity
from motionloom.io import load, load_markers
from motionloom.io.number_text import fault, number
from motionloom.io.sniff import what_is

BVH = """HIERARCHY
ROOT Hips
{
OFFSET 0 0 0
CHANNELS 3 Zrotation Xrotation Yrotation
}
MOTION
Frames: 1
Frame Time: 0.1
"""
LONG = 1_000_000


@pytest.mark.parametrize("head", [b"# " * 40 + b"x", b"#\n" * LONG, b"# # \n" * LONG, b"#" * LONG])
def test_many_comment_marks_are_looked_through_once(head):
    assert what_is(head) == ""


@pytest.mark.parametrize("suffix", [".bvh", ".asf", ".amc", ".trc", ".csv"])
@pytest.mark.parametrize("text", ["# " * 41, "# " * 100_000, "#\n" * 100_000, " " * LONG, "1" * LONG, "{" * 100_000])
def test_text_readers_reject_endless_runs_of_one_thing(suffix, text, tmp_path):
    path = tmp_path / f"odd{suffix}"
    path.write_text(text)
    with pytest.raises(FormatError):
        (load_markers if suffix in (".trc", ".csv") else load)(path)


@pytest.mark.parametrize(
    "token", ["1" * LONG + "x", "1" * LONG + ".x", "." + "1" * LONG + "e", "1" * LONG + ",x", "-" * LONG]
)
def test_a_number_of_a_million_digits_is_none(token, tmp_path):
    assert number(token) is None
    assert len(fault(token)) < 200
    (tmp_path / "odd.bvh").write_text(f"{BVH}0 0 {token}\n")
    with pytest.raises(FormatError, match=r"odd.bvh:10"):
        load(tmp_path / "odd.bvh")


@pytest.mark.parametrize("text", ["1" * LONG + "?", "end-" + " " * LONG + "\n?", "1" * LONG + "cm?", " " * LONG + "1"])
def test_an_amount_of_a_million_characters_is_an_error_that_can_be_read(text):
    for read in (quantity, moment):
        with pytest.raises(BadRequest) as caught:
            read(text)
        assert len(str(caught.value)) < 500


def test_markers_of_one_name_are_numbered_in_one_pass(tmp_path):
    """A header of 500 KB took minutes."""
    names = "\t".join(["a\t\t"] * 60_000)
    head = f"PathFileType\t4\t(X/Y/Z)\tx.trc\nDataRate\tUnits\n100\tmm\nFrame#\tTime\t{names}\n\n"
    (tmp_path / "x.trc").write_text(head + "1\t0.0\t" + "1\t" * 180_000 + "\n")
    with pytest.raises(FormatError, match="60000 joints are more than the limit"):
        load_markers(tmp_path / "x.trc")


DEEP = 100  # parts of a key: 50,000 of them, in a file of 100 KB, took 6 GB


@pytest.mark.parametrize(
    "text",
    [
        "a." * DEEP + "a = 1",
        "[" + "a." * DEEP + "a]",
        "x = {" + "'=' . " * DEEP + "a = 1}",
        "x = {b = '''#'''', " + '"=".' * DEEP + "a = 1}",
        'x = {b = """\\"""""", ' + '"\\"#".' * DEEP + "a = 1}",
    ],
)
def test_a_key_of_many_parts_is_an_error_before_it_is_read(text, tmp_path):
    (tmp_path / "x.toml").write_text(text)
    with pytest.raises(FormatError, match="a key of more than 32 parts"):
        read_toml(tmp_path / "x.toml")


def test_dots_in_strings_comments_and_numbers_are_no_parts_of_keys(tmp_path):
    many = "." * DEEP
    (tmp_path / "x.toml").write_text(
        f'# {many}\na.b = [{"0.5, " * DEEP}]\nc = "{many}" # {many}\nd = """\n"{many}\n"""\ne = {{"f.g" = 1.5}}\n'
    )
    found = read_toml(tmp_path / "x.toml")
    assert (len(found["a"]["b"]), found["c"], found["e"]) == (DEEP, many, {"f.g": 1.5})


@pytest.mark.parametrize("text", ["'''" + "''a" * 300_000, '"' + '\\"' * 400_000, '"""' * 300_001, "[" * LONG])
def test_unfinished_toml_is_looked_through_once(text, tmp_path):
    (tmp_path / "x.toml").write_text(f"x = {text}")
    with pytest.raises(FormatError, match="not a TOML file") as caught:
        read_toml(tmp_path / "x.toml")
    assert len(str(caught.value)) < 300
