"""Draws the README's picture from the samples: python docs/make_pictures.py"""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from motionloom.plot import save_filmstrip
from motionloom.samples import make

HERE = Path(__file__).parent


def main() -> None:
    """A walk, a dance and a dog as filmstrips, in few colours so that the file stays small."""
    path = HERE / "filmstrip.png"
    clips = [make("walk", speed=1.4, seed=1, seconds=4.5), make("dance", seed=1, seconds=9), make("dog_jump")]
    save_filmstrip(clips, path, titles=["walk", "dance", "dog"], dpi=110)
    Image.open(path).convert("RGB").quantize(96, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    main()
