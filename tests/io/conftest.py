"""Small BVH files for the tests, written out by hand."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from motionloom.core import Clip
from motionloom.io.bvh.read import parse_bvh
from motionloom.io.bvh.write import bvh_parts
from motionloom.io.reader_notes import Notes
from motionloom.io.reader_settings import Reading

sys.path.insert(0, str(Path(__file__).parent))  # tests of this folder share their small files

# a person of 1.7 m in centimetres, standing along y: 15 joints, 48 channels
PERSON = """HIERARCHY
ROOT Hips
{
	OFFSET 0 0 0
	CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
	JOINT LeftUpLeg
	{
		OFFSET 9 -3 0
		CHANNELS 3 Zrotation Yrotation Xrotation
		JOINT LeftLeg
		{
			OFFSET 0 -42 0
			CHANNELS 3 Zrotation Yrotation Xrotation
			JOINT LeftFoot
			{
				OFFSET 0 -41 0
				CHANNELS 3 Zrotation Yrotation Xrotation
				End Site
				{
					OFFSET 0 -8 15
				}
			}
		}
	}
	JOINT RightUpLeg
	{
		OFFSET -9 -3 0
		CHANNELS 3 Zrotation Yrotation Xrotation
		JOINT RightLeg
		{
			OFFSET 0 -42 0
			CHANNELS 3 Zrotation Yrotation Xrotation
			JOINT RightFoot
			{
				OFFSET 0 -41 0
				CHANNELS 3 Zrotation Yrotation Xrotation
				End Site
				{
					OFFSET 0 -8 15
				}
			}
		}
	}
	JOINT Spine
	{
		OFFSET 0 20 0
		CHANNELS 3 Zrotation Yrotation Xrotation
		JOINT Head
		{
			OFFSET 0 40 0
			CHANNELS 3 Zrotation Yrotation Xrotation
			End Site
			{
				OFFSET 0 18 0
			}
		}
		JOINT LeftArm
		{
			OFFSET 18 30 0
			CHANNELS 3 Zrotation Yrotation Xrotation
			JOINT LeftForeArm
			{
				OFFSET 30 0 0
				CHANNELS 3 Zrotation Yrotation Xrotation
				JOINT LeftHand
				{
					OFFSET 26 0 0
					CHANNELS 3 Zrotation Yrotation Xrotation
				}
			}
		}
		JOINT RightArm
		{
			OFFSET -18 30 0
			CHANNELS 3 Zrotation Yrotation Xrotation
			JOINT RightForeArm
			{
				OFFSET -30 0 0
				CHANNELS 3 Zrotation Yrotation Xrotation
				JOINT RightHand
				{
					OFFSET -26 0 0
					CHANNELS 3 Zrotation Yrotation Xrotation
				}
			}
		}
	}
}
MOTION
Frames: 4
Frame Time: 0.0333333
"""
ROWS = [
    " ".join([f"{f} 94.5 {2 * f}", *(f"{f + 3 * j % 7} {j - 2 * f} {0.5 * j}" for j in range(14)), "1 2 3"])
    for f in range(4)
]
# two joints that read like a worked example: a hip at 1 m, a head 0.5 m above it
TWO = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Head
  {
    OFFSET 0 0.5 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 0.2 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.1
0 1 0 0 0 0 0 0 0
0 1 1 0 0 90 90 0 0
"""


@pytest.fixture
def person() -> str:
    return PERSON + "\n".join(ROWS) + "\n"


@pytest.fixture
def two() -> str:
    return TWO


@pytest.fixture
def bvh(tmp_path: Path) -> Callable[..., Path]:
    """Writes text (or bytes) to a file `walk.bvh` and returns its path."""

    def write(content: str | bytes, name: str = "walk.bvh") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def read() -> Callable[..., Clip]:
    """Reads BVH text as metres, y up: `read(text, strict=True)`."""

    def parse(content: str | bytes, *, strict: bool = False, **options: object) -> Clip:
        data = content.encode() if isinstance(content, str) else content
        return parse_bvh(data, Notes("walk.bvh", strict=strict), Reading(**({"unit": "m", "up": "y"} | options)))

    return parse


@pytest.fixture
def written() -> Callable[..., bytes]:
    """The bytes of the file that a clip would be written to."""
    return lambda clip, **options: b"".join(bytes(part) for part in bvh_parts(clip, **options))


@pytest.fixture
def again(written: Callable[..., bytes]) -> Callable[[Clip], Clip]:
    """The clip after a trip through a file."""
    return lambda clip: parse_bvh(written(clip), Notes("again.bvh"), Reading(unit=clip.origin.unit, up=clip.origin.up))


@pytest.fixture
def said() -> Callable[[Clip], str]:
    """All that the reader has said about a clip."""
    return lambda clip: "\n".join(map(str, clip.origin.notes))


@pytest.fixture
def chain() -> Callable[..., str]:
    """The text of a file with joints one below the other; each is "name|offset|channels"."""

    def text(*joints: str, rows: str) -> str:
        out = "HIERARCHY\n"
        for n, joint in enumerate(joints):
            name, offset, channels = joint.split("|")
            out += f"{'JOINT' if n else 'ROOT'} {name}\n{{\nOFFSET {offset}\nCHANNELS {channels}\n"
        count = len(rows.strip().splitlines())
        return out + "}\n" * len(joints) + f"MOTION\nFrames: {count}\nFrame Time: 0.1\n{rows}\n"

    return text
