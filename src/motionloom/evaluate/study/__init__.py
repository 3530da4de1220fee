"""User studies: ratings of clips by people, and what they show."""

from motionloom.evaluate.study.analysis import Analysis, analyse_ratings
from motionloom.evaluate.study.ratings import Rating, Ratings, read_ratings, write_ratings
from motionloom.evaluate.study.trials import QUESTIONS, Trial, make_trials

__all__ = [
    "QUESTIONS",
    "Analysis",
    "Rating",
    "Ratings",
    "Trial",
    "analyse_ratings",
    "make_trials",
    "read_ratings",
    "write_ratings",
]
