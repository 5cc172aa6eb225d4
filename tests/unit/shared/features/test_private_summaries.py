"""Summaries of a group for one member alone: pushed to the member's own 1:1 chat, which keeps no word of them."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from shared.access.admission import Access, Admissions
from shared.adapters.memory.scripted_model import Step, calling, unusable
from shared.agent.model import FunctionResponses, ModelRequest, ModelResponse
from shared.errors import ModelUnavailableError
from shared.reminders.reminder import Reminder, ReminderState
from shared.reminders.store import ReminderStore
from tests.support import push, recorded
from tests.support.chats import everything_in
from tests.support.people import Person
from tests.support.pushed import PushedWorker

SAYS = calling(("reply", {"message": "はい"}))
SUMS_UP = calling(("write_recap", {"text": "- Ben: 集合は10時"}))
ASKER = recorded.USER
BEN = "U" + "8" * 32
Arguments = dict[str, str | bool]
# It is 2025-11-21T13:40 in Tokyo.
NOW: Arguments = {"text": "まとめ", "at": "2025-11-21T13:40", "digest": "chat", "private": True}
DAILY: Arguments = {**NOW, "text": "昨日のまとめ", "at": "2025-11-22T08:00", "rule": "FREQ=DAILY"}


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as threads:
        yield threads


@pytest.fixture
def ann(pool: ThreadPoolExecutor) -> Person:
    return Person(PushedWorker(pool), is_in_group=True)


def asks(person: Person, *steps: Step, **arguments: str | bool) -> dict[str, Any]:
    call = calling(("create_reminder", arguments or NOW), ("reply", {"message": "個別に送ります"}))
    return person.asks("まとめて、私だけに", call, *steps)


def tells(person: Person, text: str, *thinks: Step) -> dict[str, Any]:
    """Deliver a message of Ben that is for nobody, sent at the present time."""
    event = person.events.text(text, by=BEN) | {"timestamp": person.worker.clock.now_ms()}
    return person.sends(event, *thinks)


def passes(person: Person, *thinks: Step, minutes: float = 1) -> None:
    """Time passes, and a tick comes; `thinks` are the steps of the model."""
    person.worker.clock.move(60 * minutes)
    person.worker.model.steps = list(thinks)
    assert person.worker.push(push.tick()) in {204, 503}


def pushed(person: Person) -> list[tuple[str, str]]:
    return [(to, text) for to, texts in person.worker.line.pushes for text in texts]


def reminders(person: Person) -> tuple[Reminder, ...]:
    return ReminderStore(person.worker.conversations.of(person.events.chat_id)).read_all()


def said_for(person: Person, event: dict[str, Any]) -> str:
    return "\n".join(person.worker.line.replies.get(event["replyToken"], ()))


def refused(person: Person) -> str:
    responses = person.worker.model.requests[-1].contents[-1]
    assert isinstance(responses, FunctionResponses)
    return str(responses.responses[0].response)


def stored_of(person: Person, user_id: str) -> str:
    """Return the bytes of every object of the person's 1:1 chat."""
    store = person.worker.store
    bodies = (store.read(one.name) for one in store.list("") if f"/{user_id}" in one.name)
    return "\n".join(body.data.decode() for body in bodies if body is not None)


@pytest.mark.parametrize(
    ("name", "heading"), [("温泉旅行", "「温泉旅行」から："), ("<温泉>\n\u202e旅行", "「温泉 旅行」から：")]
)
def test_a_private_summary_says_which_group_it_is_about(ann: Person, name: str, heading: str) -> None:
    ann.worker.profiles.names[ann.events.chat_id] = name
    tells(ann, "集合は10時にしよう")
    asks(ann)

    passes(ann, SUMS_UP)

    assert pushed(ann) == [(ASKER, f"{heading}\nまとめ\n\n- Ben: 集合は10時")]
    assert "温泉" not in stored_of(ann, ASKER)


def test_a_summary_for_one_member_goes_to_their_own_chat_within_a_minute(ann: Person) -> None:
    tells(ann, "集合は10時にしよう")
    asked = asks(ann)
    requests = len(ann.worker.model.requests)

    passes(ann, SUMS_UP)

    assert requests == 1
    assert pushed(ann) == [(ASKER, "まとめ\n\n- Ben: 集合は10時")]
    assert "頼んだ人との1対1のトークにだけ送ります" in said_for(ann, asked)
    assert "集合は10時にしよう" in ann.worker.prompt()
    assert "私だけに" not in ann.worker.prompt()


@pytest.mark.parametrize("is_asker", [True, False])
def test_it_begins_with_the_askers_own_joining(ann: Person, *, is_asker: bool) -> None:
    tells(ann, "集合は10時にしよう")
    ann.worker.clock.move(2)
    joined = {"members": [{"type": "user", "userId": ASKER if is_asker else "U" + "7" * 32}]}
    ann.sends(ann.events.event("memberJoined", joined=joined, timestamp=ann.worker.clock.now_ms()))
    ann.worker.clock.move(2)
    tells(ann, "駅前で")
    asks(ann)

    passes(ann, SUMS_UP)

    assert "駅前で" in ann.worker.prompt()
    assert ("集合は10時" in ann.worker.prompt()) is not is_asker


def test_two_members_who_ask_for_the_same_get_one_each(ann: Person) -> None:
    tells(ann, "集合は10時にしよう")
    asks(ann)
    call = calling(("create_reminder", NOW), ("reply", {"message": "個別に送ります"}))
    ann.asks("私にも", call, by=BEN)

    passes(ann, SUMS_UP, SUMS_UP)

    assert sorted(to for to, _ in pushed(ann)) == sorted((ASKER, BEN))


def test_a_summary_for_one_member_is_set_beside_one_for_all(ann: Person) -> None:
    for_all = {**DAILY, "private": False}
    ann.asks("毎朝8時に昨日のまとめ", calling(("create_reminder", for_all), ("reply", {"message": "はい"})))
    asks(ann, **DAILY)
    asks(ann, SAYS, **DAILY)

    assert [one.is_private for one in reminders(ann)].count(True) == 1
    assert len(reminders(ann)) == 2


def test_no_word_of_it_is_stored_in_the_1_1_chat_or_shown_there(ann: Person) -> None:
    tells(ann, "集合は10時にしよう")
    asks(ann)
    passes(ann, SUMS_UP)

    assert "集合" not in stored_of(ann, ASKER)
    assert '"sent_message_ids"' in stored_of(ann, ASKER)
    friend = Person(ann.worker, is_in_group=False)
    assert friend.events.chat_id == ASKER
    friend.asks("こんにちは", SAYS)
    assert "集合" not in ann.worker.prompt()
    assert "まとめ" not in ann.worker.prompt().rpartition("[note]")[2]


def test_the_group_is_told_nothing_of_the_words(ann: Person) -> None:
    tells(ann, "集合は10時にしよう")
    asks(ann)
    passes(ann, SUMS_UP)

    after = tells(ann, "おーい")

    assert said_for(ann, after) == ""
    assert [one.state for one in reminders(ann)] == [ReminderState.DONE]


def test_a_message_withdrawn_while_it_is_made_is_not_in_it(ann: Person) -> None:
    secret = tells(ann, "暗証番号は4711")
    tells(ann, "集合は10時")
    asks(ann)

    def withdraws(_: ModelRequest) -> ModelResponse:
        ann.worker.withdraw(ann.events.chat_id, secret["message"]["id"])
        return calling(("write_recap", {"text": "- 暗証番号は4711"}))

    passes(ann, withdraws)
    assert pushed(ann) == []
    passes(ann, SUMS_UP)

    assert [text for _, text in pushed(ann)] == ["まとめ\n\n- Ben: 集合は10時"]
    assert "4711" not in everything_in(ann.worker.store)


def test_one_every_morning_is_pushed_each_day_and_is_silent_when_nothing_was_said(ann: Person) -> None:
    asks(ann, **DAILY)
    tells(ann, "集合は10時")
    passes(ann, SUMS_UP, minutes=18.4 * 60)
    passes(ann, minutes=24 * 60)
    tells(ann, "雨だね")
    passes(ann, SUMS_UP, minutes=24 * 60)

    assert [to for to, _ in pushed(ann)] == [ASKER] * 2


def test_who_asked_once_is_told_that_nothing_was_said(ann: Person) -> None:
    asks(ann)

    passes(ann)

    assert pushed(ann) == [(ASKER, "まとめ：やり取りはありませんでした。")]


def test_who_has_left_gets_nothing_and_nothing_is_summed_up_again(ann: Person) -> None:
    tells(ann, "集合は10時")
    asks(ann, **DAILY)
    ann.worker.profiles.strangers.add(ASKER)
    requests = len(ann.worker.model.requests)

    passes(ann, minutes=18.4 * 60)

    assert pushed(ann) == []
    assert len(ann.worker.model.requests) == requests
    assert [one.state for one in reminders(ann)] == [ReminderState.CANCELLED]


def test_who_leaves_while_it_is_made_gets_nothing(ann: Person) -> None:
    tells(ann, "集合は10時")
    asks(ann)

    def leaves(_: ModelRequest) -> ModelResponse:
        ann.worker.profiles.strangers.add(ASKER)
        return SUMS_UP

    passes(ann, leaves)

    assert pushed(ann) == []


def test_nothing_is_pushed_while_line_does_not_say_who_is_a_member(ann: Person) -> None:
    tells(ann, "集合は10時")
    asks(ann)
    ann.worker.profiles.is_down = True
    passes(ann)
    assert pushed(ann) == []

    ann.worker.profiles.is_down = False
    passes(ann, SUMS_UP)

    assert len(pushed(ann)) == 1


def test_a_model_that_is_down_delays_it(ann: Person) -> None:
    tells(ann, "集合は10時")
    asks(ann)
    passes(ann, ModelUnavailableError("down"))
    assert pushed(ann) == []

    passes(ann, SUMS_UP)

    assert len(pushed(ann)) == 1


@pytest.mark.parametrize("may_be_pushed", [True, False])
def test_the_own_chat_says_that_nobody_knows_only_of_what_may_have_been_pushed(
    ann: Person, *, may_be_pushed: bool
) -> None:
    tells(ann, "集合は10時")
    asks(ann)
    ann.worker.line.fates = ["unknown", *["not_sent"] * 20]
    passes(ann, SUMS_UP if may_be_pushed else ModelUnavailableError("down"))
    ann.worker.line.fates = []

    passes(ann, ModelUnavailableError("down"), minutes=31)

    assert ('"kind":"unknown"' in stored_of(ann, ASKER)) is may_be_pushed
    assert [one.claim for one in reminders(ann)] == [None]


def test_the_own_chat_says_that_nobody_knows_of_a_push_whose_messages_were_withdrawn(ann: Person) -> None:
    spoken = tells(ann, "集合は10時")
    asks(ann, **DAILY)
    ann.worker.line.fates = ["unknown", *["not_sent"] * 20]
    passes(ann, SUMS_UP, minutes=18.4 * 60)
    ann.worker.line.fates = []
    ann.worker.withdraw(ann.events.chat_id, spoken["message"]["id"])

    passes(ann)

    assert len(pushed(ann)) == 1
    assert '"kind":"unknown"' in stored_of(ann, ASKER)
    assert [one.claim for one in reminders(ann)] == [None]


def test_the_own_chat_says_that_nobody_knows_of_a_push_that_no_tick_repeated_for_a_day(ann: Person) -> None:
    tells(ann, "集合は10時")
    asks(ann, **DAILY)
    ann.worker.line.fates = ["unknown", *["not_sent"] * 20]
    passes(ann, SUMS_UP, minutes=18.4 * 60)
    ann.worker.line.fates = []
    tells(ann, "集合は11時")

    passes(ann, SUMS_UP, minutes=24 * 60)

    assert len(pushed(ann)) == 2
    assert stored_of(ann, ASKER).count('"kind":"unknown"') == 1
    assert stored_of(ann, ASKER).count('"kind":"replied"') == 1


def test_the_group_hears_with_its_next_answer_that_it_could_not_be_sent(ann: Person) -> None:
    tells(ann, "集合は10時")
    asks(ann)
    passes(ann, unusable("", block_reason="PROHIBITED_CONTENT"))

    answered = ann.asks("元気？", SAYS)
    again = ann.asks("もしもし", SAYS)

    assert pushed(ann) == []
    assert "「まとめ」を個別に送れませんでした" in said_for(ann, answered)
    assert "個別に" not in said_for(ann, again)


@pytest.mark.parametrize("is_admitted", [True, False])
def test_who_has_no_admitted_chat_is_told_what_to_do(pool: ThreadPoolExecutor, is_admitted: bool) -> None:
    worker = PushedWorker(pool, access=Access.INVITED)
    person = Person(worker, is_in_group=True)
    admissions = Admissions(store=worker.store, clock=worker.clock)
    for chat in (person.events.chat_id, *([ASKER] if is_admitted else [])):
        admissions.admit(chat, since_ms=0)

    asks(person, *([] if is_admitted else [SAYS]))

    assert len(reminders(person)) == is_admitted
    assert is_admitted or "no 1:1 chat" in refused(person)


def test_where_two_people_are_answered_together_nothing_is_sent_to_either(ann: Person) -> None:
    ann.waits("まとめて、私だけに", by=ASKER)
    ann.asks("明日は雨？", calling(("create_reminder", NOW)), SAYS, by=BEN)

    assert reminders(ann) == ()
    assert "Several people write at once" in refused(ann)


def test_a_1_1_chat_gets_no_private_summary(pool: ThreadPoolExecutor) -> None:
    person = Person(PushedWorker(pool), is_in_group=False)

    asks(person, SAYS)

    assert "for groups" in refused(person)
    assert reminders(person) == ()
