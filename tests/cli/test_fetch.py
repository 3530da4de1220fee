"""`motionloom fetch`: the list, and what is said without a network."""

from __future__ import annotations


def test_without_a_name_all_sets_are_listed_with_their_licence(run):
    answer = run("fetch")
    assert answer.code == 0
    for name, licence in (
        ("cmu", "CMU"),
        ("bandai", "CC BY-NC 4.0"),
        ("lafan1", "CC BY-NC-ND"),
        ("100style", "CC BY 4.0"),
    ):
        assert name in answer.out
        assert licence in answer.out
    assert {row["name"] for row in run("fetch", "--json").json} == {"cmu", "bandai", "lafan1", "100style"}


def test_no_network_is_one_clear_line(run, tmp_path, monkeypatch):
    monkeypatch.setattr("motionloom.io.download.fetch.TRIES", 1)
    answer = run("fetch", "cmu", "16_15", "-o", tmp_path, "--from", "http://127.0.0.1:9")
    assert answer.code == 1
    assert "Is there a network?" in answer.err


def test_an_unknown_set_is_wrong_usage(run):
    assert run("fetch", "nothing").code == 2
