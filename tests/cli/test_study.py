"""`motionloom study`: the server on loopback, and the analysis of ratings."""

from __future__ import annotations

import json
import socket
from threading import Thread
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from typer.testing import CliRunner

from motionloom.cli.app import app
from motionloom.cli.study_server import Study, serve
from motionloom.core import replace
from motionloom.evaluate.study import Rating, read_ratings, write_ratings
from motionloom.samples import make


@pytest.fixture
def running(tmp_path):
    """A study of two groups, and the address of its server."""
    clips = [make("stroke", seed=s) for s in range(2)]
    named = [replace(c, origin=replace(c.origin, name=f"secret {k}")) for k, c in enumerate(clips)]
    study = Study({"secret ours": named[:1], "secret captured": named[1:]}, "natural", tmp_path / "r.csv", 0, 4)
    server = serve(study, 0)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield study, f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


def post(url, body, kind="application/json", host=None):
    headers = {"Content-Type": kind, **({"Host": host} if host else {})}
    with urlopen(Request(url, json.dumps(body).encode(), headers)) as answer:
        return json.loads(answer.read())


def test_a_participant_rates_blinded_clips_and_the_answers_are_written(running):
    study, address = running
    with urlopen(address) as answer:
        page = answer.read().decode()
    assert "How natural" in page
    begun = post(f"{address}/begin", {"participant": "Ann"})
    assert begun["count"] == 4
    for trial in range(4):
        with urlopen(f"{address}/clip/{begun['token']}/{trial}") as answer:
            assert "secret" not in answer.read().decode()
        post(f"{address}/rate", {"token": begun["token"], "trial": trial, "rating": None if trial == 3 else trial + 2})
    found = read_ratings(study.out)
    assert sorted(r.rating for r in found.answers) == [2, 3, 4]
    assert found.missing == 1
    assert {r.group for r in found.answers} <= {"secret ours", "secret captured"}
    assert {r.participant for r in found.answers} == {"Ann"}


@pytest.mark.parametrize(
    ("path", "body", "kind", "host", "status"),
    [
        ("begin", {"participant": "  "}, "application/json", None, 400),
        ("rate", {"token": "x", "trial": 0, "rating": 3}, "application/json", None, 404),
        ("begin", {"participant": "Bob"}, "text/plain", None, 415),
        ("begin", {"participant": "Bob"}, "application/json", "evil.example", 403),
        ("begin", {"participant": "B" * 5000}, "application/json", None, 413),
        ("other", {}, "application/json", None, 404),
        ("begin", {"participant": "=HYPERLINK(1)"}, "application/json", None, 400),  # run by spreadsheets
        ("begin", {"participant": "Bob\x1b[2J"}, "application/json", None, 400),
        ("begin", {"participant": "Bob\ud800"}, "application/json", None, 400),
        ("../../etc/passwd", {}, "application/json", None, 404),
    ],
)
def test_wrong_requests_are_refused(running, path, body, kind, host, status):
    with pytest.raises(HTTPError) as error:
        post(f"{running[1]}/{path}", body, kind, host)
    assert error.value.code == status


@pytest.mark.parametrize(
    ("head", "status"),
    [
        ("GET /clip/../../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 404),
        ("GET /clip/x/" + "9" * 5000 + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 404),
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1.evil.example\r\n\r\n", 403),
        ("GET / HTTP/1.1\r\n\r\n", 403),
        ("POST /begin HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 4000\r\n\r\n"
         + "[" * 4000, 400),
        ("POST /begin HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: "
         + "9" * 5000 + "\r\n\r\n", 413),
        ("OPTIONS /begin HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 501),
    ],
)  # fmt: skip
def test_hostile_requests_get_an_answer(running, head, status):
    with socket.create_connection(("127.0.0.1", int(running[1].rpartition(":")[2]))) as connection:
        connection.sendall(head.encode())
        connection.settimeout(20)
        assert int(connection.recv(100).split()[1]) == status


def test_pages_may_load_nothing_from_elsewhere(running):
    with urlopen(running[1]) as answer:
        policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "connect-src 'self'" in policy


def test_a_full_disk_is_an_answer(running):
    study, address = running
    begun = post(f"{address}/begin", {"participant": "Ann"})
    study.out.mkdir()  # nothing can be written there
    with pytest.raises(HTTPError) as error:
        post(f"{address}/rate", {"token": begun["token"], "trial": 0, "rating": 3})
    assert error.value.code == 507


def test_ratings_out_of_range_and_second_visits_are_refused(running):
    _, address = running
    begun = post(f"{address}/begin", {"participant": "Ann"})
    for rating in (0, 10, 5.5, "5", True):
        with pytest.raises(HTTPError):
            post(f"{address}/rate", {"token": begun["token"], "trial": 0, "rating": rating})
    with pytest.raises(HTTPError) as error:
        post(f"{address}/begin", {"participant": "Ann"})
    assert error.value.code == 409


def test_ratings_are_analysed_and_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    rows = [
        Rating(f"p{p}", "natural", group, "x", 5 + (p + k + (group == "ours")) % 3)
        for p in range(5) for group in ("captured", "ours") for k in range(3)
    ]  # fmt: skip
    write_ratings(rows, tmp_path / "r.csv")
    done = CliRunner().invoke(app, ["study", "analyse", str(tmp_path / "r.csv"), "-o", str(tmp_path / "pictures")])
    assert done.exit_code == 0, done.output
    assert "within participants: F(" in done.output
    assert (tmp_path / "pictures" / "natural.png").is_file()
    facts = json.loads(CliRunner().invoke(app, ["study", "analyse", str(tmp_path / "r.csv"), "--json"]).stdout)
    assert facts["questions"][0]["one_way"]["between"] == 1
    (tmp_path / "r.csv").write_text("nonsense\n")
    assert CliRunner().invoke(app, ["study", "analyse", str(tmp_path / "r.csv")]).exit_code == 1


def test_a_study_needs_named_groups(tmp_path):
    done = CliRunner().invoke(app, ["study", "run", "--group", "walks", "-o", str(tmp_path / "r.csv")])
    assert done.exit_code == 2
    assert "expected NAME=CLIPS" in done.output
