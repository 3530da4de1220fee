"""Graph files: what they may name, and errors that name what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from motionloom.core import MotionloomError
from motionloom.io import load, save
from motionloom.methods.parametric_graph import graph_file
from motionloom.methods.parametric_graph.graph_file import read_graph_file
from motionloom.methods.parametric_graph.node_specs import clips_of, parse_node
from motionloom.samples import make

WALK = '[nodes.walk]\nsamples = [{name = "walk", seconds = 1}]\n'


@pytest.fixture
def folder(tmp_path):
    """A folder with a walk, a link to a folder outside, and a clip there."""
    for name in ("inside", "outside"):
        (tmp_path / name).mkdir()
        save(make("walk", seconds=1, fps=30), tmp_path / name / "walk.bvh")
    (tmp_path / "inside" / "link").symlink_to(tmp_path / "outside")
    return tmp_path / "inside"


def read(folder, text):
    (folder / "graph.toml").write_text(text)
    return read_graph_file(folder / "graph.toml")


def test_clips_samples_and_settings_are_read(folder):
    found = read(
        folder,
        '[nodes.walk]\nclips = ["*.bvh"]\n[nodes.run]\nsamples = [{name = "run", turn = ["0deg/s", "60deg/s"]}]\n'
        "scale = [2, 0.5]\n"
        '[[edges]]\nfrom = "walk"\nto = "run"\ngood = "12cm"\n[settings]\nsamples = 300\n',
    )
    assert found.patterns == (folder / "*.bvh",)
    assert [clip.name for clip in found.made] == ["run_0", "run_1"]
    assert found.config["node"][1].endswith("clips=run_* scale=2|0.5")
    assert found.config["edge"] == ["walk>run good=0.12"]
    assert found.config["samples"] == 300


@pytest.mark.parametrize("pattern", ["../outside/walk.bvh", "link/walk.bvh", "l*/*.bvh", "**/../../outside/*.bvh"])
def test_clips_are_inside_the_folder_of_the_file(folder, pattern):
    with pytest.raises(MotionloomError, match=r"leads out of the folder|no pattern of files"):
        read(folder, f'[nodes.walk]\nclips = ["{pattern}"]\n')


def test_a_link_in_a_folder_of_clips_stays_inside(folder):
    (folder / "walks").mkdir()
    (folder / "walks" / "walk.bvh").symlink_to(folder.parent / "outside" / "walk.bvh")
    with pytest.raises(MotionloomError, match="leads out of the folder"):
        read(folder, '[nodes.walk]\nclips = ["walks"]\n')


def test_time_grows_with_the_size_of_the_file(folder):
    """With the square of it, these would take minutes: names are looked up and pairs counted once."""
    names = [f"n{k}" for k in range(3000)]
    nodes = "".join(f'[nodes.{name}]\nlabel = "walk"\n[nodes.of_{name}]\nof = "{name}"\n' for name in names)
    edges = "".join(f'[[edges]]\nfrom = "{a}"\nto = "{b}"\n' for a in names[:100] for b in names[:100])
    found = read(folder, nodes + edges)
    assert (len(found.config["node"]), len(found.config["edge"])) == (6000, 10_000)


@pytest.mark.parametrize("pattern", ["../../../**/*", "/**/*", "*/../../**/*"])
def test_nothing_outside_the_folder_is_searched(folder, pattern, monkeypatch):
    monkeypatch.setattr(Path, "glob", lambda *_: pytest.fail("it was searched"))
    with pytest.raises(MotionloomError, match="leads out of the folder"):
        read(folder, f'[nodes.walk]\nclips = ["{pattern}"]\n')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nodes = 3", "expected nodes"),
        ("[nodes]\nwalk = 3", "node walk: expected a table"),
        ('[nodes.walk]\nclips = ["/etc/*"]', "leads out|no pattern"),
        ('[nodes.walk]\nclips = [""]', "no pattern|no file"),
        ('[nodes.walk]\nsamples = [{name = ["run"]}]', "sample"),
        ('[nodes.walk]\nsamples = [{name = "walk", seed = -1}]', "seed"),
        ('[nodes.walk]\nsamples = [{name = "walk", turn = []}]', "turn"),
        (
            '[nodes.walk]\nsamples = [{name = "walk", speed = ["1m/s"' + ', "1m/s"' * 1200 + "]}]",
            "at most 1000 clips in",
        ),
        ('[nodes.walk]\nclips = ["**/a/**/*.bvh"]', r"expected \*\* once"),
        ("[nodes.walk]\nclips = [" + '"walk.bvh",' * 10_001 + "]", "at most 10000 patterns"),
        ('settings = 3\n[nodes.walk]\nlabel = "walk"', "settings: expected a table"),
        ('edges = [3]\n[nodes.walk]\nlabel = "walk"', "edges: expected a table"),
        ('[nodes.walk]\nlabel = "walk"\n[[edges]]\nfrom = ["walk"]', "there is no node"),
        ("a = " + "[" * 5000, "nested too deeply"),
        (f'{WALK}[nodes.carry]\nof = ["walk"]', "of: there is no node with motions of its own"),
        ('[nodes.a]\nof = "b"\n[nodes.b]\nof = "a"', "of: there is no node with motions of its own 'b'"),
        (f'{WALK}[nodes.carry]\nof = "walk"\noverlay = []', "overlay: expected one action, found 0"),
        (f'{WALK}[nodes.carry]\nof = "walk"\noverlay = [{{name = "carry"}}, {{name = "carry"}}]', "found 2"),
        (f"{WALK}parameter = [3]", "parameter: expected a name without spaces, found 3"),
        (f'{WALK}cut = ["run"]', "cut: expected a name"),
        (f"{WALK}mirror = []", "mirror: expected a name"),
        ('[nodes."a b"]\nlabel = "walk"', "node a b: expected a name without spaces"),
        (f"{WALK}[settings]\nnode = []", "there is no setting 'node'"),
        (WALK + '[[edges]]\nfrom = "walk"\nto = "walk"\n' * 2, "walk>walk is given more than once"),
        ('[nodes.walk]\nsamples = [{name = "stroke"}]\nof = {a = 1}', "of: there is no node"),
        (f"{WALK}parameter = [1, {{a = 2}}]", "parameter: expected a name"),
        ("a = " + "9" * 5000, "not a TOML file"),
    ],
)
def test_what_is_wrong_is_named(folder, text, message):
    with pytest.raises(MotionloomError, match=message):
        read(folder, text)


def test_samples_of_a_file_are_no_more_than_the_limit(folder, monkeypatch):
    monkeypatch.setattr(graph_file, "MOST_SAMPLES", 5)
    with pytest.raises(MotionloomError, match="at most 5 clips in the whole file"):
        read(folder, "[nodes.walk]\nsamples = [" + '{name = "walk", seconds = [0.5, 0.5, 0.5]}, ' * 2 + "]")


def test_samples_of_a_file_are_no_longer_than_the_limit(folder, monkeypatch):
    """A file of 12 KB asked for 1,000 clips of two minutes."""
    monkeypatch.setattr(graph_file, "MOST_SECONDS", 5.0)
    with pytest.raises(MotionloomError, match="node run: samples: expected at most 5 s in the whole file"):
        read(
            folder,
            '[nodes.walk]\nsamples = [{name = "walk", seconds = 2}]\n'
            '[nodes.run]\nsamples = [{name = "walk", seconds = [2, 2, 2, 2]}]',
        )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("walk before=nan", "before: expected seconds from 0 to 3600"),
        ("walk after=1e300", "after: expected seconds"),
        ("walk before=-1", "before: expected seconds"),
        ("walk mirror=both", "there is no kind of mirroring 'both'"),
        ("a>b", "expected the name of a node first"),
        ("*", "expected the name of a node first"),
        ("", "expected the name of a node first"),
    ],
)
def test_lines_of_nodes_are_checked(line, message):
    with pytest.raises(MotionloomError, match=message):
        parse_node(line)


def test_names_of_files_may_have_spaces_and_brackets(tmp_path):
    names = ("a walk", "b [1]", "c|d")
    (tmp_path / "clips").mkdir()
    for name in names:
        save(make("walk", seconds=1, fps=30), tmp_path / "clips" / f"{name}.bvh")
    (line,) = read(tmp_path, '[nodes.walk]\nclips = ["clips"]\n').config["node"]
    clips = [load(tmp_path / "clips" / f"{name}.bvh") for name in names]
    assert clips_of(parse_node(line), clips) == clips
