"""Pictures, animations and HTML pages of clips. Only this folder imports matplotlib, when it draws."""

from motionloom.core.folder_settings import ignore_folder_settings
from motionloom.plot.animation import animate
from motionloom.plot.contact_sheet import contact_sheet, save_contact_sheet
from motionloom.plot.filmstrip import filmstrip, save_filmstrip
from motionloom.plot.page import (
    CommandBlock,
    Paragraph,
    PictureBlock,
    PlayerBlock,
    Section,
    TableBlock,
    write_page,
)
from motionloom.plot.player import Stage, player, write_player

ignore_folder_settings("matplotlib")

__all__ = [
    "CommandBlock",
    "Paragraph",
    "PictureBlock",
    "PlayerBlock",
    "Section",
    "Stage",
    "TableBlock",
    "animate",
    "contact_sheet",
    "filmstrip",
    "player",
    "save_contact_sheet",
    "save_filmstrip",
    "write_page",
    "write_player",
]
