"""What is counted before a question asks whether a chat may be erased."""

import re
from typing import Final

import pytest

from shared.conversation.snapshot_records import SnapshotRecord
from shared.handlers.holdings import described, holdings_of
from shared.locales import LOCALES
from tests.support.archives import put_segment
from tests.support.chats import message
from tests.support.people import Person

NONE: Final = re.compile(r"(?<![\d:])0(?!\d)")  # not the hour, such as 13:00


def test_every_message_counts_once_wherever_it_is_and_a_medium_without_its_label(friend: Person) -> None:
    friend.files("lunch")
    chat = friend.worker.conversations.of(friend.events.chat_id)
    chat.snapshot.swap(chat.snapshot.read(), SnapshotRecord(messages=(message(71), message(72))))
    put_segment(chat, [message(72), message(73)])
    chat.journal.keep(message(71))
    for name in (chat.names.medium("m71"), chat.names.medium_label("m71"), chat.names.medium("m72")):
        friend.worker.store.create(name, b"{}")

    assert described(holdings_of(chat), locale="en") == "4 messages, 2 media files, 1 note"


@pytest.mark.parametrize("command", ["/forget", "/reset", "/bye"])
@pytest.mark.parametrize("locale", LOCALES)
def test_a_question_names_no_count_of_nothing(member: Person, command: str, locale: str) -> None:
    member.says(f"/language {locale}")

    member.says(command)
    member.files("lunch")
    member.says(command)

    questions = (member.worker.said[1], member.worker.said[-1])
    assert not list(filter(NONE.search, questions))
    holdings = holdings_of(member.worker.conversations.of(member.events.chat_id))
    assert described(holdings[1:], locale=locale) in questions[1]


@pytest.mark.parametrize(
    ("locale", "lost"), [("ja", "これまでの会話"), ("en", "what was said so far"), ("th", "สิ่งที่คุยกันมา")]
)
def test_a_question_about_an_empty_chat_still_names_what_goes(member: Person, locale: str, lost: str) -> None:
    member.says(f"/language {locale}")

    member.says("/forget")

    assert lost in member.worker.said[-1]
