"""Pictures and moving pictures of clips. Only this folder imports matplotlib, and only when a picture is drawn."""

from motionloom.plot.filmstrip import filmstrip, save_filmstrip
from motionloom.plot.page import Command, Moving, Picture, Section, Table, Words, filmstrip_picture, write_page
from motionloom.plot.player import Stage, player, write_player

__all__ = [
    "Command",
    "Moving",
    "Picture",
    "Section",
    "Stage",
    "Table",
    "Words",
    "filmstrip",
    "filmstrip_picture",
    "player",
    "save_filmstrip",
    "write_page",
    "write_player",
]
