"""The package runs on Windows too: POSIX-only calls are made only where the platform is tested."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import motionloom

ROOT = Path(motionloom.__file__).parent
POSIX_MODULES = {"fcntl", "grp", "posix", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"}
POSIX_NAMES = {
    "os": {"chown", "fork", "forkpty", "getegid", "geteuid", "getgid", "getpgid", "getuid", "kill", "killpg", "mkfifo"}
    | {"nice", "pathconf", "posix_spawn", "sched_getaffinity", "setpgid", "setsid", "statvfs", "sysconf", "uname"}
    | {"O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK", "wait", "waitpid", "WNOHANG"},
    "signal": {"SIGALRM", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGSTOP", "SIGUSR1", "SIGUSR2", "alarm", "pause"},
}


def posix_only(tree: ast.AST) -> Iterator[tuple[int, str, bool]]:
    """Line, name and whether it is guarded, of every POSIX-only module or name that a file uses."""
    guarded = {id(inner) for node in ast.walk(tree) if _guards(node) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [a.name for a in node.names if a.name in POSIX_MODULES]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module] if node.module in POSIX_MODULES else []
            names += [f"{node.module}.{a.name}" for a in node.names if a.name in POSIX_NAMES.get(node.module or "", ())]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names = [f"{node.value.id}.{node.attr}"] if node.attr in POSIX_NAMES.get(node.value.id, ()) else []
        yield from ((node.lineno, name, id(node) in guarded) for name in names)  # type: ignore[attr-defined]


def _guards(node: ast.AST) -> bool:
    """Does this block handle a system without the name: an ImportError, or a function that tests the platform?"""
    if isinstance(node, ast.Try):
        return any("ImportError" in ast.unparse(h.type) for h in node.handlers if h.type)
    if not isinstance(node, ast.FunctionDef | ast.If):
        return False
    tests = [inner.test for inner in ast.walk(node) if isinstance(inner, ast.If)]
    return any("sys.platform" in ast.unparse(test) or "os.name" in ast.unparse(test) for test in tests)


def test_posix_only_calls_are_made_only_where_the_platform_is_tested():
    words = POSIX_MODULES.union(*POSIX_NAMES.values())
    texts = {p: p.read_text("utf-8") for p in ROOT.rglob("*.py")}
    files = {p: ast.parse(text) for p, text in texts.items() if words & set(re.findall(r"\w+", text))}
    found = [
        (f"{p.relative_to(ROOT)}:{n}: {name}", ok) for p, tree in files.items() for n, name, ok in posix_only(tree)
    ]
    assert [text for text, ok in found if not ok] == []
    assert any("os.killpg" in text for text, ok in found)  # the search does find what is there


def test_the_search_finds_calls_without_a_guard():
    code = "import os, fcntl\ndef f():\n    os.fork()\ndef g():\n    if os.name != 'nt':\n        os.setsid()\n"
    assert list(posix_only(ast.parse(code))) == [(1, "fcntl", False), (3, "os.fork", False), (6, "os.setsid", True)]


def test_text_files_are_read_as_utf_8_on_every_system():
    """Windows would otherwise read and write them in the code page of the machine."""
    wrong = []
    texts = {p: p.read_text("utf-8") for p in ROOT.rglob("*.py")}
    for path, code in ((p, text) for p, text in texts.items() if "read_text(" in text):
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "read_text":
                text = ast.unparse(node)
                if not node.args and not node.keywords and "/proc/" not in text:
                    wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}: {text}")
    assert wrong == []
