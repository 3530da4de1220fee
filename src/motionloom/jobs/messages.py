"""Messages between a process and its workers: a length, then a pickle of (kind, content).

They are sent through pipes that only the two processes have open. Nothing that comes from a user's file is unpickled.
"""

from __future__ import annotations

import pickle
import struct
from typing import Any, BinaryIO

TASK, STOP = "task", "stop"  # to the worker
STARTED, PROGRESS, VALUE, RESULT, END, ERROR = "started", "progress", "value", "result", "end", "error"  # from it

_LENGTH = struct.Struct("<Q")


def write_message(stream: BinaryIO, kind: str, content: Any = None) -> None:
    """Send one message. Values of users are passed already pickled, so that an error in them is reported apart."""
    data = pickle.dumps((kind, content), protocol=5)
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def read_message(stream: BinaryIO) -> tuple[str, Any]:
    """Wait for the next message; `EOFError` if the pipe is closed."""
    (size,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    kind, content = pickle.loads(_exactly(stream, size))
    return kind, content


def _exactly(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data
