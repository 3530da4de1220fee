"""Write requirements.txt: the versions of constraints.txt with the SHA-256 of their files from the package index.

python .ci/pin_hashes.py: after a version in constraints.txt was changed. Files for Linux, macOS and Windows and for all
Python versions that motionloom supports are included, so that the same list serves all of them.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from urllib.request import urlopen

from pip._internal.models.index import PyPI

ROOT = Path(__file__).resolve().parents[1]
LINK = re.compile(r"#sha256=([0-9a-f]{64})[^>]*>\s*([^<\s]+)\s*</a>")
SUPPORTED = re.compile(
    r"-(py3|py2\.py3|cp3\d?-abi3|cp311|cp312|cp313)[^-]*-?.*-(any|.*manylinux.*(x86_64|aarch64)|macosx.*|win_amd64)\.whl$"
)


def hashes(name: str, version: str) -> list[str]:
    """The digests of all usable files of one version; of its source where there is no wheel."""
    with urlopen(f"{PyPI.simple_url}/{re.sub(r'[-_.]+', '-', name).lower()}/", timeout=60) as answer:
        files = LINK.findall(answer.read().decode())
    stem = re.compile(rf"{re.sub(r'[-_.]+', '[-_.]+', name)}-{re.escape(version)}(-|\.tar\.gz$|\.zip$)", re.IGNORECASE)
    mine = [(digest, file) for digest, file in files if stem.match(file)]
    wheels = [(digest, file) for digest, file in mine if SUPPORTED.search(file)]
    return sorted({digest for digest, _ in wheels or mine})


def main() -> None:
    lines = []
    for pin in re.findall(
        r"^([\w.-]+)==([^\s\\]+)", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE
    ):
        found = hashes(*pin)
        if not found:
            sys.exit(f"{pin[0]} {pin[1]}: the index lists no file")
        lines.append(" \\\n    ".join(["==".join(pin), *(f"--hash=sha256:{digest}" for digest in found)]))
    (ROOT / "requirements.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
