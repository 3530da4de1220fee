"""The documentation is true: commands and code of its pages are run, links and anchors lead somewhere."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from motionloom.cli.app import app

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
MADE = {"methods/index", "reference/api"}  # written when the site is built
PAGES = sorted(p for p in DOCS.rglob("*.md") if p.parent.name != "methods" and p.name != "api.md")
PROJECT = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")]
READMES = sorted((ROOT / "src").rglob("README.md"))
RUN_HERE = (
    "index",
    "tutorial",
    "viewing",
    "quality",
    "similarity",
    "alignment",
    "transitions",
    "splicing",
    "gaze",
    "spaces",
)  # others have their own tests
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """Language and content of the fenced blocks of a page."""
    yield from re.findall(r"^```(\w+)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def words_of(line: str) -> list[str]:
    """The words of a command; a comment begins after a space, so `walk.bvh#20-52` is a word."""
    return shlex.split(re.sub(r"(^|\s)#.*", "", line))


@pytest.mark.parametrize("name", RUN_HERE)
def test_the_commands_and_the_code_of_the_page_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = 0
    for language, text in blocks((DOCS / f"{name}.md").read_text("utf-8")):
        if language == "python" and "import bpy" not in text:  # that one runs inside Blender: ./run interop
            exec(compile(text, f"docs/{name}.md", "exec"), {})
        elif language == "sh":
            for line in text.strip().splitlines():
                program, *arguments = words_of(line)
                assert program == "motionloom"
                result = CliRunner().invoke(app, arguments)
                assert result.exit_code == 0, f"{line}\n{result.output}"
        else:
            continue
        ran += 1
    assert ran


@pytest.mark.parametrize("path", [*PAGES, *PROJECT, *READMES], ids=named)
def test_the_commands_of_every_page_have_the_options_that_it_gives_them(path: Path) -> None:
    for language, text in blocks(path.read_text("utf-8")):
        if language != "sh":
            continue
        for line in text.replace("\\\n", " ").strip().splitlines():
            words = words_of(line)
            if words[:1] != ["motionloom"] or "COMMAND" in words or words[1].startswith("-"):
                continue
            parse(typer.main.get_command(app), words[1:], line)


def parse(command: Any, words: list[str], line: str) -> None:
    """Options and arguments as the command reads them; nothing is run."""
    context = command.make_context("motionloom", list(words), resilient_parsing=True)
    if hasattr(command, "get_command"):
        own = command.get_command(context, words[0])
        short = own is None and command.get_command(context, "show")  # `variation MODEL`
        assert own or short, line
        parse(own or short, words if short else words[1:], line)
        return
    command.make_parser(context).parse_args(list(words))  # UsageError for an option that does not exist


@pytest.mark.parametrize("path", [*PAGES, *PROJECT, *READMES], ids=named)
def test_links_lead_to_pages_and_headings_that_exist(path: Path) -> None:
    text = re.sub(r"^```.*?^```", "", path.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    for link in LINK.findall(text):
        target, _, anchor = link.partition("#")
        if "://" in target or target.startswith("methods/"):
            continue
        there = (path.parent / target).resolve() if target else path
        assert there.exists(), link
        if anchor and there.suffix == ".md":
            assert anchor in anchors(there.read_text("utf-8")), link


def anchors(text: str) -> set[str]:
    """The anchors of the headings of a page, as code hosts and the site make them."""
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("path", [*PAGES, *PROJECT, *READMES], ids=named)
def test_no_page_refers_to_folders_that_users_do_not_have(path: Path) -> None:
    assert not re.findall(r"(?:\.\./)?shared/|/work/|errata\.md", path.read_text("utf-8"))


@pytest.mark.parametrize("path", [*PAGES, *PROJECT], ids=named)
def test_shell_commands_have_one_tag(path: Path) -> None:
    tags = {language for language, _ in blocks(path.read_text("utf-8"))}
    assert not tags & {"shell", "bash", "console", "zsh"}


def test_every_page_is_in_a_table_of_contents() -> None:
    listed = {"index"}
    for path in PAGES:
        for toc in re.findall(r"```\{toctree\}\n(.*?)```", path.read_text("utf-8"), re.DOTALL):
            names = [line for line in toc.splitlines() if line and not line.startswith(":")]
            listed |= {(path.parent / line).relative_to(DOCS).as_posix() for line in names}
    assert {p.relative_to(DOCS).with_suffix("").as_posix() for p in PAGES} <= listed
    assert listed - MADE <= {p.relative_to(DOCS).with_suffix("").as_posix() for p in PAGES}


def test_the_glossary_has_its_terms_in_order() -> None:
    terms = re.findall(r"^(\S[^\n]*)\n: ", (DOCS / "glossary.md").read_text("utf-8"), re.MULTILINE)
    assert len(terms) >= 40
    assert terms == sorted(terms, key=str.lower)
    assert {"clip", "take", "contact", "plant", "skate", "transition", "seam", "constraint", "residual"} <= set(terms)


def test_every_source_that_docstrings_cite_is_identified() -> None:
    page = (DOCS / "references.md").read_text("utf-8")
    texts = " ".join(p.read_text("utf-8") for p in (ROOT / "src").rglob("*.py"))
    cited = set(re.findall(r"\b([A-Z]{2,5}) (?:eqs?\.|figs?\.|\d+\.\d)", texts))
    assert {"GUAN", "LI", "HECK"} <= cited
    licences = {"BY", "NC", "ND"}  # CC BY-NC 4.0
    assert not {name for name in cited if f"| {name} |" not in page} - licences


def test_every_dependency_is_listed_with_its_licence_and_has_a_version_with_checksums() -> None:
    """docs/security.md lists what pyproject.toml names; constraints.txt and requirements.txt pin the same versions."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    needed = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    needed += [name for extra in project["project"]["optional-dependencies"].values() for name in extra]
    names = {re.split(r"[<>=\[]", entry)[0] for entry in needed} - {"motionloom"}
    rows = (ROOT / "docs" / "security.md").read_text().partition("## Dependencies")[2].splitlines()
    listed = {word for row in rows if row.startswith("|") for word in re.split(r"[ ,()]+", row.split("|")[1])}
    assert names <= listed
    pinned = re.compile(r"^([\w.-]+==\S+)", re.MULTILINE)
    versions = set(pinned.findall((ROOT / "constraints.txt").read_text()))
    checked = (ROOT / "requirements.txt").read_text()
    assert set(pinned.findall(checked)) == versions
    assert {name.lower().replace("_", "-") for name in names} <= {
        version.partition("==")[0].lower().replace("_", "-") for version in versions
    }
    assert all("--hash=sha256:" in entry for entry in re.split(r"\n(?=\S)", checked.strip()))
