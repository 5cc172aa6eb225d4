"""What is counted before a question asks whether a chat may be erased."""

from shared.conversation.snapshot_records import SnapshotRecord
from shared.handlers.holdings import described, holdings_of
from tests.support.archives import put_segment
from tests.support.chats import message
from tests.support.people import Person


def test_every_message_counts_once_wherever_it_is_and_a_medium_without_its_label(friend: Person) -> None:
    friend.files("lunch")
    chat = friend.worker.conversations.of(friend.events.chat_id)
    chat.snapshot.swap(chat.snapshot.read(), SnapshotRecord(messages=(message(71), message(72))))
    put_segment(chat, [message(72), message(73)])
    chat.journal.keep(message(71))
    for name in (chat.names.medium("m71"), chat.names.medium_label("m71"), chat.names.medium("m72")):
        friend.worker.store.create(name, b"{}")

    assert described(holdings_of(chat), locale="en") == "messages 4, media 2, notes 1, reminders 0"
