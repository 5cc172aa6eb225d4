"""Summaries of a group on a schedule: due at their time, made and told with the first message after it that gets no answer."""

import datetime as dt
import json
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from shared.access.budgets import Limits
from shared.adapters.memory.scripted_model import Step, calling, unusable
from shared.agent.model import FunctionResponses, ModelRequest, ModelResponse
from shared.conversation.provenance import Provenance
from shared.conversation.records import OutcomeKind, OutcomeRecord, StagedWrite
from shared.errors import ModelUnavailableError
from shared.line.addressing import GroupPolicy
from shared.line.messaging import KEY_VALID_MS
from shared.reminders.apply import ReminderWriter
from shared.reminders.chat_summary import span_begin_ms
from shared.reminders.delivery import TRIES_MS
from shared.reminders.reminder import Reminder, ReminderKind
from shared.reminders.store import ReminderStore
from shared.storage.codec import decode, encode
from tests.support import push
from tests.support.chats import everything_in
from tests.support.people import Person
from tests.support.pushed import PushedWorker, nothing
from tests.support.turns import WorkerKilledError

SAYS = calling(("reply", {"message": "はい"}))
SILENT = calling(("skip", {"reason": "not for me"}))
SUMS_UP = calling(("write_recap", {"text": "- Ben: 集合は10時"}))
BEN = "U" + "8" * 32
HOUR_S = 3_600
# It is 2025-11-21T13:40 in Tokyo.
DAILY = {"text": "昨日のまとめ", "at": "2025-11-22T08:00", "rule": "FREQ=DAILY", "digest": "chat"}


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as threads:
        yield threads


@pytest.fixture
def ann(pool: ThreadPoolExecutor) -> Person:
    return Person(PushedWorker(pool), is_in_group=True)


def sets(person: Person, **arguments: str) -> dict[str, Any]:
    return person.asks("毎朝8時に昨日のまとめ", calling(("create_reminder", arguments or DAILY)), SAYS)


def tells(person: Person, text: str, *thinks: Step) -> dict[str, Any]:
    """Deliver a message of Ben that is for nobody, sent at the present time."""
    event = person.events.text(text, by=BEN) | {"timestamp": person.worker.clock.now_ms()}
    return person.sends(event, *thinks)


def passes(person: Person, *, hours: float) -> None:
    """Time passes, and a tick comes."""
    person.worker.clock.move(hours * HOUR_S)
    assert person.worker.push(push.tick()) == 204


def said_for(person: Person, event: dict[str, Any]) -> list[str]:
    return list(person.worker.line.replies.get(event["replyToken"], ()))


def summaries(person: Person) -> tuple[Reminder, ...]:
    return ReminderStore(person.worker.conversations.of(person.events.chat_id)).read_all()


def test_a_summary_is_told_with_the_first_message_after_its_time_and_never_pushed(ann: Person) -> None:
    asked = sets(ann)
    tells(ann, "集合は10時にしよう")
    passes(ann, hours=18.4)

    told = tells(ann, "おはよう", SUMS_UP)

    assert said_for(ann, told) == ["昨日のまとめ\n\n- Ben: 集合は10時"]
    assert not ann.worker.line.pushes
    assert "そのあと最初のメッセージのときに伝えます" in said_for(ann, asked)[0]
    prompt = ann.worker.prompt()
    assert "集合は10時にしよう" in prompt
    assert "おはよう" not in prompt


def test_a_summary_is_told_once_and_again_the_next_day(ann: Person) -> None:
    sets(ann)
    tells(ann, "集合は10時")
    passes(ann, hours=18.4)
    first = tells(ann, "おはよう", SUMS_UP)
    ann.worker.clock.move(60)

    ann.sends(first)
    again = tells(ann, "いい天気")
    passes(ann, hours=24)
    next_day = tells(ann, "おはよう", SUMS_UP)

    assert said_for(ann, again) == []
    assert len(said_for(ann, next_day)) == 1
    assert "いい天気" in ann.worker.prompt()
    assert "集合は10時にしよう" not in ann.worker.prompt()


def test_a_summary_of_nothing_passes_in_silence_without_a_request(ann: Person) -> None:
    sets(ann)
    passes(ann, hours=18.4)
    tells(ann, "おはよう", SUMS_UP)
    ann.worker.clock.move(60)
    passes(ann, hours=48)
    requests = len(ann.worker.model.requests)

    quiet = tells(ann, "久しぶり")

    assert said_for(ann, quiet) == []
    assert len(ann.worker.model.requests) == requests
    assert [one.kept_ms for one in summaries(ann)] == [None]


def test_a_message_withdrawn_before_the_summary_is_told_is_not_in_it(ann: Person) -> None:
    sets(ann)
    secret = tells(ann, "暗証番号は4711")
    tells(ann, "集合は10時")
    passes(ann, hours=18.4)
    ann.worker.withdraw(ann.events.chat_id, secret["message"]["id"])

    tells(ann, "おはよう", SUMS_UP)

    assert "4711" not in ann.worker.prompt()
    assert "集合は10時" in ann.worker.prompt()


def test_a_withdrawal_removes_the_words_of_a_told_summary(ann: Person) -> None:
    sets(ann)
    plan = tells(ann, "集合は10時にしよう")
    passes(ann, hours=18.4)
    told = tells(ann, "おはよう", calling(("write_recap", {"text": "- Ben: 集合は10時にしよう"})))

    ann.worker.withdraw(ann.events.chat_id, plan["message"]["id"])

    assert said_for(ann, told)
    assert "集合は10時" not in everything_in(ann.worker.store)


def test_a_model_that_is_down_has_the_summary_wait_for_a_later_message(ann: Person) -> None:
    sets(ann)
    tells(ann, "集合は10時")
    passes(ann, hours=18.4)

    failed = tells(ann, "おはよう", ModelUnavailableError("down"))
    too_soon = tells(ann, "おーい")
    ann.worker.clock.move(60)
    told = tells(ann, "もしもし", SUMS_UP)

    assert said_for(ann, failed) == said_for(ann, too_soon) == []
    assert len(said_for(ann, told)) == 1


@pytest.fixture
def read_along(pool: ThreadPoolExecutor) -> Person:
    """A chat whose every message the model reads, with a summary that is due."""
    person = Person(PushedWorker(pool, group_policy=GroupPolicy.MODEL), is_in_group=True)
    sets(person)
    person.worker.clock.move(60)
    tells(person, "集合は10時", SILENT)
    passes(person, hours=18.4)
    return person


def test_a_summary_comes_with_a_message_about_which_the_model_chose_silence(read_along: Person) -> None:
    told = tells(read_along, "おはよう", SILENT, SUMS_UP)
    read_along.worker.clock.move(60)
    again = tells(read_along, "もしもし", SILENT)

    assert said_for(read_along, told) == ["昨日のまとめ\n\n- Ben: 集合は10時"]
    assert said_for(read_along, again) == []


def test_no_summary_comes_with_a_message_that_the_model_answers(read_along: Person) -> None:
    answered = tells(read_along, "おはよう", SAYS)
    read_along.worker.clock.move(60)
    told = tells(read_along, "もしもし", SILENT, SUMS_UP)

    assert said_for(read_along, answered) == ["はい"]
    assert said_for(read_along, told) == ["昨日のまとめ\n\n- Ben: 集合は10時"]


def test_a_model_that_could_not_read_a_message_is_asked_for_no_summary_beside_it(read_along: Person) -> None:
    failed = tells(read_along, "おはよう", *[ModelUnavailableError("down")] * 3)
    requests = len(read_along.worker.model.requests)
    read_along.worker.clock.move(60)
    told = tells(read_along, "もしもし", SILENT, SUMS_UP)

    assert said_for(read_along, failed) == []
    assert len(read_along.worker.model.requests) == requests + 2
    assert len(said_for(read_along, told)) == 1


def test_a_summary_that_the_provider_refuses_is_given_up(ann: Person) -> None:
    sets(ann)
    tells(ann, "集合は10時")
    passes(ann, hours=18.4)

    refused = tells(ann, "おはよう", unusable("", block_reason="PROHIBITED_CONTENT"))
    ann.worker.clock.move(60)
    after = tells(ann, "もしもし")

    assert said_for(ann, refused) == said_for(ann, after) == []


@pytest.fixture
def spent(pool: ThreadPoolExecutor) -> Person:
    """A chat whose summary is due, and whose budget of the day is spent."""
    person = Person(PushedWorker(pool, limits=Limits(turns_per_chat_day=1)), is_in_group=True)
    sets(person, text="さっきまでのまとめ", at="2025-11-21T15:00", digest="chat")
    tells(person, "集合は10時")
    passes(person, hours=2)
    return person


def test_a_chat_whose_budget_is_spent_is_told_once_a_day_why_no_summary_comes(spent: Person) -> None:
    requests = len(spent.worker.model.requests)

    first = tells(spent, "おはよう", SUMS_UP)
    spent.worker.clock.move(60)
    again = [tells(spent, "もしもし", SUMS_UP), spent.sends(first)]

    assert said_for(spent, first) == [
        "今日使える分を使い切ったため、まとめはまだお届けできていません。続きは0時からです。"
    ]
    assert said_for(spent, again[0]) == []
    assert len(spent.worker.model.requests) == requests
    assert [one.kept_ms is not None for one in summaries(spent)] == [True]
    assert not spent.worker.line.pushes


def test_what_the_budget_forbade_comes_after_its_renewal(spent: Person) -> None:
    tells(spent, "おはよう")
    passes(spent, hours=9)

    told = tells(spent, "日が変わった", SUMS_UP)

    assert said_for(spent, told) == ["さっきまでのまとめ\n\n- Ben: 集合は10時"]


def test_that_the_budget_forbids_a_summary_is_said_in_the_chats_language(spent: Person) -> None:
    spent.sends(spent.events.text("/language th"))
    spent.worker.clock.move(60)
    assert said_for(spent, tells(spent, "สวัสดี")) == ["ยังไม่มีสรุป เพราะโควตาของวันนี้หมดแล้ว จะทำต่อหลังเที่ยงคืน"]


def test_a_chat_whose_budget_is_spent_hears_nothing_of_a_summary_of_nothing(pool: ThreadPoolExecutor) -> None:
    person = Person(PushedWorker(pool, limits=Limits(turns_per_chat_day=1)), is_in_group=True)
    sets(person, text="さっきまでのまとめ", at="2025-11-22T15:00", digest="chat")
    passes(person, hours=26)
    asked = person.events.text("@Aizuchi 元気？") | {"timestamp": person.worker.clock.now_ms()}
    person.sends(asked, SAYS)
    person.worker.clock.move(60)
    assert said_for(person, asked) == ["はい"]
    assert said_for(person, tells(person, "おはよう")) == []


def test_nothing_from_before_the_last_joining_is_summed_up(ann: Person) -> None:
    sets(ann)
    tells(ann, "ケンには内緒")
    joined = ann.events.event(
        "memberJoined",
        joined={"members": [{"type": "user", "userId": "U" + "7" * 32}]},
        timestamp=ann.worker.clock.now_ms() + 1_000,
    )
    ann.worker.clock.move(2)
    ann.sends(joined)
    tells(ann, "集合は10時")
    passes(ann, hours=18.4)

    tells(ann, "おはよう", SUMS_UP)

    assert "内緒" not in ann.worker.prompt()
    assert "集合は10時" in ann.worker.prompt()


def test_who_joins_while_a_summary_waits_reads_nothing_from_before(ann: Person) -> None:
    sets(ann)
    tells(ann, "ケンには内緒")
    passes(ann, hours=18.4)
    ann.worker.clock.move(60)
    joined = {"members": [{"type": "user", "userId": "U" + "7" * 32}]}
    ann.sends(ann.events.event("memberJoined", joined=joined, timestamp=ann.worker.clock.now_ms()))
    ann.worker.clock.move(60)

    first = tells(ann, "ようこそ")
    passes(ann, hours=24)
    next_day = tells(ann, "おはよう", SUMS_UP)

    assert said_for(ann, first) == []
    assert len(said_for(ann, next_day)) == 1
    assert "内緒" not in ann.worker.prompt()
    assert "ようこそ" in ann.worker.prompt()


def test_a_pause_keeps_a_summary_from_being_told(ann: Person) -> None:
    sets(ann)
    tells(ann, "集合は10時")
    passes(ann, hours=18.4)
    ann.confirms("/pause")

    assert said_for(ann, tells(ann, "おはよう")) == []


def test_a_one_to_one_chat_gets_no_summary(pool: ThreadPoolExecutor) -> None:
    person = Person(PushedWorker(pool), is_in_group=False)

    sets(person)

    responses = person.worker.model.requests[-1].contents[-1]
    assert isinstance(responses, FunctionResponses)
    assert "for groups" in str(responses.responses[0].response)
    assert summaries(person) == ()


@pytest.mark.parametrize(
    ("start", "rule", "occurrence", "begin"),
    [
        ("2025-11-20T08:00", "FREQ=DAILY", "2025-11-22T08:00", "2025-11-21T08:00"),
        ("2025-11-22T08:00", "FREQ=DAILY", "2025-11-22T08:00", "2025-11-21T08:00"),
        ("2025-11-22T08:00", "FREQ=WEEKLY;BYDAY=SA", "2025-11-22T08:00", "2025-11-15T08:00"),
        ("2025-11-17T08:00", "FREQ=WEEKLY;BYDAY=MO,FR", "2025-11-24T08:00", "2025-11-21T08:00"),
        ("2025-10-22T08:00", "FREQ=MONTHLY", "2025-11-22T08:00", "2025-11-15T08:00"),
        ("2025-11-22T08:00", None, "2025-11-22T08:00", "2025-11-21T08:00"),
    ],
)
def test_a_summary_begins_where_the_one_before_ended(start: str, rule: str | None, occurrence: str, begin: str) -> None:
    summary = Reminder(
        id="r0123456789", kind=ReminderKind.CHAT_SUMMARY, text="", start=start, zone="Asia/Tokyo", rule=rule
    )

    assert span_begin_ms(summary, _tokyo_ms(occurrence)) == _tokyo_ms(begin)


def _tokyo_ms(local: str) -> int:
    return round(dt.datetime.fromisoformat(f"{local}:00+09:00").timestamp() * 1_000)


PUSHED = {**DAILY, "push": True}


def pushed(person: Person) -> list[str]:
    return [text for _, texts in person.worker.line.pushes for text in texts]


def comes_due(person: Person, *thinks: Step) -> None:
    """It is past 8 the next day, and a tick comes; `thinks` are the steps of the model."""
    person.worker.clock.move(18.4 * HOUR_S)
    person.worker.model.steps = list(thinks)
    assert person.worker.push(push.tick()) == 204


def asks_for_pushes(person: Person) -> dict[str, Any]:
    person.worker.line.members[person.events.chat_id] = 5
    return person.asks("毎朝8時に昨日のまとめを送って", calling(("create_reminder", PUSHED)), SAYS)


def test_a_summary_is_pushed_if_its_maker_chose_so_and_its_cost_is_told(ann: Person) -> None:
    asked = asks_for_pushes(ann)
    tells(ann, "集合は10時")

    comes_due(ann, SUMS_UP)

    assert pushed(ann) == ["昨日のまとめ\n\n- Ben: 集合は10時"]
    assert "1回ごとに5通分" in said_for(ann, asked)[0]
    assert said_for(ann, tells(ann, "おはよう")) == []


@pytest.mark.parametrize("thinks", [SUMS_UP, unusable("no words")])
def test_what_a_pushed_summary_costs_is_charged_although_no_turn_follows(ann: Person, thinks: Step) -> None:
    asks_for_pushes(ann)
    tells(ann, "集合は10時")

    comes_due(ann, thinks)

    turn = ann.worker.conversations.of(ann.events.chat_id).turn.read().record
    assert turn.spending.day == "2025-11-22"
    assert turn.spending.tokens > 0


def test_a_pushed_summary_of_nothing_passes_in_silence(ann: Person) -> None:
    asks_for_pushes(ann)
    comes_due(ann, SUMS_UP)
    ann.worker.clock.move(60)
    requests = len(ann.worker.model.requests)

    ann.worker.clock.move(24 * HOUR_S)
    assert ann.worker.push(push.tick()) == 204

    assert len(ann.worker.model.requests) == requests


def test_a_message_withdrawn_while_a_summary_is_made_is_not_pushed(ann: Person) -> None:
    asks_for_pushes(ann)
    secret = tells(ann, "暗証番号は4711")
    tells(ann, "集合は10時")

    def withdraws(_: ModelRequest) -> ModelResponse:
        ann.worker.withdraw(ann.events.chat_id, secret["message"]["id"])
        return calling(("write_recap", {"text": "- 暗証番号は4711"}))

    comes_due(ann, withdraws)
    assert pushed(ann) == []
    ann.worker.clock.move(60)
    ann.worker.model.steps = [SUMS_UP]
    assert ann.worker.push(push.tick()) == 204

    assert pushed(ann) == ["昨日のまとめ\n\n- Ben: 集合は10時"]
    assert "4711" not in everything_in(ann.worker.store)


def test_a_model_that_is_down_delays_a_push_for_half_an_hour_at_most(ann: Person) -> None:
    asks_for_pushes(ann)
    tells(ann, "集合は10時")
    comes_due(ann, ModelUnavailableError("down"))
    assert [one.due_ms == one.claim.occurrence_ms for one in summaries(ann) if one.claim is not None] == [True]

    ann.worker.clock.move(HOUR_S)
    ann.worker.model.steps = [ModelUnavailableError("down")]
    assert ann.worker.push(push.tick()) == 204

    assert pushed(ann) == []
    assert [one.claim for one in summaries(ann)] == [None]
    assert len(said_for(ann, tells(ann, "もしもし", SUMS_UP))) == 1
    assert said_for(ann, tells(ann, "おーい")) == []


def test_a_withdrawal_removes_the_words_of_a_pushed_summary(ann: Person) -> None:
    asks_for_pushes(ann)
    plan = tells(ann, "集合は10時にしよう")
    comes_due(ann, calling(("write_recap", {"text": "- Ben: 集合は10時にしよう"})))
    assert len(pushed(ann)) == 1

    ann.worker.withdraw(ann.events.chat_id, plan["message"]["id"])

    assert "集合は10時" not in everything_in(ann.worker.store)


def test_a_push_whose_answer_was_lost_is_known_to_the_worker_that_repeats_it(ann: Person) -> None:
    asks_for_pushes(ann)
    tells(ann, "集合は10時")
    ann.worker.line.fates = ["unknown"]

    comes_due(ann, SUMS_UP)

    assert pushed(ann) == ["昨日のまとめ\n\n- Ben: 集合は10時"]
    assert "- Ben: 集合は10時" in everything_in(ann.worker.store)


def test_of_a_push_that_another_worker_made_history_knows_no_words(ann: Person) -> None:
    asks_for_pushes(ann)
    tells(ann, "集合は10時")
    ann.worker.line.fates = ["unknown", *["not_sent"] * 20]
    comes_due(ann, SUMS_UP)
    ann.worker.line.fates = []
    ann.worker.clock.move(60)
    ann.worker.model.steps = [calling(("write_recap", {"text": "- 別の言い方"}))]
    assert ann.worker.push(push.tick()) == 204

    assert pushed(ann) == ["昨日のまとめ\n\n- Ben: 集合は10時"]
    assert kinds_of_pushes(ann) == [OutcomeKind.REPLIED]
    assert "別の言い方" not in everything_in(ann.worker.store)
    assert [one.due_ms is not None and one.claim is None for one in summaries(ann)] == [True]


def kinds_of_pushes(person: Person) -> list[OutcomeKind]:
    """Return what history says of each pushed occurrence."""
    store = person.worker.store
    names = [one.name for one in store.list("journal/") if re.search(r"/r[0-9a-f]{10}-\d+\.outcome\.json$", one.name)]
    return [decode(OutcomeRecord, stored.data).kind for name in names if (stored := store.read(name)) is not None]


def is_down(person: Person) -> None:
    """The model is down until a push is not tried any more."""
    person.worker.clock.move(HOUR_S)
    person.worker.model.steps = [ModelUnavailableError("down")]
    assert person.worker.push(push.tick()) == 204


def is_refused_by_the_provider(person: Person) -> None:
    person.worker.clock.move(60)
    person.worker.model.steps = [unusable("", block_reason="PROHIBITED_CONTENT")]
    assert person.worker.push(push.tick()) == 204


def comes_too_late_for_its_key(person: Person) -> None:
    person.worker.clock.move(KEY_VALID_MS / 1_000 + 60)
    assert person.worker.push(push.tick()) == 204


@pytest.mark.parametrize("ends", [is_down, is_refused_by_the_provider, comes_too_late_for_its_key])
def test_a_given_up_summary_that_may_have_been_pushed_is_unknown_and_not_told(
    ann: Person, ends: Callable[[Person], None]
) -> None:
    asks_for_pushes(ann)
    tells(ann, "集合は10時")
    ann.worker.line.fates = ["unknown", *["not_sent"] * 20]
    comes_due(ann, SUMS_UP)
    ann.worker.line.fates = []

    ends(ann)

    assert pushed(ann) == ["昨日のまとめ\n\n- Ben: 集合は10時"]
    assert kinds_of_pushes(ann) == [OutcomeKind.UNKNOWN]
    assert [(one.claim, one.kept_ms) for one in summaries(ann)] == [(None, None)]
    assert said_for(ann, tells(ann, "おはよう", SUMS_UP)) == []


def die(_: ModelRequest) -> ModelResponse:
    raise WorkerKilledError


def test_a_summary_that_kills_its_workers_is_given_up_after_half_an_hour(ann: Person) -> None:
    asks_for_pushes(ann)
    tells(ann, "集合は10時")
    ann.worker.clock.move(18.4 * HOUR_S)
    for _ in range(2):
        ann.worker.model.steps = [die]
        with pytest.raises(WorkerKilledError):
            ann.worker.push(push.tick())
        ann.worker.clock.move(60)
    ann.worker.clock.move(TRIES_MS / 1_000)
    ann.worker.model.steps = [die]

    assert ann.worker.push(push.tick()) == 204
    assert len(said_for(ann, tells(ann, "おはよう", SUMS_UP))) == 1


CANNOT_BE_MADE = (
    "昨日のまとめ\n\nごめんなさい、今回のまとめは作れませんでした。知りたいことがあれば、直接聞いてください。"
)


def kills_at(person: Person, text: str) -> None:
    """A message for nobody comes a minute later, when a dead worker's lease has ended; the worker that makes the summary there dies."""
    person.worker.clock.move(60)
    with pytest.raises(WorkerKilledError):
        tells(person, text, die)


def is_due(person: Person) -> None:
    sets(person)
    tells(person, "集合は10時")
    passes(person, hours=18.4)


def test_a_waiting_summary_that_kills_three_workers_is_given_up_and_the_chat_is_told_once(ann: Person) -> None:
    is_due(ann)
    for text in ("おはよう", "もしもし", "おーい"):
        kills_at(ann, text)
    ann.worker.clock.move(60)

    told = tells(ann, "誰かいる？", die)
    ann.worker.clock.move(60)
    again = [tells(ann, "いい天気", die), ann.sends(told)]

    assert said_for(ann, told) == [CANNOT_BE_MADE]
    assert said_for(ann, again[0]) == []
    assert [one.kept_ms for one in summaries(ann)] == [None]


def test_a_question_is_answered_after_a_summary_that_killed_three_workers(ann: Person) -> None:
    is_due(ann)
    for text in ("おはよう", "もしもし", "おーい"):
        kills_at(ann, text)
    ann.worker.clock.move(40)

    asked = ann.events.text("@Aizuchi 元気？") | {"timestamp": ann.worker.clock.now_ms()}
    ann.sends(asked, SAYS)

    assert said_for(ann, asked)[0] == "はい"
    assert "集合は10時" in ann.worker.prompt()


def test_a_summary_that_was_given_up_comes_again_the_next_day(ann: Person) -> None:
    is_due(ann)
    for text in ("おはよう", "もしもし", "おーい"):
        kills_at(ann, text)
    ann.worker.clock.move(60)
    tells(ann, "誰かいる？")
    passes(ann, hours=24)

    assert said_for(ann, tells(ann, "おはよう", SUMS_UP)) == ["昨日のまとめ\n\n- Ben: 集合は10時"]


def test_workers_that_come_back_without_a_summary_are_no_reason_to_give_it_up(ann: Person) -> None:
    is_due(ann)
    for _ in range(4):
        ann.worker.clock.move(60)
        tells(ann, "おーい", ModelUnavailableError("down"))
    kills_at(ann, "おはよう")
    kills_at(ann, "もしもし")
    ann.worker.clock.move(60)

    assert said_for(ann, tells(ann, "いい天気", SUMS_UP)) == ["昨日のまとめ\n\n- Ben: 集合は10時"]


def test_a_summary_that_a_withdrawal_interrupts_is_no_reason_to_give_it_up(ann: Person) -> None:
    sets(ann)
    secrets = [tells(ann, f"暗証番号は471{digit}") for digit in range(4)]
    tells(ann, "集合は10時")
    passes(ann, hours=18.4)
    for secret in secrets:

        def withdraws(_: ModelRequest, spoken: dict[str, Any] = secret) -> ModelResponse:
            ann.worker.withdraw(ann.events.chat_id, spoken["message"]["id"])
            return SUMS_UP

        assert said_for(ann, tells(ann, "おーい", withdraws)) == []
        ann.worker.clock.move(60)

    assert said_for(ann, tells(ann, "いい天気", SUMS_UP)) == ["昨日のまとめ\n\n- Ben: 集合は10時"]


def test_a_change_of_its_words_does_not_have_a_summary_kill_more_workers(ann: Person) -> None:
    is_due(ann)
    for text in ("おはよう", "もしもし", "おーい"):
        kills_at(ann, text)
    (summary,) = summaries(ann)
    staged = replace(summary, text="今朝のまとめ", tries=None, revision=(99, 0))
    writer = ReminderWriter().begin(
        ann.worker.conversations.of(ann.events.chat_id),
        OutcomeRecord(webhook_event_id="e", timestamp_ms=0, kind=OutcomeKind.REPLIED, provenance=Provenance()),
    )
    writer.write(StagedWrite(path=f"reminders/{summary.id}", text=encode(staged).decode()), key=(99, 0))
    ann.worker.clock.move(60)

    assert said_for(ann, tells(ann, "誰かいる？", die)) == [CANNOT_BE_MADE.replace("昨日", "今朝")]


def test_a_summary_whose_messages_were_withdrawn_after_its_push_is_unknown(ann: Person) -> None:
    asks_for_pushes(ann)
    comes_due(ann, SUMS_UP)
    ann.worker.clock.move(60)
    spoken = tells(ann, "集合は10時")
    ann.worker.clock.move(24 * HOUR_S)
    ann.worker.line.fates = ["unknown", *["not_sent"] * 20]
    ann.worker.model.steps = [SUMS_UP]
    assert ann.worker.push(push.tick()) == 204
    ann.worker.line.fates = []
    ann.worker.withdraw(ann.events.chat_id, spoken["message"]["id"])
    ann.worker.clock.move(60)
    assert ann.worker.push(push.tick()) == 204

    assert len(pushed(ann)) == 2
    assert kinds_of_pushes(ann) == [OutcomeKind.REPLIED, OutcomeKind.UNKNOWN]
    assert [one.claim for one in summaries(ann)] == [None]


def test_a_push_refused_after_one_of_unknown_fate_leaves_the_summary_unknown(ann: Person) -> None:
    asks_for_pushes(ann)
    tells(ann, "集合は10時")
    ann.worker.line.fates = ["unknown, not sent"] * 20
    comes_due(ann, SUMS_UP)
    ann.worker.clock.move(60)
    ann.worker.line.fates = ["refused"]
    ann.worker.model.steps = [SUMS_UP]
    assert ann.worker.push(push.tick()) == 204

    assert kinds_of_pushes(ann) == [OutcomeKind.UNKNOWN]
    assert said_for(ann, tells(ann, "おはよう", SUMS_UP)) == []


def test_a_push_refused_at_its_first_try_leaves_the_summary_to_the_next_message(ann: Person) -> None:
    asks_for_pushes(ann)
    tells(ann, "集合は10時")
    ann.worker.line.fates = ["refused"]

    comes_due(ann, SUMS_UP)

    assert kinds_of_pushes(ann) == []
    assert len(said_for(ann, tells(ann, "おはよう", SUMS_UP))) == 1


def test_a_claim_of_an_earlier_release_may_have_reached_its_push(ann: Person) -> None:
    asks_for_pushes(ann)
    tells(ann, "集合は10時")
    comes_due(ann, ModelUnavailableError("down"))
    name = next(
        one.name for one in ann.worker.store.list("reminders/") if re.search(r"/r[0-9a-f]{10}\.json$", one.name)
    )
    stored = ann.worker.store.read(name)
    assert stored is not None
    record = json.loads(stored.data)
    assert record["claim"].pop("has_reached_push") is False
    ann.worker.store.replace(name, json.dumps(record).encode(), generation=stored.generation)

    is_down(ann)

    assert kinds_of_pushes(ann) == [OutcomeKind.UNKNOWN]
    assert said_for(ann, tells(ann, "おはよう", SUMS_UP)) == []


def test_a_summary_that_changes_right_before_its_push_is_made_anew(ann: Person) -> None:
    asks_for_pushes(ann)
    tells(ann, "集合は10時")
    store = ReminderStore(ann.worker.conversations.of(ann.events.chat_id))
    (summary,) = summaries(ann)

    def changes(call: str, name: str) -> None:
        if call == "replace" and name == store.name_of(summary.id) and len(ann.worker.model.requests) == requests + 1:
            ann.worker.store.before = nothing
            store.update(summary.id, lambda stored: stored and replace(stored, text="今朝のまとめ"))

    requests = len(ann.worker.model.requests)
    ann.worker.store.before = changes

    comes_due(ann, SUMS_UP)
    first = pushed(ann)
    ann.worker.clock.move(60)
    ann.worker.model.steps = [SUMS_UP]
    assert ann.worker.push(push.tick()) == 204

    assert first == []
    assert pushed(ann) == ["今朝のまとめ\n\n- Ben: 集合は10時"]
