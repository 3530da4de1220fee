"""The pages of a study, and the box plot of its ratings."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from typing import Any

from motionloom.core import Clip, Origin, replace
from motionloom.evaluate.study import Analysis, Ratings
from motionloom.evaluate.study.ratings import HIGHEST, LOWEST
from motionloom.evaluate.study.trials import QUESTIONS
from motionloom.plot.figures import new_figure, style_axes
from motionloom.plot.player import Stage, document, player
from motionloom.plot.style import INK, LINE, SOURCES

PAGE = """<h1>{question}</h1>
<p id="problem" role="alert"></p>
<form id="begin"><label>Your name or number <input id="participant" required maxlength="60" autofocus></label>
<button>Begin</button>
<p>You will see {count} motions, one after the other. Rate each of them from 1 ({low}) to 9 ({high}).</p></form>
<section id="trial" hidden><p id="progress"></p><iframe id="stage" title="motion"></iframe>
<p>{low} <span id="scale"></span> {high} <button type="button" id="skip">no answer</button></p></section>
<section id="done" hidden><p>Thank you. You can close this page.</p></section>"""


def study_page(question: str, count: int) -> str:
    """The page that participants open: a form for the name, then clips one by one with their ratings."""
    text, low, high = (escape(part) for part in QUESTIONS[question])
    css = (files("motionloom.plot") / "web" / "study.css").read_text("utf-8")
    content = PAGE.format(question=text, count=count, low=low, high=high)
    return document(text, content, css=css, scripts=("study.js",))


def trial_page(clip: Clip) -> str:
    """A player of one clip without its name, sources and labels: nothing reveals its group."""
    plain = replace(clip, origin=Origin(name=""), label_names=(), labels=None)
    return document("motion", player((Stage((plain,), names=("",)),), alone=True))


def box_plot(analysis: Analysis, ratings: Ratings) -> Any:
    """Ratings of each group as boxes (quartiles) and whiskers (range), with the mean as a dot."""
    names = [group.name for group in analysis.groups]
    values = [
        [r.rating for r in ratings.answers if r.question == analysis.question and r.group == name] for name in names
    ]
    figure = new_figure(1.2 + 1.3 * len(names), 3.4)
    ax = figure.subplots()
    drawn = ax.boxplot(values, whis=(0, 100), showmeans=True, patch_artist=True, widths=0.5)
    for box in drawn["boxes"]:
        box.set(facecolor=SOURCES[0], alpha=0.5, edgecolor=LINE)
    for line in (*drawn["medians"], *drawn["whiskers"], *drawn["caps"]):
        line.set(color=INK)
    for mean in drawn["means"]:
        mean.set(marker="o", markerfacecolor=INK, markeredgecolor=INK, markersize=4)
    ax.set_xticks(range(1, len(names) + 1), names)
    ax.set_ylim(LOWEST - 0.5, HIGHEST + 0.5)
    ax.set_ylabel(f"{analysis.question} (1 to 9)", color=INK, fontsize=8)
    test = analysis.repeated or analysis.one_way
    ax.set_title(f"F = {test.f:.2f}, p = {test.p:.2g}", color=INK, fontsize=9)
    style_axes([ax], colour=INK, border=LINE)
    return figure
