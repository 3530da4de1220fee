"""The parts of the demo page. A new part is one file with `make_section(folder) -> Section`, and one line here."""

from __future__ import annotations

from collections.abc import Mapping

SECTIONS: Mapping[str, str] = {  # name: text of the progress bar while it is made
    "sample_clips": "sample clips",
    "round_trip": "reading and writing",
    "learning": "learning and making",
    "graphs": "a motion graph, and a path",
    "textons": "textons of two dances",
    "texture": "limbs of different examples",
    "variation": "new takes of a walk",
    "spaces": "walks and ducks between examples",
    "parametric_graph": "a graph of walks, driven",
    "layers": "an action and a gaze on top",
    "cleaning": "cleaning feet",
    "editing": "mirror, loop, resample",
    "similarity": "alike, in time, joined",
    "quality": "quality of all of it",  # stays last: it measures what the others made
}
