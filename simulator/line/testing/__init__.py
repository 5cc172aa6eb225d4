"""Tests of a bot: Python objects for people in a chat with the bot.  The pytest plugin has fixtures `line`, `alice`, `bob` and `group`.

For example, `alice.say("hello")` and then `alice.expect_reply("Hi Alice!")`.
"""

from .background import BackgroundServer
from .bot_process import BotProcess
from .client import BotMessage, Group, Line, Person
from .unmodified_bot import UnmodifiedBot

__all__ = ["BackgroundServer", "BotMessage", "BotProcess", "Group", "Line", "Person", "UnmodifiedBot"]
