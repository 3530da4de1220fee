"""The server of a study: pages on loopback, one session for each participant, ratings written after each answer."""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from motionloom.core import Clip, MotionloomError
from motionloom.core.text import printable
from motionloom.evaluate.study import Rating, Trial, make_trials, write_ratings
from motionloom.evaluate.study.ratings import HIGHEST, LOWEST
from motionloom.plot.study import study_page, trial_page

HOST = "127.0.0.1"
LONGEST_BODY = 4096  # bytes of a request
LONGEST_NAME = 60
MOST_SESSIONS = 1000
POLICY = (  # pages contain all that they need
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; "
    "connect-src 'self'; frame-src 'self'; frame-ancestors 'self'; form-action 'none'; base-uri 'none'"
)


class Refused(Exception):
    """A request that is answered with a status and a line of text."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


@dataclass
class Session:
    """One participant and the clips that they are shown."""

    participant: str
    trials: tuple[Trial, ...]
    ratings: dict[int, int | None] = field(default_factory=dict)


@dataclass
class Study:
    """A running study: groups of clips, and the sessions so far."""

    groups: Mapping[str, Sequence[Clip]]
    question: str
    out: Path
    seed: int
    count: int
    earlier: tuple[Rating, ...] = ()  # ratings that the file has already
    sessions: dict[str, Session] = field(default_factory=dict)
    lock: Any = field(default_factory=Lock)

    def begin(self, participant: str) -> dict[str, Any]:
        """A new session: its order of clips depends on the seed and the number of participants before."""
        name = " ".join(participant.split())[:LONGEST_NAME]
        if not name[:1].isalnum() or printable(name) != name:  # spreadsheets run what begins with = + - or @
            raise Refused(400, "expected a name or number that begins with a letter or a digit")
        with self.lock:
            known = {r.participant for r in self.earlier} | {s.participant for s in self.sessions.values()}
            if name in known:
                raise Refused(409, f"{name} has taken part already")
            if len(self.sessions) >= MOST_SESSIONS:
                raise Refused(503, "too many participants")
            rng = np.random.default_rng([self.seed, len(known)])
            token = secrets.token_urlsafe(16)
            self.sessions[token] = Session(name, make_trials(self.groups, self.question, rng, self.count))
        return {"token": token, "count": self.count}

    def clip(self, token: str, trial: int) -> Clip:
        """The clip of a trial."""
        session = self._session(token)
        if not 0 <= trial < len(session.trials):
            raise Refused(404, "no such clip")
        return session.trials[trial].clip

    def rate(self, token: str, trial: Any, rating: Any) -> dict[str, Any]:
        """Store an answer and write all of them to the file."""
        session = self._session(token)
        whole = type(rating) is int and LOWEST <= rating <= HIGHEST
        if type(trial) is not int or not 0 <= trial < len(session.trials) or not (whole or rating is None):
            raise Refused(400, f"expected a clip and a rating from {LOWEST} to {HIGHEST}")
        with self.lock:
            session.ratings[trial] = rating
            try:
                write_ratings(self.ratings(), self.out)
            except MotionloomError as error:
                raise Refused(507, str(error)) from None
        return {"rated": len(session.ratings)}

    def ratings(self) -> list[Rating]:
        """All answers, those of earlier runs first."""
        out = list(self.earlier)
        for session in self.sessions.values():
            for number, rating in sorted(session.ratings.items()):
                trial = session.trials[number]
                out.append(Rating(session.participant, self.question, trial.group, trial.name, rating))
        return out

    def _session(self, token: str) -> Session:
        if token not in self.sessions:
            raise Refused(404, "no such session")
        return self.sessions[token]


def serve(study: Study, port: int) -> ThreadingHTTPServer:
    """A server on loopback; call `serve_forever`. Port 0 is any free one."""

    class Handler(BaseHTTPRequestHandler):
        """Answers with pages and JSON."""

        timeout = 30.0  # s without a byte of a request

        def do_GET(self) -> None:
            self._answer(lambda: _page(study, self.path), "text/html; charset=utf-8")

        def do_POST(self) -> None:
            self._answer(lambda: json.dumps(_posted(study, self.path, self._body())), "application/json")

        def _body(self) -> dict[str, Any]:
            size = self.headers.get("Content-Length", "")
            if self.headers.get("Content-Type", "").split(";")[0] != "application/json":
                raise Refused(415, "expected JSON")
            if not size.isdecimal() or len(size) > 9 or int(size) > LONGEST_BODY:
                raise Refused(413, f"expected at most {LONGEST_BODY} bytes")
            try:
                body = json.loads(self.rfile.read(int(size)))
            except (ValueError, RecursionError):
                raise Refused(400, "expected JSON") from None
            if not isinstance(body, dict):
                raise Refused(400, "expected an object")
            return body

        def _answer(self, make: Any, kind: str) -> None:
            try:
                host = self.headers.get("Host", "").rsplit(":", 1)[0]
                if host not in (HOST, "localhost"):  # a page elsewhere must not reach this server by another name
                    raise Refused(403, "this server answers on this machine only")
                status, content = 200, make().encode()
            except Refused as error:
                status, content, kind = error.status, str(error).encode(), "text/plain; charset=utf-8"
            self.send_response(status)
            for name, value in (
                ("Content-Type", kind), ("Content-Length", str(len(content))), ("Cache-Control", "no-store"),
                ("X-Content-Type-Options", "nosniff"), ("Content-Security-Policy", POLICY),
            ):  # fmt: skip
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *values: Any) -> None:
            """Nothing: the terminal shows how many answers there are."""

    class Server(ThreadingHTTPServer):
        """Ends a connection that breaks off without a traceback."""

        def handle_error(self, request: Any, client_address: Any) -> None:
            """Report other errors only."""
            if not isinstance(sys.exception(), OSError):
                super().handle_error(request, client_address)

    return Server((HOST, port), Handler)


def _page(study: Study, path: str) -> str:
    parts = path.split("?")[0].strip("/").split("/")
    if parts == [""]:
        return study_page(study.question, study.count)
    if len(parts) == 3 and parts[0] == "clip" and parts[2].isdecimal() and len(parts[2]) < 10:
        return trial_page(study.clip(parts[1], int(parts[2])))
    raise Refused(404, "no such page")


def _posted(study: Study, path: str, body: dict[str, Any]) -> dict[str, Any]:
    if path == "/begin":
        return study.begin(str(body.get("participant", "")))
    if path == "/rate":
        return study.rate(str(body.get("token", "")), body.get("trial"), body.get("rating"))
    raise Refused(404, "no such page")
