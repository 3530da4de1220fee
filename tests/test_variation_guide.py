"""The guide to variation: its commands run as they are written, on files with the names that it uses."""

from __future__ import annotations

import json
import re
import shlex
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.request import Request, urlopen

import pytest
from typer.testing import CliRunner

from motionloom.cli.app import app
from motionloom.io import load, save
from motionloom.kinematics.resample import resample
from motionloom.kinematics.trim import trim_contacts
from motionloom.samples import make

GUIDE = (Path(__file__).resolve().parents[1] / "docs" / "variation.md").read_text("utf-8")


def files() -> None:
    """What the commands of the guide begin with."""
    walks = [make("walk", seed=s, seconds=3) for s in range(4)]
    for k, walk in enumerate(walks):
        save(walk, f"walk_{k}.bvh")
        save(make("stroke", seed=k), f"a_{k + 1}.csv")
        for folder in ("clips", "good_walks", "takes"):
            Path(folder).mkdir(exist_ok=True)
            save(resample(trim_contacts(walk, "left_heel", strides=1), 30.0), Path(folder) / f"walk_{k}.bvh")
        Path("jumps").mkdir(exist_ok=True)
        save(resample(make("jump", seed=k), 30.0), f"jumps/jump_{k}.bvh")
    save(resample(make("jump", seed=9), 30.0), "one_jump.bvh")
    run("motionloom learn variation jumps --rounds 1 -o jumps.loom")
    run("motionloom learn motion-graph walk_0.bvh walk_1.bvh -o graph.loom")


def run(line: str) -> str:
    program, *arguments = shlex.split(re.sub(r"(^|\s)#.*", "", line))
    assert program == "motionloom"
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, f"{line}\n{result.output}"
    return str(result.output)


def participant(server: ThreadingHTTPServer, poll_interval: float = 0.5) -> None:
    """Instead of waiting for people: one participant rates everything, then Ctrl-C is pressed."""
    thread = Thread(target=WAIT, args=(server, 0.01), daemon=True)
    thread.start()
    address = f"http://127.0.0.1:{server.server_address[1]}"
    begun = post(f"{address}/begin", {"participant": "Ann"})
    for trial in range(begun["count"]):
        with urlopen(f"{address}/clip/{begun['token']}/{trial}") as answer:
            assert answer.read()
        post(f"{address}/rate", {"token": begun["token"], "trial": trial, "rating": 1 + trial % 9})
    server.shutdown()
    thread.join()
    raise KeyboardInterrupt


WAIT = ThreadingHTTPServer.serve_forever


def post(url: str, body: dict[str, object]) -> dict[str, int]:
    with urlopen(Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})) as answer:
        found: dict[str, int] = json.loads(answer.read())
        return found


def test_the_commands_of_the_guide_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ThreadingHTTPServer, "serve_forever", participant)
    files()
    printed = {}
    for block in re.findall(r"^```sh\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE):
        for line in block.strip().splitlines():
            printed[line.split("#")[0].strip()] = run(line)
    assert len(list(Path("variants").glob("take_*.bvh"))) == 15
    assert len(load("stream.bvh")) == 60 * load("stream.bvh").fps
    assert {path.name for path in Path("pictures").glob("*.png")} >= {"curves.png", "bodies.png", "networks.png"}
    assert len(Path("natural.csv").read_text().splitlines()) == 16  # one participant, fifteen motions
    assert "cycle animation" in next(text for line, text in printed.items() if line.startswith("motionloom compare"))


def test_no_command_of_the_guide_is_outside_its_blocks() -> None:
    outside = re.sub(r"^```\w+\n.*?^```", "", GUIDE, flags=re.DOTALL | re.MULTILINE)
    known = ("motionloom select`", "motionloom again`")  # mentioned, not shown
    assert not [m for m in re.findall(r"`motionloom [^`]*`", outside) if not m.endswith(known)]
