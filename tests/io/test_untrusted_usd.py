"""USD files of unknown origin: references to other files, nested references, values that USD accepts and we cannot."""

from __future__ import annotations

import pytest

from motionloom.core import FormatError
from motionloom.io import isolated_reading, load

pytest.importorskip("pxr", reason="needs the extra usd")

SKELETON = """
def SkelRoot "Body" {
    def Skeleton "Rig" (prepend apiSchemas = ["SkelBindingAPI"]) {
        uniform token[] joints = ["hips", "hips/spine"]
        uniform matrix4d[] bindTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,1,0,1)),
            ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,2,0,1))]
        uniform matrix4d[] restTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,1,0,1)),
            ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,1,0,1))]
    }
}
"""


def usda(head: str = "", more: str = "") -> str:
    return f"#usda 1.0\n({head})\n{SKELETON}{more}"


def test_the_plain_file_is_read(tmp_path):
    (tmp_path / "x.usda").write_text(usda("metersPerUnit = 0.5"))
    assert load(tmp_path / "x.usda").skeleton.offsets[1, 1] == pytest.approx(0.5)


@pytest.mark.parametrize(
    "text",
    [
        usda("subLayers = [@../secret.usda@]"),
        usda(more='def "A" (references = @../secret.usda@</Body>) {}'),
        usda(more='def "A" (payload = @/etc/passwd@) {}'),
        usda(more='def "A" (clips = {dictionary default = {asset[] assetPaths = [@../secret.usda@]}}) {}'),
    ],
    ids=["sublayer", "reference", "payload", "value clips"],
)
def test_references_to_other_files_are_not_followed(tmp_path, text):
    (tmp_path / "x.usda").write_text(text)
    with pytest.raises(FormatError, match=r"x\.usda: refers to other files .*flattened"):
        load(tmp_path / "x.usda")


@pytest.mark.parametrize("value", ["0", "-1", "1e300", "inf", "nan"])
def test_a_unit_that_is_none_is_an_error(tmp_path, value):
    (tmp_path / "x.usda").write_text(usda(f"metersPerUnit = {value}"))
    with pytest.raises(FormatError):
        load(tmp_path / "x.usda")


def test_an_up_axis_that_is_none_is_an_error(tmp_path):
    (tmp_path / "x.usda").write_text(usda('upAxis = "left_eye"'))
    with pytest.raises(FormatError, match="upAxis: expected Y or Z, found 'left_eye'"):
        load(tmp_path / "x.usda")


@pytest.mark.parametrize("data", [b'#usda 1.0\n(doc = "\xe9")\n', b'#usda 1.0\ndef "\xe9" {}', b"PXR-USDC\0\0\0"])
def test_text_that_is_not_utf8_and_broken_crates_are_our_error(tmp_path, data):
    for name in ("x.usda", "x.usdc"):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(FormatError, match=name.replace(".", r"\.")):
            load(tmp_path / name)


def test_nested_references_end_at_a_limit_of_time_or_memory(tmp_path, monkeypatch):
    """Thirty levels of two references each would be a billion prims."""
    monkeypatch.setattr(isolated_reading, "SECONDS", 2.0)
    levels = "".join(
        f'def "L{k}" {{\ndef "a" (references = </L{k + 1}>) {{}}\ndef "b" (references = </L{k + 1}>) {{}}\n}}\n'
        for k in range(30)
    )
    (tmp_path / "x.usda").write_text(usda(more=levels + 'def "L30" {}'))
    with pytest.raises(FormatError, match=r"x\.usda: (not read within|needs more than|the USD library failed)"):
        load(tmp_path / "x.usda")


def test_warnings_of_the_library_with_words_of_the_file_are_not_printed(tmp_path, capfd):
    (tmp_path / "x.usda").write_text(usda().replace("hips/spine", "hips/\x1b]0;x\x07"))
    with pytest.raises(FormatError):
        load(tmp_path / "x.usda")
    assert capfd.readouterr() == ("", "")


def test_a_file_that_cannot_be_written_is_our_error(tiny, tmp_path):
    from motionloom.io.usd import write_usd

    (tmp_path / "file").write_text("")
    with pytest.raises(FormatError, match="cannot be written: "):
        write_usd(tiny, tmp_path / "file" / "x.usdc")
