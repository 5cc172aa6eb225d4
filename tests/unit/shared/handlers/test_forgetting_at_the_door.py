"""Forgetting passes every closed door: in a chat that was revoked, one over its budget, and a group in which the bot has commands only."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Final

import pytest

from shared.access.admission import CACHED_S, Access, Admissions
from shared.access.budgets import Limits
from shared.adapters.memory.scripted_model import calling
from shared.conversation.records import MessageRecord
from shared.conversation.snapshot_records import Segment
from shared.conversation.store import Conversation
from shared.line.addressing import GroupPolicy
from shared.line.phrases import Phrase
from tests.support.archives import put_segment
from tests.support.chats import edited_words, everything_in
from tests.support.people import START_MS, Person
from tests.support.phrases import english
from tests.support.pushed import PushedWorker

HELLO = calling(("reply", {"message": "swordfish、覚えた"}))
SECRET: Final = "my word is swordfish"
KINDS: Final = pytest.mark.parametrize("is_in_group", [False, True], ids=["friend", "group"])


def admissions_of(person: Person) -> Admissions:
    """Return the operator's view of the admissions."""
    return Admissions(store=person.worker.store, clock=person.worker.clock)


def revoke(person: Person) -> None:
    """The operator revokes the chat, and every instance knows it."""
    admissions_of(person).revoke(person.events.chat_id)
    person.worker.clock.move(CACHED_S)


def readmit(person: Person) -> None:
    """The operator admits the chat again, as of the events that follow; what its instances know of it has grown old."""
    chat, now_ms = person.events.chat_id, START_MS + 60_000
    admissions_of(person).admit(chat, since_ms=now_ms, renews=True)
    person.worker.clock.move(CACHED_S)
    person.events.skip(100)


def in_revoked_chat(pool: ThreadPoolExecutor, *, is_in_group: bool) -> Person:
    """Return a person whose chat was admitted, was told the secret, and was revoked then."""
    person = Person(PushedWorker(pool, access=Access.INVITED), is_in_group=is_in_group)
    admissions_of(person).admit(person.events.chat_id, since_ms=0)
    person.asks(SECRET, HELLO)
    revoke(person)
    return person


def over_budget(pool: ThreadPoolExecutor, *, is_in_group: bool) -> Person:
    """Return a person whose chat was told the secret in the only turn of the day."""
    person = Person(PushedWorker(pool, limits=Limits(turns_per_chat_day=1)), is_in_group=is_in_group)
    person.asks(SECRET, HELLO)
    return person


def with_commands_only(pool: ThreadPoolExecutor, *, is_in_group: bool) -> Person:
    """Return a person in a chat of a deployment in which the bot has commands only in groups; it has overheard the secret there."""
    person = Person(PushedWorker(pool, group_policy=GroupPolicy.OFF), is_in_group=is_in_group)
    person.asks(SECRET, HELLO)
    return person


def unsends(person: Person) -> None:
    person.sends(person.events.event("unsend", unsend={"messageId": "m1"}))


def edits(person: Person) -> None:
    person.sends(edit_of("m1", person))


def edit_of(line_message_id: str, person: Person) -> dict[str, Any]:
    return person.events.event("messageEdited", message={"id": line_message_id, "type": "text", "text": "nothing"})


def confirms_forget(person: Person) -> None:
    person.confirms("/forget")


def forgets_member(person: Person) -> None:
    person.says("/forget me") if person.events.is_group else person.confirms("/forget me")


def resets(person: Person) -> None:
    person.confirms("/reset") if person.events.is_group else person.says("/reset")


def says_bye(person: Person) -> None:
    person.confirms("/bye") if person.events.is_group else person.says("/bye")


def parts(person: Person) -> None:
    person.sends(person.events.event("leave" if person.events.is_group else "unfollow"))


@KINDS
@pytest.mark.parametrize("door", [in_revoked_chat, over_budget, with_commands_only])
@pytest.mark.parametrize("forgets", [unsends, confirms_forget, forgets_member, resets, says_bye, parts])
def test_forgetting_passes_a_closed_door(
    pool: ThreadPoolExecutor,
    door: Callable[..., Person],
    forgets: Callable[[Person], None],
    *,
    is_in_group: bool,
) -> None:
    person = door(pool, is_in_group=is_in_group)
    assert "swordfish" in everything_in(person.worker.store)

    forgets(person)

    assert "swordfish" not in everything_in(person.worker.store)


@pytest.mark.parametrize("door", [in_revoked_chat, over_budget, with_commands_only])
def test_an_edit_passes_a_closed_door(pool: ThreadPoolExecutor, door: Callable[..., Person]) -> None:
    person = door(pool, is_in_group=True)

    edits(person)

    assert SECRET not in everything_in(person.worker.store)
    assert "nothing" in everything_in(person.worker.store)


def test_an_edit_in_a_revoked_chat_stands_once_the_chat_is_admitted_again(pool: ThreadPoolExecutor) -> None:
    person = in_revoked_chat(pool, is_in_group=True)

    edits(person)
    readmit(person)
    person.asks("what did I say?", calling(("reply", {"message": "nothing"})))

    assert "] nothing" in person.worker.prompt()
    assert SECRET not in person.worker.prompt()


def test_an_edit_that_comes_after_the_chat_was_admitted_again_is_not_lost(pool: ThreadPoolExecutor) -> None:
    person = in_revoked_chat(pool, is_in_group=True)
    late = edit_of("m1", person)

    readmit(person)
    person.sends(late)

    assert SECRET not in everything_in(person.worker.store)


def in_chat_whose_admission_cannot_be_read(pool: ThreadPoolExecutor, *, is_in_group: bool) -> Person:
    """Return a person whose chat was admitted by a newer release."""
    person = in_revoked_chat(pool, is_in_group=is_in_group)
    name = f"admitted/{person.events.chat_id}.json"
    person.worker.store.delete(name)
    person.worker.store.create(name, b'{"version": 99}')
    return person


def in_chat_of_an_open_time(pool: ThreadPoolExecutor, *, is_in_group: bool) -> Person:
    """Return a person whose chat was told the secret while nobody had to be admitted; now it would have to be."""
    was_open = Person(PushedWorker(pool), is_in_group=is_in_group)
    was_open.asks(SECRET, HELLO)
    person = Person(PushedWorker(pool, access=Access.INVITED, store=was_open.worker.store), is_in_group=is_in_group)
    person.events.skip(5)
    return person


@pytest.mark.parametrize("door", [in_revoked_chat, in_chat_whose_admission_cannot_be_read, in_chat_of_an_open_time])
def test_an_edit_of_a_message_that_a_closed_chat_does_not_hold_leaves_no_words(
    pool: ThreadPoolExecutor, door: Callable[..., Person]
) -> None:
    person = door(pool, is_in_group=True)

    person.sends(edit_of("m77", person))

    assert "nothing" not in everything_in(person.worker.store)
    chat = person.worker.conversations.of(person.events.chat_id)
    assert "m77" in chat.amendments.look().withdrawn


def into_memory(chat: Conversation, message: MessageRecord) -> None:
    seen = chat.snapshot.read()
    assert chat.snapshot.swap(seen, replace(seen.record, messages=(message,)))


def into_what_waits_for_the_archive(chat: Conversation, message: MessageRecord) -> None:
    seen = chat.snapshot.read()
    assert chat.snapshot.swap(seen, replace(seen.record, leaving=Segment(messages=(message,))))


def into_the_archive(chat: Conversation, message: MessageRecord) -> None:
    put_segment(chat, [message])


@pytest.mark.parametrize("move", [into_memory, into_what_waits_for_the_archive, into_the_archive])
def test_an_edit_finds_its_message_wherever_a_revoked_chat_holds_it(
    pool: ThreadPoolExecutor, move: Callable[[Conversation, MessageRecord], None]
) -> None:
    person = in_revoked_chat(pool, is_in_group=True)
    chat = person.worker.conversations.of(person.events.chat_id)
    message = chat.journal.message_of("m1")
    assert message is not None
    move(chat, message)
    chat.journal.drop("m1")

    edits(person)

    assert SECRET not in everything_in(person.worker.store)
    words = edited_words(chat, "m1")
    assert words is not None
    assert words.text == "nothing"


def test_a_question_that_was_asked_before_the_revocation_can_be_confirmed(pool: ThreadPoolExecutor) -> None:
    person = Person(PushedWorker(pool, access=Access.INVITED), is_in_group=True)
    admissions_of(person).admit(person.events.chat_id, since_ms=0)
    person.asks(SECRET, HELLO)
    press = person.question("/forget")
    revoke(person)

    person.sends(press)

    assert "swordfish" not in everything_in(person.worker.store)
    assert person.worker.said[-1] == english(Phrase.FORGET_DONE)


def test_no_other_button_works_in_a_revoked_chat(pool: ThreadPoolExecutor) -> None:
    person = in_revoked_chat(pool, is_in_group=True)
    before = everything_in(person.worker.store), len(person.worker.said)

    for data in ("late:event1", "do:event1", "remind:r0123456789:0:done", "anything"):
        person.presses(data)

    assert (everything_in(person.worker.store), len(person.worker.said)) == before


@KINDS
def test_nothing_else_passes_the_door_of_a_revoked_chat(pool: ThreadPoolExecutor, *, is_in_group: bool) -> None:
    person = in_revoked_chat(pool, is_in_group=is_in_group)
    before = everything_in(person.worker.store), len(person.worker.said)

    for kind in ("follow", "join", "videoPlayComplete", "beacon"):
        person.sends(person.events.event(kind))
    person.says("@Aizuchi and my other word is marlin")

    assert (everything_in(person.worker.store), len(person.worker.said)) == before


def test_a_question_what_to_take_back_can_be_confirmed_after_the_revocation(pool: ThreadPoolExecutor) -> None:
    person = Person(PushedWorker(pool, access=Access.INVITED), is_in_group=True)
    admissions_of(person).admit(person.events.chat_id, since_ms=0)
    person.asks(SECRET, HELLO)
    proposes = calling(("forget_messages", {"query": "swordfish"}))
    person.asks("forget what I said about swordfish", proposes, calling(("reply", {"message": "消しますか"})))
    revoke(person)

    person.presses(person.newest_button)

    assert SECRET not in everything_in(person.worker.store)


def test_a_member_who_joins_a_revoked_group_is_known_to_have_joined(pool: ThreadPoolExecutor) -> None:
    person = in_revoked_chat(pool, is_in_group=True)
    newcomer = "U" + "7" * 32

    joining = person.events.event("memberJoined", joined={"members": [{"type": "user", "userId": newcomer}]})
    person.sends(joining)

    members = person.worker.conversations.of(person.events.chat_id).members
    assert members.joined_ms({newcomer}) == joining["timestamp"]


@pytest.mark.parametrize("door", [in_chat_whose_admission_cannot_be_read, in_chat_of_an_open_time])
@pytest.mark.parametrize("forgets", [unsends, edits, confirms_forget, forgets_member])
def test_forgetting_works_in_a_chat_that_is_not_known_to_be_admitted(
    pool: ThreadPoolExecutor, door: Callable[..., Person], forgets: Callable[[Person], None]
) -> None:
    person = door(pool, is_in_group=True)

    forgets(person)

    assert SECRET not in everything_in(person.worker.store)


def test_an_edit_in_an_admitted_chat_waits_for_its_message(pool: ThreadPoolExecutor) -> None:
    person = Person(PushedWorker(pool, access=Access.INVITED), is_in_group=True)
    admissions_of(person).admit(person.events.chat_id, since_ms=0)
    late = person.events.text(SECRET)

    person.sends(edit_of("m1", person))
    person.sends(late)

    assert SECRET not in everything_in(person.worker.store)
    message = person.worker.conversations.of(person.events.chat_id).journal.message_of("m1")
    assert message is not None
    assert message.text == "nothing"


@pytest.mark.parametrize("admission", [b'{"version":1,"since_ms":0,"is_revoked":false}', b'{"version": 99}'])
def test_an_unsend_that_comes_before_the_first_message_of_its_chat_waits_for_it(
    pool: ThreadPoolExecutor, admission: bytes
) -> None:
    person = Person(PushedWorker(pool, access=Access.INVITED), is_in_group=True)
    person.worker.store.create(f"admitted/{person.events.chat_id}.json", admission)

    unsends(person)

    assert "m1" in person.worker.conversations.of(person.events.chat_id).amendments.look().withdrawn


def test_an_edit_from_a_time_of_open_access_is_all_that_a_chat_may_be_known_by(pool: ThreadPoolExecutor) -> None:
    was_open = PushedWorker(pool)
    person = Person(was_open, is_in_group=True)
    person.sends(edit_of("m1", person))
    assert "nothing" in everything_in(was_open.store)
    invited = PushedWorker(pool, access=Access.INVITED, store=was_open.store)

    assert invited.deliver(person.events.event("unsend", unsend={"messageId": "m1"})) == 204

    assert "nothing" not in everything_in(was_open.store)
