"""Pauses and handovers: the table of docs/chat.md, a test a row, by when a message was sent and when it is delivered."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Final

import pytest

from shared import logs
from shared.adapters.memory.scripted_model import calling
from shared.agent.model import ModelResponse
from shared.conversation.due import DueMarkers
from shared.conversation.records import MessageRecord, Offer, OutcomeKind
from shared.conversation.silences import SilenceKind, SilencesRecord, handover, pause
from shared.handlers.silence import Operator
from shared.line.messaging import ReplyToken
from shared.line.phrases import Phrase, phrase
from shared.storage.codec import encode
from shared.turns.reply import REPLY
from tests.support import push
from tests.support import recorded as recorded_events
from tests.support.chats import answer, everything_in, message
from tests.support.people import START_MS, ChatEvents, Person
from tests.support.phrases import english, japanese
from tests.support.pushed import PushedWorker

OK: Final = calling(("reply", {"message": "understood"}))
CALLS_A_PERSON: Final = (
    calling(("call_person", {"reason": "asked"})),
    calling(("reply", {"message": "press the button"})),
)
OPERATOR: Final = "U" + "9" * 32
SECRET: Final = "the code is 4711"
BEGINS_MS: Final = START_MS + 100_000
ENDS_MS: Final = START_MS + 200_000
BEFORE_MS: Final = BEGINS_MS - 1_000
DURING_MS: Final = BEGINS_MS + 1_000
AFTER_MS: Final = ENDS_MS + 1_000
PAUSE, HANDOVER = SilenceKind.PAUSE, SilenceKind.HANDOVER


def comes_to(worker: PushedWorker, at_ms: int) -> None:
    """The time is `at_ms`."""
    worker.clock.move((at_ms - worker.clock.now_ms()) / 1_000)


def text(person: Person, words: str, *, at_ms: int) -> dict[str, Any]:
    return person.events.text(words) | {"timestamp": at_ms}


def begins(person: Person, kind: SilenceKind) -> None:
    """The silence begins at BEGINS_MS."""
    comes_to(person.worker, BEGINS_MS)
    if kind is PAUSE:
        person.sends(text(person, "/pause", at_ms=BEGINS_MS))
        return
    chat = person.worker.conversations.of(person.events.chat_id)
    chat.silences.add(lambda _: handover("h1", at_ms=BEGINS_MS, minutes=60, is_asked=False))


def begins_in_a_turn(person: Person, kind: SilenceKind) -> None:
    """The silence begins at BEGINS_MS, as an instance writes it that waits with its announcement for the chat's turn."""
    comes_to(person.worker, BEGINS_MS)
    switches = (
        pause("p1", at_ms=BEGINS_MS) if kind is PAUSE else handover("h1", at_ms=BEGINS_MS, minutes=60, is_asked=False)
    )
    person.worker.conversations.of(person.events.chat_id).silences.add(lambda _: switches)


def ends(person: Person) -> None:
    """Somebody sends `/resume` at ENDS_MS."""
    comes_to(person.worker, ENDS_MS)
    person.sends(text(person, "/resume", at_ms=ENDS_MS))


def answers(person: Person) -> int:
    """Return how many answers of the model were sent."""
    return sum(said.startswith("understood") for said in person.worker.said)


def recorded(person: Person) -> bool:
    return SECRET in everything_in(person.worker.store)


@pytest.fixture(params=[PAUSE, HANDOVER])
def kind(request: pytest.FixtureRequest) -> SilenceKind:
    found: SilenceKind = request.param
    return found


def test_sent_and_delivered_before_it_is_recorded_and_answered(friend: Person, kind: SilenceKind) -> None:
    friend.sends(text(friend, SECRET, at_ms=BEFORE_MS), OK)

    begins(friend, kind)

    assert (recorded(friend), answers(friend)) == (True, 1)


def test_sent_before_and_delivered_during_it_is_recorded_and_never_answered(friend: Person, kind: SilenceKind) -> None:
    begins(friend, kind)
    event = friend.sends(text(friend, SECRET, at_ms=BEFORE_MS))
    ends(friend)

    friend.sends(event)

    assert (recorded(friend), answers(friend)) == (True, 0)


def test_sent_before_and_delivered_after_is_recorded_and_answered_once(friend: Person, kind: SilenceKind) -> None:
    begins(friend, kind)
    ends(friend)
    event = friend.sends(text(friend, SECRET, at_ms=BEFORE_MS), OK)

    friend.sends(event)

    assert (recorded(friend), answers(friend)) == (True, 1)


@pytest.mark.parametrize("delivered", ["during", "after", "during and after"])
def test_sent_in_a_pause_is_never_recorded(friend: Person, delivered: str) -> None:
    begins(friend, PAUSE)
    event = text(friend, SECRET, at_ms=DURING_MS)
    if "during" in delivered:
        friend.sends(event)
    ends(friend)
    if "after" in delivered:
        friend.sends(event)

    assert (recorded(friend), answers(friend), friend.worker.model.requests) == (False, 0, [])
    assert event["message"]["id"] not in everything_in(friend.worker.store)


@pytest.mark.parametrize("delivered", ["during", "after", "during and after"])
def test_sent_in_a_handover_is_recorded_once_and_not_answered(friend: Person, delivered: str) -> None:
    begins(friend, HANDOVER)
    event = text(friend, SECRET, at_ms=DURING_MS)
    if "during" in delivered:
        friend.sends(event)
    ends(friend)
    if "after" in delivered:
        friend.sends(event)
    friend.sends(text(friend, "and now?", at_ms=AFTER_MS), OK)

    assert friend.worker.prompt().count(SECRET) == 1
    assert answers(friend) == 1  # to the question afterwards


def test_an_instance_that_knows_of_no_pause_leaves_nothing_of_a_message_sent_in_it(
    friend: Person, kind: SilenceKind
) -> None:
    switches = (
        pause("p1", at_ms=BEGINS_MS) if kind is PAUSE else handover("h1", at_ms=BEGINS_MS, minutes=60, is_asked=False)
    )
    written_elsewhere = encode(SilencesRecord(switches=switches))
    friend.worker.store.create(f"silences/{friend.events.chat_id}.json", written_elsewhere)
    comes_to(friend.worker, DURING_MS)

    friend.sends(text(friend, SECRET, at_ms=DURING_MS))

    assert (recorded(friend), friend.worker.model.requests) == (kind is HANDOVER, [])


def test_a_damaged_record_counts_as_a_pause_until_somebody_resumes(friend: Person) -> None:
    friend.worker.store.create(f"silences/{friend.events.chat_id}.json", b"{")
    friend.sends(text(friend, SECRET, at_ms=START_MS))
    silent = not recorded(friend)
    ends(friend)

    friend.sends(text(friend, "and now?", at_ms=AFTER_MS), OK)

    assert (silent, answers(friend)) == (True, 1)


def test_sent_and_delivered_after_it_is_recorded_and_answered(friend: Person, kind: SilenceKind) -> None:
    begins(friend, kind)
    ends(friend)

    friend.sends(text(friend, SECRET, at_ms=AFTER_MS), OK)

    assert (recorded(friend), answers(friend)) == (True, 1)


@pytest.mark.parametrize("sent_ms", [BEFORE_MS, DURING_MS, AFTER_MS])
@pytest.mark.parametrize("is_open", [True, False])
def test_an_unsent_message_is_gone_whenever_it_was_sent(
    friend: Person, kind: SilenceKind, sent_ms: int, is_open: bool
) -> None:
    begins(friend, kind)
    if not is_open:
        ends(friend)
    event = friend.sends(text(friend, SECRET, at_ms=sent_ms), OK)

    friend.worker.withdraw(friend.events.chat_id, event["message"]["id"])
    friend.sends(event)

    assert not recorded(friend)


def test_an_answer_that_was_thought_about_when_it_began_is_not_sent(friend: Person, kind: SilenceKind) -> None:
    def begins_meanwhile(_: object) -> ModelResponse:
        begins_in_a_turn(friend, kind)
        return OK

    comes_to(friend.worker, BEFORE_MS)
    friend.sends(text(friend, SECRET, at_ms=BEFORE_MS), begins_meanwhile)
    ends(friend)

    assert (recorded(friend), answers(friend)) == (True, 0)


def test_what_was_thought_about_when_it_began_is_not_filed(friend: Person, kind: SilenceKind) -> None:
    files_and_answers = calling(
        ("classify_and_capture", {"text": "umbrella", "category": "ideas", "name": "umbrella", "confidence": 0.9}),
        ("reply", {"message": "understood"}),
    )

    def begins_meanwhile(_: object) -> ModelResponse:
        begins_in_a_turn(friend, kind)
        return files_and_answers

    comes_to(friend.worker, BEFORE_MS)
    friend.sends(text(friend, "note an idea: umbrella", at_ms=BEFORE_MS), begins_meanwhile)
    filed_in_silence = friend.worker.store.list("entries/")
    ends(friend)
    friend.sends(text(friend, "note an idea: umbrella", at_ms=AFTER_MS), files_and_answers)

    assert (filed_in_silence, answers(friend)) == ((), 1)
    assert [one.name for one in friend.worker.store.list("entries/") if one.name.endswith("/ideas/umbrella.md")] != []


def test_a_message_that_was_left_to_a_tick_is_not_answered_in_it(friend: Person, kind: SilenceKind) -> None:
    chat = friend.worker.conversations.of(friend.events.chat_id)
    waiting = MessageRecord(
        line_message_id="m9",
        webhook_event_id="e9",
        timestamp_ms=BEFORE_MS,
        type="text",
        addressed=True,
        text=SECRET,
        reply_token=ReplyToken(value="token9", received_ms=BEFORE_MS),
    )
    chat.journal.keep(waiting)
    begins(friend, kind)
    DueMarkers(store=friend.worker.store).mark(REPLY, chat, "m9", at_ms=BEGINS_MS + 1)
    friend.worker.clock.move(60)
    assert friend.worker.push(push.tick()) == 204
    ends(friend)

    event = friend.sends(text(friend, "and now?", at_ms=AFTER_MS), OK)

    assert friend.worker.store.list("due/") == ()
    assert friend.worker.outcome(event)["answered_ids"] == [event["message"]["id"]]


def test_a_pause_is_said_once_and_stays_silent(friend: Person) -> None:
    begins(friend, PAUSE)
    for number in range(3):
        friend.sends(text(friend, "hello?", at_ms=DURING_MS + number))

    assert friend.worker.said == [japanese(Phrase.PAUSE_DONE)]


def test_a_pause_is_said_in_the_language_of_the_persons_earlier_messages(friend: Person) -> None:
    friend.asks("where did I put my keys?", OK)
    friend.asks("OK", OK)

    friend.says("/pause")
    friend.says("/resume")

    assert friend.worker.said[-2:] == [english(Phrase.PAUSE_DONE), english(Phrase.RESUME_DONE)]


def test_a_pause_is_said_in_the_language_that_the_chat_chose(friend: Person) -> None:
    friend.asks("where did I put my keys?", OK)
    friend.says("/language th")

    friend.says("/pause")

    assert friend.worker.said[-1] == phrase(Phrase.PAUSE_DONE, locale="th", bot_name="Aizuchi")


def test_a_resume_that_overtakes_the_beginning_ends_it(friend: Person, kind: SilenceKind) -> None:
    ends(friend)
    begins(friend, kind)

    friend.sends(text(friend, SECRET, at_ms=AFTER_MS), OK)

    assert answers(friend) == 1


@pytest.mark.parametrize("command", ["/pause", "/resume"])
def test_in_a_group_a_member_has_to_press_a_button(member: Person, command: str) -> None:
    if command == "/resume":
        member.confirms("/pause")
    before = member.worker.store.read(f"silences/{member.events.chat_id}.json")

    member.says(command)
    asked = member.worker.store.read(f"silences/{member.events.chat_id}.json")
    press = member.presses(member.newest_button)

    assert asked == before
    stored = member.worker.store.read(f"silences/{member.events.chat_id}.json")
    assert stored is not None
    newest = json.loads(stored.data)["switches"][-1]
    assert (newest["at_ms"], newest["is_on"]) == (press["timestamp"], command == "/pause")


def test_commands_that_forget_work_in_a_pause(friend: Person) -> None:
    friend.sends(text(friend, SECRET, at_ms=BEFORE_MS), OK)
    begins(friend, PAUSE)

    friend.sends(text(friend, "/reset", at_ms=DURING_MS))

    assert not recorded(friend)
    assert friend.worker.said[-1] == english(Phrase.RESET_DONE)


def test_an_edit_in_a_pause_takes_the_old_words_and_leaves_no_new_ones(member: Person) -> None:
    event = member.sends(text(member, SECRET, at_ms=START_MS + 1))
    member.confirms("/pause")
    edited = member.events.event("messageEdited", message={"type": "text", "text": "the code is 4712"})
    edited["message"]["id"] = event["message"]["id"]

    member.sends(edited)

    assert "the code is" not in everything_in(member.worker.store)


@pytest.mark.parametrize("delivered", ["during", "after", "during and after"])
def test_an_edit_in_a_handover_is_recorded_whenever_it_is_delivered(member: Person, delivered: str) -> None:
    event = member.sends(text(member, SECRET, at_ms=BEFORE_MS))
    begins(member, HANDOVER)
    edited = member.events.event("messageEdited", message={"type": "text", "text": "the code is 4712"})
    edited |= {"message": edited["message"] | {"id": event["message"]["id"]}, "timestamp": DURING_MS}
    if "during" in delivered:
        member.sends(edited)
    comes_to(member.worker, ENDS_MS)
    member.confirms("/resume", timestamp=ENDS_MS)
    if "after" in delivered:
        member.sends(edited)
    member.sends(member.events.text("@Aizuchi what is it?") | {"timestamp": AFTER_MS}, OK)

    assert not recorded(member)
    assert member.worker.prompt().count("the code is 4712") == 1
    assert answers(member) == 1


def test_a_press_in_a_silence_is_told_that_nothing_was_done(friend: Person, kind: SilenceKind) -> None:
    begins(friend, kind)

    friend.presses("do:e1", timestamp=DURING_MS)

    expected = Phrase.PRESS_IN_PAUSE if kind is PAUSE else Phrase.PRESS_IN_HANDOVER
    assert friend.worker.said[-1] == japanese(expected)


def test_a_press_that_it_overtakes_is_told_so_and_counts_afterwards(friend: Person, kind: SilenceKind) -> None:
    def begins_meanwhile(_: object) -> ModelResponse:
        begins_in_a_turn(friend, kind)
        return OK

    chat = friend.worker.conversations.of(friend.events.chat_id)
    chat.journal.keep(replace(message(1, SECRET), user_id=recorded_events.USER))
    deferral = replace(answer(1, "still thinking"), kind=OutcomeKind.DEFERRED, answers=("e1",))
    chat.journal.record_outcome(replace(deferral, offer=Offer(is_deferral=True)))
    press = friend.events.event("postback", postback={"data": "late:e1"}, timestamp=BEFORE_MS)
    comes_to(friend.worker, BEFORE_MS)

    friend.sends(press, begins_meanwhile)

    expected = Phrase.PRESS_IN_PAUSE if kind is PAUSE else Phrase.PRESS_IN_HANDOVER
    assert friend.worker.said == [english(expected)]
    ends(friend)
    friend.sends(friend.events.event("postback", postback={"data": "late:e1"}, timestamp=AFTER_MS), OK)
    assert answers(friend) == 1


def test_a_bot_that_is_added_again_is_not_paused(friend: Person) -> None:
    begins(friend, PAUSE)
    comes_to(friend.worker, ENDS_MS)
    friend.sends(friend.events.event("unfollow", timestamp=ENDS_MS))
    friend.sends(friend.events.event("follow", timestamp=ENDS_MS + 1))

    friend.sends(text(friend, SECRET, at_ms=AFTER_MS), OK)

    assert answers(friend) == 1


def test_due_reminders_wait_and_are_marked_late(friend: Person, kind: SilenceKind) -> None:
    worker = friend.worker
    create = calling(("create_reminder", {"text": "薬", "at": "2025-11-21T13:45"}))
    friend.sends(text(friend, "お願い", at_ms=START_MS), create, OK)
    begins(friend, kind)
    for _ in range(5):
        worker.clock.move(180)
        assert worker.push(push.tick()) == 204
    waited = list(worker.line.pushes)
    friend.sends(text(friend, "/resume", at_ms=worker.clock.now_ms()))
    worker.clock.move(120)
    assert worker.push(push.tick()) == 204

    assert waited == []
    assert [texts for _, texts in worker.line.pushes] == [("⏰ 薬（11月21日(金) 13:45 の予定でした）",)]
    assert worker.push(push.tick()) == 204
    assert len(worker.line.pushes) == 1


def test_a_handover_ends_by_itself_and_reminders_come_then(friend: Person) -> None:
    worker = friend.worker
    create = calling(("create_reminder", {"text": "薬", "at": "2025-11-21T13:45"}))
    friend.sends(text(friend, "お願い", at_ms=START_MS), create, OK)
    begins(friend, HANDOVER)
    worker.clock.move(30 * 60)
    worker.push(push.tick())
    waited = list(worker.line.pushes)
    worker.clock.move(31 * 60)
    worker.push(push.tick())

    friend.sends(text(friend, SECRET, at_ms=worker.clock.now_ms()), OK)

    assert (waited, len(worker.line.pushes), answers(friend)) == ([], 1, 2)


class WithOperator:
    """A customer's 1:1 chat, and the operator's."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self.worker = PushedWorker(pool, operator=Operator(user_id=OPERATOR, minutes=30))
        self.customer = Person(self.worker, is_in_group=False)
        self.worker.profiles.names[self.customer.events.chat_id] = "Momo"
        self.operator = Person(self.worker, is_in_group=False)
        self.operator.events = ChatEvents(is_group=False, author=OPERATOR, first=101)

    def asks_for_a_person(self) -> dict[str, Any]:
        """The customer asks for a person, and presses the button; return the press."""
        self.customer.says("人と話したい", *CALLS_A_PERSON)
        return self.customer.presses(self.customer.newest_button)


@pytest.fixture
def shop(pool: ThreadPoolExecutor) -> WithOperator:
    return WithOperator(pool)


def test_a_customer_calls_a_person_with_a_tap_and_the_operator_gets_one_notice(shop: WithOperator) -> None:
    shop.customer.says("人と話したい", *CALLS_A_PERSON)
    offered = list(shop.worker.line.pushes)
    press = shop.customer.presses(shop.customer.newest_button)
    shop.customer.sends(press)

    pseudonym = logs.pseudonym(shop.customer.events.chat_id)
    assert offered == []
    assert shop.worker.line.pushes == [(OPERATOR, (japanese(Phrase.HANDOVER_NOTICE, name="Momo", chat=pseudonym),))]
    assert shop.worker.said[-1] == japanese(Phrase.HANDOVER_DONE, minutes="30")


@pytest.mark.parametrize("is_quota_spent", [True, False])
def test_where_the_operator_cannot_be_told_the_customer_is_told_so_and_the_bot_goes_on(
    shop: WithOperator, *, is_quota_spent: bool
) -> None:
    shop.customer.says("人と話したい", *CALLS_A_PERSON)
    shop.worker.line.push_quota_left = 0 if is_quota_spent else None
    shop.worker.line.fates = [] if is_quota_spent else ["refused"]
    press = shop.customer.presses(shop.customer.newest_button)

    refused = japanese(Phrase.HANDOVER_REFUSED)
    assert shop.worker.said[-1] == refused
    shop.customer.sends(press)
    assert shop.worker.said.count(refused) == 1
    assert shop.worker.line.pushes == []
    shop.customer.sends(text(shop.customer, SECRET, at_ms=press["timestamp"] + 2), OK)
    assert answers(shop.customer) == 1


def test_a_customer_whose_notice_was_refused_asks_again(shop: WithOperator) -> None:
    shop.customer.says("人と話したい", *CALLS_A_PERSON)
    shop.worker.line.fates = ["refused"]
    shop.customer.presses(shop.customer.newest_button)

    shop.asks_for_a_person()

    assert [to for to, _ in shop.worker.line.pushes] == [OPERATOR]
    assert shop.worker.said[-1] == japanese(Phrase.HANDOVER_DONE, minutes="30")


def test_a_chat_that_the_operator_has_taken_over_stays_so_where_a_notice_is_refused(shop: WithOperator) -> None:
    shop.customer.says("人と話したい", *CALLS_A_PERSON)
    button = shop.customer.newest_button
    taken_over_ms = START_MS + 1_500
    shop.operator.sends(text(shop.operator, "/handover Momo", at_ms=taken_over_ms))
    shop.worker.line.fates = ["refused"]

    press = shop.customer.presses(button)

    assert shop.worker.said[-1] == japanese(Phrase.HANDOVER_DONE, minutes="30")
    shop.customer.sends(text(shop.customer, SECRET, at_ms=press["timestamp"] + 2))
    assert answers(shop.customer) == 0


def test_a_notice_of_unknown_fate_is_pushed_again_by_a_redelivery(shop: WithOperator) -> None:
    shop.customer.says("人と話したい", *CALLS_A_PERSON)
    shop.worker.line.fates = ["unknown, not sent"] * 40
    press = shop.customer.events.event("postback", postback={"data": shop.customer.newest_button})

    first = shop.worker.deliver(press)
    shop.worker.line.fates = []
    second = shop.worker.deliver(press)

    assert (first, second) == (503, 204)
    assert [to for to, _ in shop.worker.line.pushes] == [OPERATOR]


def test_the_bot_is_silent_after_the_tap_and_remembers(shop: WithOperator) -> None:
    press = shop.asks_for_a_person()
    shop.customer.sends(text(shop.customer, SECRET, at_ms=press["timestamp"] + 1))

    assert recorded(shop.customer)
    assert shop.worker.said[-1] == japanese(Phrase.HANDOVER_DONE, minutes="30")


def test_a_chat_that_waits_already_sends_no_second_notice(shop: WithOperator) -> None:
    shop.customer.says("人と話したい", *CALLS_A_PERSON)
    first = shop.customer.newest_button
    shop.customer.says("人と話したいです", *CALLS_A_PERSON)
    second = shop.customer.newest_button

    shop.customer.presses(first)
    shop.customer.presses(second)

    assert len(shop.worker.line.pushes) == 1


def test_the_operator_takes_a_chat_over_by_name_and_gives_it_back(shop: WithOperator) -> None:
    shop.customer.says("hello", OK)
    shop.operator.sends(text(shop.operator, "/handover Momo", at_ms=BEGINS_MS))
    shop.customer.sends(text(shop.customer, "are you there?", at_ms=DURING_MS))
    silent = answers(shop.customer)
    shop.operator.sends(text(shop.operator, "/handover", at_ms=DURING_MS))
    listed = shop.worker.said[-1]
    shop.operator.sends(text(shop.operator, "/handover end momo", at_ms=ENDS_MS))
    shop.customer.sends(text(shop.customer, "and now?", at_ms=AFTER_MS), OK)

    assert (silent, answers(shop.customer)) == (1, 2)
    assert "Momo" in listed
    assert japanese(Phrase.HANDOVER_ENDED, name="momo") in shop.worker.said


def test_a_name_that_no_chat_has_takes_nothing_over(shop: WithOperator) -> None:
    shop.operator.says("/handover Nobody")

    assert shop.worker.said == [japanese(Phrase.HANDOVER_UNKNOWN, name="nobody")]
    assert shop.worker.store.list("silences/") == ()


def test_the_command_of_the_operator_is_an_ordinary_message_elsewhere(shop: WithOperator) -> None:
    shop.customer.says("/handover Momo", OK)

    assert answers(shop.customer) == 1
    assert shop.worker.store.list("silences/") == ()


def test_without_an_operator_the_model_has_no_tool_to_call_a_person(friend: Person) -> None:
    friend.says("hello", OK)

    assert "call_person" not in [one.name for one in friend.worker.model.requests[-1].declarations]
