"""Run every benchmark and write benchmarks/figures.json: `./run bench [NAME ...]` (names of modules; all by default).

With names, only those modules' entries are measured again; the others stay as they were measured before.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

for pool in ("OMP", "OPENBLAS", "MKL", "NUMBA"):  # one thread each: ratios, not luck with cores
    os.environ.setdefault(f"{pool}_NUM_THREADS", "1")

HERE = Path(__file__).parent
FILE = HERE / "figures.json"
NOT_MODULES = {"__init__", "__main__", "patch_matching", "timing"}
ONLY_BY_NAME = {"scale", "textons_large"}  # an hour; minutes


def commit() -> str:
    ask = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=HERE, capture_output=True, text=True, check=False)
    changed = subprocess.run(
        ["git", "status", "--porcelain", "--", ":/", ":!figures.json"],
        cwd=HERE,
        capture_output=True,
        text=True,
        check=False,
    )
    return ask.stdout.strip() + ("+" if changed.stdout.strip() else "")


def measure(module: str) -> list[dict[str, Any]]:
    print(f"== {module}", flush=True)
    entries: list[dict[str, Any]] = importlib.import_module(f"benchmarks.{module}").figures()
    now = commit()
    for entry in entries:
        entry |= {"command": f"./run bench {module}", "commit": entry.get("commit", now)}
        mark = {True: "met", False: "MISSED", None: ""}[entry["met"]]
        target = f"({entry['target']})" if entry["target"] else ""
        print(f"  {entry['name']}: {entry['value']} {entry['unit']} {target} {mark}")
        if entry["note"]:
            print(f"      {entry['note']}")
    return entries


def main(names: list[str]) -> int:
    modules = sorted(p.stem for p in HERE.glob("*.py") if p.stem not in NOT_MODULES)
    unknown = set(names) - set(modules)
    if unknown:
        print(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(modules)}", file=sys.stderr)
        return 2
    chosen = names or [name for name in modules if name not in ONLY_BY_NAME]
    kept = json.loads(FILE.read_text()) if FILE.exists() else []
    kept = [e for e in kept if e["command"].split()[-1] not in chosen and e["command"].split()[-1] in modules]
    entries = kept + [e for name in chosen for e in measure(name)]
    FILE.write_text(json.dumps(sorted(entries, key=lambda e: (e["command"], e["name"])), indent=1) + "\n")
    missed = [e["name"] for e in entries if e["met"] is False]
    print(
        f"wrote {FILE.name}: {len(entries)} figures, {len(missed)} missed" + "".join(f"\n  missed: {m}" for m in missed)
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
