"""Public motion data sets: addresses, licences and known checksums."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from motionloom.core import BadRequest


@dataclass(frozen=True)
class Dataset:
    """One collection. `base` and the path of a file make its address; a collection in one archive has no clips."""

    name: str
    what: str
    base: str
    licence: str  # one line, kept beside the files and in every clip
    credit: str
    home: str
    starter: tuple[str, ...] = ()  # clips that are fetched if none are named
    archive: str = ""  # the path of the one file that holds everything

    def path_of(self, clip: str) -> str:
        """The path of a clip below `base`; `BadRequest` if no clip can have this name."""
        if self.archive:
            raise BadRequest(f"{self.name} is one archive: it cannot be fetched clip by clip")
        rule, form = _PATHS[self.name]
        found = rule.fullmatch(clip.removesuffix(".bvh"))
        if not found:
            raise BadRequest(f"{clip!r} is not a clip of {self.name}; an example is {self.starter[0]!r}")
        return form.format(clip=found[0], group=found[1].zfill(3) if self.name == "cmu" else found[1])


_PATHS = {  # how a clip is called, and where it is; {group} is the subject, or the number of the collection
    "cmu": (re.compile(r"(\d{1,3})_\d{2}"), "data/{group}/{clip}.bvh"),
    "bandai": (
        re.compile(r"dataset-([12])_[\w-]+_\d{3}"),
        "dataset/Bandai-Namco-Research-Motiondataset-{group}/data/{clip}.bvh",
    ),
}
_GITHUB = "https://raw.githubusercontent.com"

DATASETS: dict[str, Dataset] = {
    d.name: d
    for d in (
        Dataset(
            "cmu",
            "CMU Graphics Lab captures, 2,548 takes of all kinds, in B. Hahne's BVH conversion",
            f"{_GITHUB}/una-dinosauria/cmu-mocap/09a07f54f3bbb58797325f009282d0b2048a2871",
            "CMU Graphics Lab: free for use in research and commercial projects",
            "The data used in this project was obtained from mocap.cs.cmu.edu. The database was created with funding "
            "from NSF EIA-0196217.",
            "http://mocap.cs.cmu.edu",
            ("16_15", "16_21", "16_35", "35_01", "35_17", "60_01", "13_17", "118_03"),
        ),
        Dataset(
            "bandai",
            "Bandai-Namco-Research-Motiondataset: 3,077 short clips of actions in many styles",
            f"{_GITHUB}/BandaiNamcoResearchInc/Bandai-Namco-Research-Motiondataset/"
            "74ead3ba1ae4696404e6086233779f60de8bf9ef",
            "CC BY-NC 4.0: no commercial use",
            "Bandai Namco Research Inc., Bandai-Namco-Research-Motiondataset",
            "https://github.com/BandaiNamcoResearchInc/Bandai-Namco-Research-Motiondataset",
            (
                "dataset-2_walk-turn-left_normal_001",
                "dataset-2_walk-turn-right_normal_001",
                "dataset-1_punch_normal_001",
            ),
        ),
        Dataset(
            "lafan1",
            "Ubisoft La Forge Animation Dataset: 77 long takes of five people (144 MB)",
            "https://github.com/ubisoft/ubisoft-laforge-animation-dataset/raw/master",
            "CC BY-NC-ND 4.0: no commercial use, no changed copies",
            "Ubisoft La Forge; Harvey et al., Robust Motion In-betweening, 2020",
            "https://github.com/ubisoft/ubisoft-laforge-animation-dataset",
            archive="lafan1/lafan1.zip",
        ),
        Dataset(
            "100style",
            "100STYLE: walks and runs in a hundred styles, 810 takes (1.4 GB)",
            "https://zenodo.org/records/8127870/files",
            "CC BY 4.0",
            "The 100STYLE Dataset - Ian Mason; Mason, Starke and Komura 2022",
            "https://zenodo.org/records/8127870",
            archive="100STYLE.zip",
        ),
    )
}


@cache
def checksums() -> dict[str, str]:
    """sha256 by "dataset/file" of files that are known (or whose address states it)."""
    text = files("motionloom.io").joinpath("checksums.txt").read_text("utf-8")
    rows = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    return {name: digest for digest, name in rows}
