"""Whose name is looked up."""

from dataclasses import replace

from shared.adapters.memory import MemoryLineApi
from shared.adapters.memory.line_people import MemoryProfiles
from shared.agent.people import People
from shared.conversation.store import Conversation
from shared.line.bot_name import BotName
from shared.line.display_names import DisplayNames
from tests.support.chats import message
from tests.support.inline import InlineExecutor

YUKI = "U" + "1" * 32


def test_the_name_of_an_author_is_looked_up_once_and_before_it_is_needed(chat: Conversation) -> None:
    profiles = MemoryProfiles({YUKI: "Yuki"})
    names = DisplayNames(profiles=profiles, threads=InlineExecutor())
    people = People(display_names=names, bot_name=BotName(account=MemoryLineApi(), configured="Momo"))
    unknown, known = message(1), replace(message(2), user_id=YUKI)

    people.begin(chat, unknown)
    assert profiles.asked == 0
    people.begin(chat, known)
    assert profiles.asked == 1

    assert people.of(chat, (unknown, known, known)) == {YUKI: "Yuki"}
    assert people.of(chat, (unknown,)) == {}
    assert profiles.asked == 1
