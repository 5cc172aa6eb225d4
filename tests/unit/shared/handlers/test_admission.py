"""Chats that were not admitted: nothing is stored of them, and the model is not asked."""

import itertools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.access.admission import CACHED_S, Access, Admissions
from shared.access.arrival import MESSAGE_WAITS_S
from shared.access.invitations import Invitations
from shared.access.unadmitted_chats import TOLD_EVERY_S, WAITS_A_CHAT
from shared.access.wrong_codes import WRONG_CODES
from shared.adapters.memory.scripted_model import calling
from shared.line.phrases import Phrase
from tests.support import push, recorded
from tests.support.chats import everything_in
from tests.support.people import START_MS, Person
from tests.support.phrases import english, japanese
from tests.support.pushed import PushedWorker, nothing

HELLO = calling(("reply", {"message": "やあ"}))
DAY_MS = 86_400_000


@pytest.fixture
def worker(pool: ThreadPoolExecutor) -> PushedWorker:
    return PushedWorker(pool, access=Access.INVITED)


@pytest.fixture(params=[False, True], ids=["friend", "group"])
def person(worker: PushedWorker, request: pytest.FixtureRequest) -> Person:
    return Person(worker, is_in_group=request.param)


@pytest.fixture
def admissions(worker: PushedWorker) -> Admissions:
    """The operator's view of the admissions."""
    return Admissions(store=worker.store, clock=worker.clock)


def invite(worker: PushedWorker, *, is_single_use: bool = True, is_open: bool = False) -> str:
    invitations = Invitations(store=worker.store, clock=worker.clock)
    return invitations.invite(expires_ms=worker.clock.now_ms() + DAY_MS, is_single_use=is_single_use, is_open=is_open)


def stored(worker: PushedWorker) -> list[str]:
    """Return the kinds of objects apart from invitations."""
    kinds = [listed.name.partition("/")[0] for listed in worker.store.list("")]
    return [kind for kind in kinds if kind != "invitations"]


def events_of(person: Person) -> Iterator[dict[str, object]]:
    yield person.events.text("@Aizuchi my word is swordfish")
    yield person.events.text("/reset")
    yield person.events.text("/forget")
    yield person.events.event("postback", postback={"data": "late:event1"})
    yield person.events.event("messageEdited", message={"type": "text", "text": "swordfish"})
    yield person.events.event("message", message={"type": "image", "contentProvider": {"type": "line"}})
    yield person.events.event("memberJoined")
    yield person.events.event("unsend", unsend={"messageId": "m1"})
    yield person.events.event("leave" if person.events.chat_id.startswith("C") else "unfollow")


def test_nothing_is_stored_of_a_chat_that_was_not_admitted(person: Person) -> None:
    for event in events_of(person):
        assert person.worker.deliver(event) == 204

    assert stored(person.worker) == []
    assert person.worker.model.requests == []
    assert len(person.worker.said) == 1


def test_an_addressed_message_is_told_how_to_get_in_once_an_hour(person: Person) -> None:
    for _ in range(3):
        person.says("@Aizuchi hello")
    assert person.worker.said == [english(Phrase.INVITATION_NEEDED, id=person.events.chat_id)]

    person.worker.clock.move(TOLD_EVERY_S)
    person.worker.deliver(person.events.text("@Aizuchi hello"), published="2099-01-01T00:00:00Z")
    assert len(person.worker.said) == 2


def test_people_who_talk_among_themselves_are_told_nothing(worker: PushedWorker) -> None:
    Person(worker, is_in_group=True).says("hello")

    assert worker.line.calls == 0


@pytest.mark.parametrize(("is_in_group", "kind"), [(False, "follow"), (True, "join")])
def test_the_greeting_says_how_to_get_in(worker: PushedWorker, *, is_in_group: bool, kind: str) -> None:
    person = Person(worker, is_in_group=is_in_group)

    person.sends(person.events.event(kind))

    assert worker.said == [japanese(Phrase.INVITATION_NEEDED, id=person.events.chat_id)]
    assert stored(worker) == []


@pytest.mark.parametrize("kind", ["follow", "join"])
def test_a_greeting_counts_as_told(person: Person, kind: str) -> None:
    person.says("@Aizuchi hello")

    person.sends(person.events.event(kind))

    assert len(person.worker.said) == 1


@pytest.mark.parametrize(("is_in_group", "kind"), [(False, "follow"), (True, "join")])
def test_an_open_invitation_admits_whoever_adds_the_bot(worker: PushedWorker, *, is_in_group: bool, kind: str) -> None:
    person = Person(worker, is_in_group=is_in_group)
    invite(worker, is_open=True, is_single_use=False)

    person.sends(person.events.event(kind))
    person.says("@Aizuchi hello", HELLO)

    assert worker.said == [japanese(Phrase.GREETING_GROUP if is_in_group else Phrase.GREETING_FRIEND), "やあ"]


def test_a_code_admits_the_chat(person: Person) -> None:
    code = invite(person.worker)

    person.says(f"/start {code}")
    person.says("@Aizuchi my word is swordfish", HELLO)

    greeting = Phrase.GREETING_GROUP if person.events.chat_id.startswith("C") else Phrase.GREETING_FRIEND
    assert person.worker.said == [japanese(greeting), "やあ"]
    assert "swordfish" in everything_in(person.worker.store)


def test_a_redelivered_code_is_greeted_once(person: Person) -> None:
    start = person.says(f"/start {invite(person.worker)}")

    assert person.worker.deliver(start) == 204

    assert len(person.worker.said) == 1


def test_a_code_that_another_chat_used_up_is_refused(worker: PushedWorker) -> None:
    code = invite(worker)
    Person(worker, is_in_group=False).says(f"/start {code}")
    member = Person(worker, is_in_group=True)
    member.events.skip(5)

    member.says(f"/start {code}")

    assert worker.said[-1] == japanese(Phrase.INVITATION_REFUSED)


def test_after_five_wrong_codes_the_right_one_is_not_looked_at(person: Person) -> None:
    code = invite(person.worker)
    for number in range(WRONG_CODES):
        person.says(f"/start WRONG-{number}")

    person.says(f"/start {code}")

    closed = japanese(Phrase.INVITATION_CLOSED, id=person.events.chat_id)
    assert person.worker.said == [*[japanese(Phrase.INVITATION_REFUSED)] * WRONG_CODES, closed]
    assert stored(person.worker) == []


def test_a_mistyped_code_is_answered_although_the_chat_was_just_told_how_to_get_in(person: Person) -> None:
    person.says("@Aizuchi hello")

    person.says("/start MISTYPED")

    needed = english(Phrase.INVITATION_NEEDED, id=person.events.chat_id)
    assert person.worker.said == [needed, japanese(Phrase.INVITATION_REFUSED)]


def test_a_mistyped_code_does_not_take_the_place_of_how_to_get_in(person: Person) -> None:
    person.says("/start MISTYPED")

    person.says("@Aizuchi hello")

    needed = english(Phrase.INVITATION_NEEDED, id=person.events.chat_id)
    assert person.worker.said == [japanese(Phrase.INVITATION_REFUSED), needed]


def test_a_command_without_a_code_is_told_how_to_get_in_and_is_no_wrong_code(person: Person) -> None:
    for _ in range(WRONG_CODES):
        person.says("/start")
    assert person.worker.said == [japanese(Phrase.INVITATION_NEEDED, id=person.events.chat_id)] * WRONG_CODES

    person.says(f"/start {invite(person.worker)}")

    assert len(person.worker.said) == WRONG_CODES + 1


def is_at_the_door(person: Person, *, meanwhile: Callable[[], object], looks: int = 1) -> None:
    """Right after the admission of the chat was looked for so many times, from now on, something happens once."""
    left = itertools.count(looks - 1, -1)

    def happens(call: str, name: str) -> None:
        if call == "read" and name.startswith("admitted/") and not next(left):
            person.worker.store.after = nothing
            meanwhile()

    person.worker.store.after = happens


def test_a_message_that_overtakes_the_code_is_answered_once_that_has_let_it_in(person: Person) -> None:
    start = person.events.text(f"/start {invite(person.worker)}")
    is_at_the_door(person, meanwhile=lambda: person.worker.push(push.envelope(start)))

    person.says("@Aizuchi hello", HELLO)

    greeting = Phrase.GREETING_GROUP if person.events.chat_id.startswith("C") else Phrase.GREETING_FRIEND
    assert person.worker.said == [japanese(greeting), "やあ"]


def test_a_message_from_before_the_code_that_meets_it_at_the_door_stays_out(person: Person) -> None:
    early = person.events.text("@Aizuchi my word is swordfish")
    start = person.events.text(f"/start {invite(person.worker)}")
    is_at_the_door(person, meanwhile=lambda: person.worker.push(push.envelope(start)))

    person.sends(early)

    assert "swordfish" not in everything_in(person.worker.store)
    assert person.worker.model.requests == []


def test_what_is_taken_back_before_the_code_that_lets_it_in_was_handled_stays_out(person: Person) -> None:
    start = person.events.text(f"/start {invite(person.worker)}")
    question = person.events.text("@Aizuchi my word is swordfish")
    is_at_the_door(person, meanwhile=lambda: person.worker.push(push.envelope(start)), looks=2)

    person.sends(person.events.event("unsend", unsend={"messageId": question["message"]["id"]}))
    person.sends(question)

    assert "swordfish" not in everything_in(person.worker.store)
    assert person.worker.model.requests == []


@pytest.mark.parametrize("kind", ["leave", "unfollow"])
def test_a_departure_from_before_the_code_was_handled_erases_what_it_let_in(person: Person, kind: str) -> None:
    start = person.events.text(f"/start {invite(person.worker)}")
    question = person.events.text("@Aizuchi my word is swordfish")
    is_at_the_door(person, meanwhile=lambda: person.worker.push(push.envelope(start)), looks=2)

    person.sends(person.events.event(kind))
    person.sends(question)

    assert "swordfish" not in everything_in(person.worker.store)


def test_what_is_taken_back_in_an_admitted_chat_waits_for_nothing(person: Person, admissions: Admissions) -> None:
    admissions.admit(person.events.chat_id, since_ms=0)
    before_s = person.worker.clock.monotonic_s()

    person.sends(person.events.event("unsend", unsend={"messageId": "m1"}))

    assert person.worker.clock.monotonic_s() == before_s


def test_a_stranger_waits_for_a_code_for_a_few_seconds_at_most(person: Person) -> None:
    before_s = person.worker.clock.monotonic_s()

    person.says("@Aizuchi hello")

    assert person.worker.clock.monotonic_s() - before_s == sum(MESSAGE_WAITS_S)
    assert stored(person.worker) == []


def test_a_chat_that_goes_on_writing_is_waited_for_no_more(person: Person) -> None:
    for _ in range(WAITS_A_CHAT):
        person.says("@Aizuchi hello")
    before_s = person.worker.clock.monotonic_s()

    person.says("@Aizuchi hello")

    assert person.worker.clock.monotonic_s() == before_s


def test_what_nobody_can_answer_waits_for_no_code(person: Person) -> None:
    before_s = person.worker.clock.monotonic_s()

    person.sends({**person.events.text("@Aizuchi hello"), "mode": "standby"})

    assert person.worker.clock.monotonic_s() == before_s
    assert person.worker.said == []


def test_what_is_for_others_waits_for_no_code(worker: PushedWorker) -> None:
    before_s = worker.clock.monotonic_s()

    Person(worker, is_in_group=True).says("hello")

    assert worker.clock.monotonic_s() == before_s


def test_a_revocation_that_comes_while_a_code_is_looked_at_stands(person: Person, admissions: Admissions) -> None:
    code = invite(person.worker)

    def revoke(call: str, name: str) -> None:
        if call == "read" and name.startswith("invitations/"):
            person.worker.store.before = nothing
            admissions.admit(person.events.chat_id, since_ms=0)
            admissions.revoke(person.events.chat_id)

    person.worker.store.before = revoke

    person.says(f"/start {code}")

    assert person.worker.said == [japanese(Phrase.INVITATION_REFUSED)]
    assert "journal" not in stored(person.worker)


def test_a_message_from_before_the_admission_stays_out(person: Person) -> None:
    early = person.events.text("@Aizuchi my word is swordfish")
    person.says(f"/start {invite(person.worker)}")

    assert person.worker.deliver(early) == 204

    assert "swordfish" not in everything_in(person.worker.store)
    assert person.worker.model.requests == []


def test_the_operator_admits_a_chat(person: Person, admissions: Admissions) -> None:
    person.says("@Aizuchi hello")
    admissions.admit(person.events.chat_id, since_ms=START_MS)

    person.says("@Aizuchi hello", HELLO)

    assert person.worker.said[-1] == "やあ"


def test_a_chat_that_was_revoked_is_answered_as_soon_as_the_operator_admits_it_again(
    person: Person, admissions: Admissions
) -> None:
    admissions.admit(person.events.chat_id, since_ms=0)
    admissions.revoke(person.events.chat_id)
    person.says("@Aizuchi hello")
    assert person.worker.said == []

    admissions.admit(person.events.chat_id, since_ms=START_MS, renews=True)
    person.says("@Aizuchi hello", HELLO)

    assert person.worker.said == ["やあ"]


def test_a_revoked_chat_meets_silence_and_keeps_its_memory(person: Person, admissions: Admissions) -> None:
    code = invite(person.worker, is_single_use=False)
    person.says(f"/start {code}")
    person.says("@Aizuchi my word is swordfish", HELLO)
    admissions.revoke(person.events.chat_id)
    person.worker.clock.move(CACHED_S)
    before = len(person.worker.said)

    for text in ("@Aizuchi hello", "/help", "/id", "/usage", "/reminders", "/export me", "/catchup", f"/start {code}"):
        person.says(text)

    assert len(person.worker.said) == before
    assert "swordfish" in everything_in(person.worker.store)


def test_forgetting_works_in_a_revoked_chat(person: Person, admissions: Admissions) -> None:
    person.says(f"/start {invite(person.worker)}")
    person.says("@Aizuchi my word is swordfish", HELLO)
    admissions.revoke(person.events.chat_id)
    person.worker.clock.move(CACHED_S)

    is_group = person.events.chat_id.startswith("C")
    person.sends(person.events.event("leave" if is_group else "unfollow"))

    assert "swordfish" not in everything_in(person.worker.store)


def test_forgetting_works_in_a_chat_of_an_earlier_open_time(pool: ThreadPoolExecutor) -> None:
    was_open = PushedWorker(pool)
    person = Person(was_open, is_in_group=False)
    person.says("my word is swordfish", HELLO)
    invited = PushedWorker(pool, access=Access.INVITED, store=was_open.store)

    unsend = person.events.event("unsend", unsend={"messageId": "m1"})
    assert invited.deliver(unsend) == 204

    assert "swordfish" not in everything_in(was_open.store)


def test_a_revoked_chat_is_not_answered_by_a_tick(person: Person, admissions: Admissions) -> None:
    admissions.admit(person.events.chat_id, since_ms=0)
    conversation = person.worker.conversations.of(person.events.chat_id)
    event = person.says("@Aizuchi hello", HELLO)
    person.worker.store.delete(conversation.names.outcome(event["webhookEventId"]))
    person.worker.store.delete(conversation.names.turn)
    person.worker.store.create(f"due/20200101T0000/reply.{conversation.id}.{event['message']['id']}", b"")
    admissions.revoke(person.events.chat_id)
    person.worker.clock.move(CACHED_S)

    person.worker.push(push.tick())

    assert person.worker.store.list("due/") == ()
    assert len(person.worker.said) == 1


def test_people_without_an_id_are_told_once_an_hour(worker: PushedWorker) -> None:
    for number in range(3):
        unnamed = recorded.event("message-text", source={"type": "user"}, replyToken=f"token{number}")
        assert worker.deliver(unnamed) == 204

    assert worker.line.calls == 1
