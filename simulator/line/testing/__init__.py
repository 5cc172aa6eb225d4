"""Tests of a bot: people who speak with it, in Python.  The pytest plugin gives them as fixtures `line`, `alice`, `bob` and `group`."""

from .background import BackgroundServer
from .bot_process import BotProcess
from .client import BotMessage, Group, Line, Person
from .unmodified_bot import UnmodifiedBot

__all__ = ["BackgroundServer", "BotMessage", "BotProcess", "Group", "Line", "Person", "UnmodifiedBot"]
