"""Studies: trials, ratings as CSV, and their analysis against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from motionloom.core import BadRequest, FormatError
from motionloom.evaluate.study import Rating, Ratings, analyse_ratings, make_trials, read_ratings, write_ratings
from motionloom.evaluate.study.analysis import greenhouse_geisser, one_way, repeated_measures
from motionloom.samples import make


@pytest.fixture
def ratings(rng):
    """Six participants who rate two groups four times each; the second about one point higher."""
    rows = []
    for person in range(6):
        for group, shift in (("captured", 0), ("ours", 1)):
            for k in range(4):
                value = int(np.clip(round(5 + shift + rng.normal()), 1, 9))
                rows.append(Rating(f"p{person}", "natural", group, f"{group} {k}", value))
    return Ratings(tuple(rows))


def test_one_way_analysis_of_variance_is_that_of_scipy(ratings, rng):
    groups = [np.array([r.rating for r in ratings.answers if r.group == g], float) for g in ("captured", "ours")]
    groups.append(rng.normal(5, 1, 7))
    expected, found = stats.f_oneway(*groups), one_way(groups)
    assert (found.f, found.p) == pytest.approx((expected.statistic, expected.pvalue))
    assert (found.between, found.within) == (2, 24 + 24 + 7 - 3)


def test_repeated_measures_of_two_groups_are_the_paired_t_test(rng):
    table = rng.normal(5, 1, (8, 2)) + rng.normal(0, 3, (8, 1))
    expected, found = stats.ttest_rel(table[:, 0], table[:, 1]), repeated_measures(table)
    assert (found.f, found.p) == pytest.approx((expected.statistic**2, expected.pvalue))
    assert found.epsilon == 1.0


def test_repeated_measures_of_a_worked_example():
    """Three participants, three groups: sums of squares 24 between and 4/3 left, so F = (24/2) / (4/3/4) = 36."""
    table = np.array([[1.0, 3.0, 6.0], [2.0, 4.0, 5.0], [3.0, 5.0, 7.0]])
    between = 3 * ((table.mean(0) - 4) ** 2).sum()
    rest = ((table - table.mean(0) - table.mean(1, keepdims=True) + 4) ** 2).sum()
    assert (between, rest) == pytest.approx((24.0, 4 / 3))
    assert repeated_measures(table).f == pytest.approx(36)
    assert 0.5 <= greenhouse_geisser(table) <= 1.0


def test_equivalence_is_two_one_sided_tests_of_scipy(ratings):
    [found] = analyse_ratings(ratings, margin=1.5)
    people = sorted({r.participant for r in ratings.answers})
    means = np.array(
        [
            [np.mean([r.rating for r in ratings.answers if (r.participant, r.group) == (p, g)]) for p in people]
            for g in ("captured", "ours")
        ]
    )
    off = means[1] - means[0]
    lower = stats.ttest_1samp(off, -1.5, alternative="greater").pvalue
    upper = stats.ttest_1samp(off, 1.5, alternative="less").pvalue
    [pair] = found.equivalences
    assert pair.paired
    assert pair.p == pytest.approx(max(lower, upper))
    interval = stats.ttest_1samp(off, 0).confidence_interval(0.9)
    assert (pair.low, pair.high) == pytest.approx((interval.low, interval.high))
    assert (pair.p < 0.05) == (pair.low > -1.5 and pair.high < 1.5)


def test_ratings_are_written_and_read_and_missing_ones_are_counted(ratings, tmp_path):
    rows = [*ratings.answers, Rating("p9", "natural", "ours", 'a "b", c', None)]
    write_ratings(rows, tmp_path / "ratings.csv")
    found = read_ratings(tmp_path / "ratings.csv")
    assert found.answers == ratings.answers
    assert found.missing == 1
    [one] = analyse_ratings(found)
    assert (one.participants, one.complete, one.missing) == (6, 6, 1)


def test_missing_ratings_are_counted_for_each_question(ratings, tmp_path):
    other = [row._replace(question="repetitive") for row in ratings.answers]
    rows = [*ratings.answers, *other, *(Rating("p9", "repetitive", "ours", "c", None) for _ in range(2))]
    write_ratings(rows, tmp_path / "ratings.csv")
    natural, repetitive = analyse_ratings(read_ratings(tmp_path / "ratings.csv"))
    assert (natural.missing, repetitive.missing) == (0, 2)


def test_participants_who_did_not_rate_every_group_are_left_out_within_participants(ratings):
    more = Rating("p7", "natural", "ours", "x", 9)
    [found] = analyse_ratings(Ratings((*ratings.answers, more)))
    assert (found.participants, found.complete) == (7, 6)
    assert found.groups[1].ratings == 25


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a,b\n", "1: expected the header"),
        ("participant,question,group,clip,rating\np,natural,ours,x\n", "2: expected 5 values, found 4"),
        (
            "participant,question,group,clip,rating\np,natural,ours,x,11\n",
            "2: expected a rating from 1 to 9",
        ),
        ("participant,question,group,clip,rating\n,natural,ours,x,3\n", "2: expected a participant and a group"),
    ],
)
def test_wrong_files_are_refused_with_the_line(tmp_path, text, problem):
    (tmp_path / "bad.csv").write_text(text)
    with pytest.raises(FormatError, match=problem):
        read_ratings(tmp_path / "bad.csv")


def test_too_few_ratings_are_an_error():
    with pytest.raises(BadRequest, match="no ratings"):
        analyse_ratings(Ratings((), ("natural",) * 3))
    with pytest.raises(BadRequest, match="two ratings or more each, found ours"):
        analyse_ratings(Ratings((Rating("p", "natural", "ours", "x", 3),)))


def test_trials_are_balanced_shuffled_and_as_long_as_the_question_needs():
    clips = [make("stroke", seed=s) for s in range(4)]
    groups = {"ours": clips[:3], "captured": clips[3:]}
    trials = make_trials(groups, "natural", np.random.default_rng(0), 9)
    counts = [sum(t.group == g for t in trials) for g in groups]
    assert sorted(counts) == [4, 5]
    assert [t.group for t in trials] != sorted(t.group for t in trials)
    assert make_trials(groups, "natural", np.random.default_rng(0), 9) != make_trials(
        groups, "natural", np.random.default_rng(1), 9
    )
    long = make_trials(groups, "repetitive", np.random.default_rng(0), 2)
    assert all(len(t.clip) >= 15 * min(map(len, clips)) for t in long)
    with pytest.raises(BadRequest, match="two or more, found 1"):
        make_trials({"ours": clips}, "natural", np.random.default_rng(0))
    with pytest.raises(BadRequest, match="question: expected one of"):
        make_trials(groups, "boring", np.random.default_rng(0))


def test_a_file_with_thousands_of_groups_or_questions_is_refused_at_once():
    """3,000 groups are 4.5 million pairs; a file of 1 MB holds them."""
    groups = Ratings(tuple(Rating(f"p{k % 20}", "natural", f"g{k % 3000}", "c", 5) for k in range(6000)))
    with pytest.raises(BadRequest, match="3000 groups and 4498500 pairs"):
        analyse_ratings(groups)
    questions = Ratings(tuple(Rating("p", f"q{k // 4}", f"g{k % 2}", "c", 5) for k in range(6000)))
    with pytest.raises(BadRequest, match="at most 50 questions"):
        analyse_ratings(questions)


def test_many_participants_are_analysed_in_linear_time():
    """Every name is compared a few times, not with every other participant's."""
    compared = []

    class Name(str):
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other):
            compared.append(1)
            return str.__eq__(self, other)

    rows = tuple(Rating(Name(f"p{k // 2}"), "natural", f"g{k % 2}", "c", 1 + k % 9) for k in range(6000))
    found = analyse_ratings(Ratings(rows))
    assert found[0].complete == found[0].participants == 3000
    assert len(compared) < 20 * len(rows)
