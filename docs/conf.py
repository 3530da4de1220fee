"""Settings of the documentation site: ./run docs"""

from __future__ import annotations

import inspect
import os
import re
from importlib import import_module
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive

import motionloom

HERE = Path(__file__).parent

project = "motionloom"
author = "The motionloom authors"
copyright = "2026, The motionloom authors"
version = release = motionloom.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"motionloom {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False

myst_heading_anchors = 3
myst_enable_extensions = ["deflist"]
suppress_warnings = ["misc.highlighting_failure"]

autodoc_default_options = {"members": True, "show-inheritance": False}
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_type_aliases = {name: name for name in ("BoolArray", "FloatArray", "IntArray", "UInt8Array")}
add_module_names = False

REPOSITORY = HERE.parent


def link_to_files_of_the_repository(app, docname, source):  # type: ignore[no-untyped-def]
    """Links out of docs/ lead to pages of the site (READMEs of methods) or become plain paths."""
    here = HERE / docname

    def plain(match: re.Match[str]) -> str:
        text, target = match[1], match[2].partition("#")[0]
        if "://" in target or not target:
            return match[0]
        path = (here.parent / target).resolve()
        if path.is_relative_to(HERE) or not path.is_relative_to(REPOSITORY):
            return match[0]
        page = METHOD_PAGES.get(path.relative_to(REPOSITORY).as_posix())
        if page:
            return f"[{text}](/{page})"
        return f"{text} (`{path.relative_to(REPOSITORY).as_posix()}`)"

    source[0] = re.sub(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)", plain, source[0])


TOC = "```{{toctree}}\n:maxdepth: 1\n\n{names}\n```"
METHOD_PAGES = {
    f"src/motionloom/methods/{path.parent.name}/README.md": f"methods/{path.parent.name}.md"
    for path in sorted((REPOSITORY / "src" / "motionloom" / "methods").glob("*/README.md"))
}


def copy_method_pages(app):  # type: ignore[no-untyped-def]
    """The README of every method folder becomes a page of the site, its links seen from there."""
    (HERE / "methods").mkdir(exist_ok=True)
    names = "\n".join(Path(page).stem for page in METHOD_PAGES.values())
    index = (
        "# Methods\n\nOne page for each method: source, symbols, what differs from the source and why.\n\n" + TOC + "\n"
    )
    (HERE / "methods" / "index.md").write_text(index.format(names=names), "utf-8")
    for source, page in METHOD_PAGES.items():
        home, text = (REPOSITORY / source).parent, (REPOSITORY / source).read_text("utf-8")

        def moved(match: re.Match[str], home: Path = home) -> str:
            target = Path(os.path.relpath(home / match[2], HERE / "methods")).as_posix()
            return match[0] if "://" in match[2] else f"[{match[1]}]({target})"

        (HERE / page).write_text(re.sub(r"\[([^\]]*)\]\(([^)\s]+)\)", moved, text), "utf-8")


def plain_docstring(app, what, name, obj, options, lines):  # type: ignore[no-untyped-def]
    """Docstrings are plain text with code in backquotes: made safe for reStructuredText, doctests left alone."""
    out: list[str] = []
    for line in lines:
        if line.lstrip().startswith((">>>", "...")) or (out and out[-1].lstrip().startswith(">>>")):
            out.append(line)
            continue
        parts = re.split(r"(`[^`]+`)", line.strip() if out else line)
        safe = [f"`{p}`" if p.startswith("`") else re.sub(r"([*_|\\])", r"\\\1", p) for p in parts]
        out.append("".join(safe))
    lines[:] = out


API = """# API

Everything on this page is made from the docstrings. `import motionloom as ml` offers the most used names directly; all
packages below can be imported as written. Units, axes and shapes: [conventions](../conventions.md).

## motionloom

```{eval-rst}
.. public-names:: motionloom
```
"""


def write_api_page(app):  # type: ignore[no-untyped-def]
    """One section for every package that lists its public names."""
    fronts = sorted((REPOSITORY / "src" / "motionloom").glob("*/__init__.py"))
    listed = [front.parent.name for front in fronts if "__all__" in front.read_text("utf-8")]
    names = [f"motionloom.{name}" for name in listed if name != "cli"]
    sections = [f"## {name}\n\n```{{eval-rst}}\n.. automodule:: {name}\n```\n" for name in names]
    (HERE / "reference" / "api.md").write_text("\n".join([API, *sections]), "utf-8")


class PublicNames(Directive):
    """The public names of a module, each with the first line of its docstring."""

    required_arguments = 1

    def run(self):  # type: ignore[no-untyped-def]
        module = import_module(self.arguments[0])
        listed = nodes.bullet_list()
        for name in module.__all__:
            found = getattr(module, name)
            text = (inspect.getdoc(found) or "").partition("\n")[0]
            home = getattr(found, "__module__", None) or found.__name__
            line = nodes.paragraph("", "", nodes.literal("", name), nodes.Text(f": {text} "), nodes.emphasis("", home))
            listed += nodes.list_item("", line)
        return [listed]


def setup(app):  # type: ignore[no-untyped-def]
    app.add_directive("public-names", PublicNames)
    app.connect("autodoc-process-docstring", plain_docstring)
    app.connect("builder-inited", copy_method_pages)
    app.connect("builder-inited", write_api_page)
    app.connect("source-read", link_to_files_of_the_repository)
