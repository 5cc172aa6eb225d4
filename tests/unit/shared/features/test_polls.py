"""Polls in a group: a member asks, the others press, and the code counts and tells."""

import datetime as dt
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import pytest

from operations.conversations import exported
from operations.restoration import restore
from shared.adapters.memory import MemoryObjectStore
from shared.adapters.memory.scripted_model import Step, calling
from shared.agent.model import FunctionResponses
from shared.conversation.member_mark import mark_id
from shared.conversation.store import Conversation
from shared.errors import StorageUnavailableError
from shared.handlers.unsend import withdrawal_of
from shared.line.addressing import GroupPolicy
from shared.line.messaging import OutgoingMessage
from shared.line.phrases import Phrase, phrase
from shared.line.postback_data import ListedChoice, ListedReminderPress, VotePress
from shared.polls.poll import DELIVERED_WITHIN_MS, OPEN_LIMIT, LastStanding, Poll, Vote, counted, superseded
from shared.polls.store import PollStore
from shared.reminders.delivery import Reminding
from shared.reminders.store import ReminderStore
from tests.support import push, recorded
from tests.support.chats import conversations_on, everything_in
from tests.support.late_presses import presses_late
from tests.support.people import Person
from tests.support.phrases import japanese
from tests.support.pushed import PushedWorker, nothing
from tests.support.replies import card_of, sent
from tests.support.tainted_chat import TaintedChat

SAYS = calling(("reply", {"message": "どうぞ"}))
BEN, CHO = "U" + "8" * 32, "U" + "9" * 32
DINNER = {"question": "夕食は？", "options": ["カレー", "寿司"]}
SKIP: Final = ("skip", {"reason": "they can see it"})


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as threads:
        yield threads


def group(pool: ThreadPoolExecutor, **options: Any) -> Person:  # noqa: ANN401 - options of a worker
    worker = PushedWorker(pool, has_polls=True, **options)
    person = Person(worker, is_in_group=True)
    for user_id, name in ((recorded.USER, "Ann"), (BEN, "Ben"), (CHO, "Cho")):
        worker.profiles.names[user_id] = name
    person.asks("OK", SAYS, by=BEN)
    return person


@pytest.fixture
def ann(pool: ThreadPoolExecutor) -> Person:
    return group(pool)


def chat_of(person: Person) -> Conversation:
    return person.worker.conversations.of(person.events.chat_id)


def polls(person: Person) -> list[Poll]:
    return [one for one in PollStore(chat_of(person)).read_all() if not one.is_removed]


def polled(person: Person, **arguments: object) -> Poll:
    """Return the poll that Ann asks for."""
    person.asks("夕食は何がいい？投票で", calling(("create_poll", {**DINNER, **arguments})), SAYS)
    return polls(person)[-1]


def press(person: Person, poll: Poll, choice: int, *, by: str = recorded.USER, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """Deliver a press 21 s after whatever came before, so that its standing is told at once."""
    person.worker.clock.move(21)
    return person.presses(f"vote:{poll.id}:{choice}", by=by, **more)


def counts(person: Person, poll: Poll) -> dict[str, int]:
    """Return the votes of the options that have any, by option."""
    votes = counted(PollStore(chat_of(person)).votes(poll.id))
    return {
        option: count for number, option in enumerate(poll.options) if (count := sum(v.choice == number for v in votes))
    }


def newest(person: Person) -> OutgoingMessage:
    return list(person.worker.line.replied.values())[-1][-1]


def result(person: Person) -> dict[str, Any]:
    """Return the result of the only function before the answer."""
    responses = person.worker.model.requests[-1].contents[-1]
    assert isinstance(responses, FunctionResponses)
    response = responses.responses[0].response
    found = response.get("output", response)
    assert isinstance(found, dict)
    return found


def test_a_poll_is_a_card_with_a_button_for_each_option(ann: Person) -> None:
    poll = polled(ann)
    card = newest(ann).card
    assert card is not None
    buttons = [(row.text, button.shown, button.value) for row in card.rows for button in row.buttons]
    assert buttons == [("カレー", "カレー", f"vote:{poll.id}:0"), ("寿司", "寿司", f"vote:{poll.id}:1")]
    assert "✓ 投票：「夕食は？」" in list(ann.worker.line.replied.values())[-1][0].text
    assert newest(ann).text == "夕食は？\n・カレー: 0票\n・寿司: 0票\n・未回答：Ben、Ann"


def test_the_newest_press_of_each_member_counts_once(ann: Person) -> None:
    poll = polled(ann)
    press(ann, poll, 0)
    press(ann, poll, 1, by=BEN)
    press(ann, poll, 1)
    assert counts(ann, poll) == {"寿司": 2}
    assert newest(ann).text == "夕食は？\n・カレー: 0票\n・寿司: 2票 · Ben、Ann"


def test_a_redelivered_press_counts_once_and_is_told_once(ann: Person) -> None:
    poll = polled(ann)
    event = press(ann, poll, 0)
    told = len(ann.worker.said)
    ann.worker.deliver(event)
    assert counts(ann, poll) == {"カレー": 1}
    assert len(ann.worker.said) == told


def shown_before_it_is_written(
    person: Person, *, until_recorded: bool = False
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Show a poll whose worker fails to write it, or only to note in the turn that it did; return the question, and a press to deliver."""
    recorded_names: list[str] = []

    def fails(call: str, name: str) -> None:
        if call == "create" and name.endswith(".outcome.json"):
            recorded_names.append(name)
        is_due = bool(recorded_names) or not until_recorded
        if is_due and call == "replace" and name.startswith("turns/" if until_recorded else "polls/"):
            raise StorageUnavailableError("down")

    person.worker.store.before = fails
    question = person.events.text("@Aizuchi 夕食は何がいい？投票で")
    assert person.worker.deliver(question, thinks=(calling(("create_poll", DINNER)), SAYS)) >= 500
    person.worker.store.before = nothing
    card = newest(person).card
    assert card is not None
    return question, person.events.event("postback", by=BEN, postback={"data": card.rows[0].buttons[0].value})


@pytest.mark.parametrize("later_s", [0, 60])
def test_a_press_has_the_poll_written_that_was_shown_by_a_worker_that_died(ann: Person, later_s: int) -> None:
    _, early = shown_before_it_is_written(ann)
    ann.worker.clock.move(later_s)
    ann.sends(early)
    (poll,) = polls(ann)
    assert counts(ann, poll) == {"カレー": 1}
    assert newest(ann).text.startswith("夕食は？\n・カレー: 1票 · Ben")


def test_a_press_waits_for_a_worker_that_cannot_write(ann: Person) -> None:
    _, early = shown_before_it_is_written(ann, until_recorded=False)

    def fails(call: str, name: str) -> None:
        if call == "replace" and name.startswith("polls/"):
            raise StorageUnavailableError("down")

    ann.worker.store.before = fails
    assert ann.worker.deliver(early) >= 500
    ann.worker.store.before = nothing
    ann.worker.clock.move(60)
    ann.sends(early)
    assert counts(ann, polls(ann)[0]) == {"カレー": 1}


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        (
            LastStanding(by="ben", at_ms=3, waiting=(), turn=1),
            LastStanding(by="ben", at_ms=3, waiting=("cho",), turn=2),
        ),
        (LastStanding(by="ben", waiting=(), turn=3), LastStanding(by="ben", waiting=(), turn=3)),
        (LastStanding(by="ann", at_ms=3), LastStanding(by="ann", waiting=("cho",), turn=2, is_sent=True)),
        (LastStanding(by="ann", waiting=(), turn=3), LastStanding(by="ann", waiting=(), turn=3, is_sent=True)),
    ],
    ids=["newer claim", "told later", "own claim", "own claim, told later"],
)
def test_who_was_told_to_wait_is_what_the_last_turn_told(stored: LastStanding, expected: LastStanding) -> None:
    sent = LastStanding(by="ann", waiting=("cho",), turn=2, is_sent=True)
    assert stored.with_told(sent) == expected
    assert expected.with_told(sent) == expected


def test_a_press_that_waits_to_tell_is_told_that_the_poll_was_taken_back(ann: Person) -> None:
    asked = ann.asks("夕食は何がいい？", calling(("create_poll", DINNER)), SAYS)
    poll = polls(ann)[0]
    press(ann, poll, 0)

    def withdraws(_: str, name: str) -> None:
        if name.startswith(f"polls/{ann.events.chat_id}/standings/"):
            ann.worker.store.before = nothing
            ann.worker.withdraw(ann.events.chat_id, asked["message"]["id"])

    ann.worker.store.before = withdraws
    ann.presses(f"vote:{poll.id}:1", by=BEN)
    assert "その投票はもうありません" in ann.worker.said[-1]


@pytest.mark.parametrize("until_recorded", [False, True])
def test_a_press_is_told_once_that_the_poll_is_gone_that_was_taken_back(ann: Person, *, until_recorded: bool) -> None:
    question, early = shown_before_it_is_written(ann, until_recorded=until_recorded)
    ann.worker.clock.move(60)
    at_ms = question["timestamp"] + 1_000
    withdrawal_of(ann.worker.clock).edit(
        chat_of(ann), question["message"]["id"], text="やっぱり何でもない", timestamp_ms=at_ms
    )
    ann.sends(early)
    ann.sends(early)
    told = [text for text in ann.worker.said if "その投票はもうありません" in text]
    assert len(told) == 1
    assert polls(ann) == []


def test_an_older_press_that_comes_late_does_not_count(ann: Person) -> None:
    poll = polled(ann)
    late = ann.events.event("postback", by=BEN, postback={"data": f"vote:{poll.id}:0"})
    press(ann, poll, 1, by=BEN)
    ann.sends(late)
    assert counts(ann, poll) == {"寿司": 1}


def test_presses_within_20_s_are_told_once_that_time_has_passed(ann: Person) -> None:
    poll = polled(ann)
    press(ann, poll, 0)
    told_ms = ann.worker.clock.now_ms()
    ann.presses(f"vote:{poll.id}:1", by=BEN)
    assert ann.worker.clock.now_ms() - told_ms >= 20_000
    assert newest(ann).text.endswith("・カレー: 1票 · Ann\n・寿司: 1票 · Ben")


def test_a_press_is_left_to_a_newer_press(ann: Person) -> None:
    poll = polled(ann)
    press(ann, poll, 0)
    store = PollStore(chat_of(ann))
    newer = Vote(poll_id=poll.id, sent_ms=2**42, choice=1, member="member-" + "c" * 32, id="newer")
    store.record(newer, name="Cho")
    told = len(ann.worker.said)
    ann.presses(f"vote:{poll.id}:1", by=BEN)
    assert len(ann.worker.said) == told
    assert counts(ann, poll) == {"カレー": 1, "寿司": 2}


def test_a_press_whose_token_has_died_counts_and_the_next_answer_says_so_once(ann: Person) -> None:
    poll = polled(ann)

    presses_late(ann, VotePress(poll_id=poll.id, choice=1).data)

    assert counts(ann, poll) == {"寿司": 1}
    told = [ann.worker.outcome(ann.asks("hi", SAYS))["text"] for _ in range(2)]
    assert [text.count(japanese(Phrase.POLL_PRESS_LATE)) for text in told] == [1, 0]


def test_members_who_have_not_answered_are_named_and_the_others_counted(ann: Person) -> None:
    ann.worker.line.members[recorded.GROUP] = 5
    poll = polled(ann)
    press(ann, poll, 0)
    assert newest(ann).text.endswith("・未回答：Ben、+3")


def test_a_press_after_the_closing_shows_the_result_and_changes_nothing(ann: Person) -> None:
    poll = polled(ann)
    press(ann, poll, 0)
    ann.asks("締め切って", calling(("close_poll", {})), SAYS)
    press(ann, poll, 1, timestamp=polls(ann)[0].closes_ms)
    assert counts(ann, poll) == {"カレー": 1}
    assert newest(ann).text == "締め切りました：夕食は？\n・カレー: 1票 · Ann\n・寿司: 0票"
    card = newest(ann).card
    assert card is not None
    assert not any(row.buttons for row in card.rows)


def test_a_press_between_the_closing_and_its_write_does_not_count(ann: Person) -> None:
    poll = polled(ann)
    press(ann, poll, 0)
    sent_ms = ann.worker.clock.now_ms() + 120_000
    between = Vote(poll_id=poll.id, sent_ms=sent_ms, choice=1, member=mark_id(BEN), id="event-between")
    PollStore(chat_of(ann)).record(between, name="Ben")
    ann.asks("締め切って", calling(("close_poll", {})), SAYS)
    assert newest(ann).text == "締め切りました：夕食は？\n・カレー: 1票 · Ann\n・寿司: 0票"
    press(ann, poll, 1, by=CHO, timestamp=polls(ann)[0].closes_ms)
    assert newest(ann).text == "締め切りました：夕食は？\n・カレー: 1票 · Ann\n・寿司: 0票"


def test_a_vote_in_words_counts_like_a_press_and_goes_with_its_message(ann: Person) -> None:
    poll = polled(ann)
    said = ann.asks("私は寿司", calling(("vote", {"option": "寿司"})), SAYS, by=BEN)
    assert counts(ann, poll) == {"寿司": 1}
    assert newest(ann).text.startswith("夕食は？\n・カレー: 0票\n・寿司: 1票 · Ben")
    ann.worker.withdraw(ann.events.chat_id, said["message"]["id"])
    assert counts(ann, poll) == {}


def test_an_undo_takes_back_a_vote_in_words_and_then_the_poll(ann: Person) -> None:
    poll = polled(ann)
    ann.asks("私は寿司", calling(("vote", {"option": "寿司"})), SAYS)
    ann.asks("取り消して", calling(("undo_last_change", {})), SAYS)
    assert counts(ann, poll) == {}
    assert polls(ann) == [poll]


@pytest.mark.parametrize("others", [(), ("昼食は？",)])
def test_an_undo_in_the_turn_of_a_poll_takes_back_its_closing_and_its_card(
    pool: ThreadPoolExecutor, others: tuple[str, ...]
) -> None:
    ann = group(pool, reminding=Reminding.PUSH)
    closing = {"closes": "2025-11-21T18:00"}
    makes = [calling(("create_poll", {**DINNER, "question": one, **closing})) for one in (*others, "夕食は？")]
    ann.asks("投票で。いや、取り消して", *makes, calling(("undo_last_change", {})), SAYS)
    assert tuple(one.question for one in polls(ann)) == others
    assert len(ReminderStore(chat_of(ann)).read_all()) == len(others)
    assert "夕食は？" not in ann.worker.said[-1]
    assert newest(ann).text.startswith((*others, "どうぞ")[0])


def test_a_poll_that_is_one_too_many_leaves_no_closing(pool: ThreadPoolExecutor) -> None:
    ann = group(pool, reminding=Reminding.REPLY)
    for _ in range(OPEN_LIMIT):
        polled(ann)
    polled(ann, closes="2025-11-21T18:00")
    assert len(polls(ann)) == OPEN_LIMIT
    assert ReminderStore(chat_of(ann)).read_all() == ()


def test_an_undo_in_the_turn_of_a_vote_takes_back_its_card(ann: Person) -> None:
    poll = polled(ann)
    ann.asks("私は寿司。やっぱりなし", calling(("vote", {"option": "寿司"})), calling(("undo_last_change", {})), SAYS)
    assert counts(ann, poll) == {}
    assert newest(ann).text == "どうぞ"


def test_a_standing_that_its_turn_votes_on_afterwards_is_not_told(ann: Person) -> None:
    polled(ann)
    ann.asks("どうなってる？ 私は寿司", calling(("show_polls", {})), calling(("vote", {"option": "寿司"})), SAYS)
    assert "寿司: 0票" not in "\n".join(ann.worker.said[-2:])
    assert "寿司: 1票 · Ann" in newest(ann).text


def test_of_two_votes_in_one_turn_the_last_counts_and_is_told(ann: Person) -> None:
    poll = polled(ann)
    sushi, curry = (calling(("vote", {"option": option})) for option in ("寿司", "カレー"))
    ann.asks("寿司、やっぱりカレー", sushi, curry, SAYS)
    assert counts(ann, poll) == {"カレー": 1}
    assert len(PollStore(chat_of(ann)).votes(poll.id)) == 1
    assert newest(ann).text.startswith("夕食は？\n・カレー: 1票 · Ann\n・寿司: 0票")


def test_a_vote_counts_in_the_poll_that_has_the_option(ann: Person) -> None:
    dinner = polled(ann)
    lunch = polled(ann, question="昼食は？", options=["そば", "丼"])

    ann.asks("私は寿司", calling(("vote", {"option": "寿司"})), SAYS)
    ann.asks("昼は丼", calling(("vote", {"option": "丼"})), SAYS)

    assert (counts(ann, dinner), counts(ann, lunch)) == ({"寿司": 1}, {"丼": 1})


def test_a_vote_for_an_option_of_several_polls_counts_in_the_newest(ann: Person) -> None:
    friday, saturday = (polled(ann, question=question, options=["行く", "休む"]) for question in ("金曜？", "土曜？"))

    ann.asks("行く", calling(("vote", {"option": "行く"})), SAYS)

    assert (counts(ann, friday), counts(ann, saturday)) == ({}, {"行く": 1})


def test_a_vote_that_no_open_poll_has_is_told_all_options(ann: Person) -> None:
    polled(ann)
    polled(ann, question="昼食は？", options=["そば", "丼"])

    ann.asks("ピザ", calling(("vote", {"option": "ピザ"})), SAYS)

    assert "夕食は？: カレー, 寿司; 昼食は？: そば, 丼" in str(result(ann))


def test_of_several_open_polls_the_one_that_is_meant_is_closed(ann: Person) -> None:
    dinner = polled(ann)
    meeting = met(ann)

    ann.asks("締め切って", calling(("close_poll", {})), SAYS)
    assert f"{dinner.id} (夕食は？), {meeting.id} (飲み会)" in str(result(ann))
    assert [one.closes_ms for one in polls(ann)] == [None, meeting.starts_ms]

    ann.asks("夕食の方", calling(("close_poll", {"id": dinner.id})), SAYS)
    assert [one.is_closed(ann.worker.clock.now_ms()) for one in polls(ann)] == [True, False]


def test_what_was_chosen_is_shown_after_the_closing_too(ann: Person) -> None:
    poll = polled(ann)
    press(ann, poll, 1)
    ann.asks("締め切って", calling(("close_poll", {})), SAYS)
    ann.worker.clock.move(30)

    ann.asks("結果は？", calling(("show_polls", {})), SAYS)

    assert [(one["id"], one["votes"]) for one in result(ann)["polls"]] == [(poll.id, [0, 1])]
    assert newest(ann).text.startswith("締め切りました：夕食は？\n・カレー: 0票\n・寿司: 1票 · Ann")


def test_an_undo_of_a_poll_takes_its_votes_along(ann: Person) -> None:
    poll = polled(ann)
    press(ann, poll, 0)
    ann.asks("取り消して", calling(("undo_last_change", {})), SAYS)
    assert polls(ann) == []
    assert PollStore(chat_of(ann)).votes(poll.id) == ()
    press(ann, poll, 0, by=BEN)
    assert "その投票はもうありません" in ann.worker.said[-1]
    assert PollStore(chat_of(ann)).votes(poll.id) == ()


def test_an_undo_whose_worker_died_beside_the_votes_takes_them_along_at_last(ann: Person) -> None:
    poll = polled(ann)
    press(ann, poll, 0)

    removals: list[str] = []

    def fails(call: str, name: str) -> None:
        if call == "replace" and name.startswith("polls/"):
            removals.append(name)
        if call == "list" and "/votes/" in name and removals:
            raise StorageUnavailableError("down")

    ann.worker.store.before = fails
    undo = ann.events.text("@Aizuchi 取り消して")
    assert ann.worker.deliver(undo, thinks=(calling(("undo_last_change", {})), SAYS)) >= 500
    ann.worker.store.before = nothing
    ann.worker.clock.move(60)
    assert ann.worker.deliver(undo) == 204
    assert PollStore(chat_of(ann)).votes(poll.id) == ()


def test_an_unsend_takes_the_poll_and_its_votes_along(ann: Person) -> None:
    ann.asks("OK", SAYS)
    asked = ann.asks("夕食は何がいい？", calling(("create_poll", DINNER)), SAYS)
    poll = polls(ann)[0]
    press(ann, poll, 0, by=BEN)
    ann.worker.withdraw(ann.events.chat_id, asked["message"]["id"])
    assert not list(ann.worker.store.list("polls/"))
    assert "カレー" not in everything_in(ann.worker.store)
    press(ann, poll, 0, by=BEN)
    assert "その投票はもうありません" in ann.worker.said[-1]


def test_forget_me_takes_the_members_votes_and_leaves_those_of_others(ann: Person) -> None:
    poll = polled(ann)
    press(ann, poll, 0, by=BEN)
    press(ann, poll, 1, by=CHO)
    ann.sends(ann.events.text("/forget me", by=BEN))
    assert counts(ann, poll) == {"寿司": 1}


def test_forget_takes_everything_of_polls(ann: Person) -> None:
    poll = polled(ann)
    press(ann, poll, 0, by=BEN)
    ann.confirms("/forget")
    assert not list(ann.worker.store.list("polls/"))


def test_a_lost_chat_comes_back_with_its_polls_and_votes(ann: Person) -> None:
    poll = polled(ann)
    press(ann, poll, 0, by=BEN)
    chat, empty = chat_of(ann), MemoryObjectStore()
    restore(empty, list(exported(ann.worker.store, chat.id)), clock=ann.worker.clock)
    restored = PollStore(conversations_on(empty, chat.objects.reads, ann.worker.clock).of(chat.id))
    votes = restored.votes(poll.id)
    assert restored.read_all() == (poll,)
    assert [(vote.choice, restored.names_of(votes)[vote.member]) for vote in votes] == [(0, "Ben")]


def test_a_former_member_cannot_vote(ann: Person) -> None:
    poll = polled(ann)
    ann.worker.profiles.strangers.add(CHO)
    press(ann, poll, 0, by=CHO)
    assert counts(ann, poll) == {}


UNNAMED = {"type": "group", "groupId": recorded.GROUP}
"""The source of an event of a person whom LINE does not name."""


def writes_unnamed(person: Person, text: str, **vote: object) -> dict[str, Any]:
    """Have a person whom LINE does not name write, and the model vote; return the message."""
    message = {**person.events.text(f"@Aizuchi {text}"), "source": UNNAMED}
    return person.sends(message, calling(("vote", vote)), SAYS)


def test_a_press_without_a_user_id_is_answered_with_what_to_write(ann: Person) -> None:
    poll = polled(ann)
    press(ann, poll, 1, source=UNNAMED)
    assert counts(ann, poll) == {}
    assert ann.worker.said[-1].endswith("\nAizuchi、「夕食は？」は「寿司」で（お名前）")


@pytest.mark.parametrize("locale", ["en", "th", "zh-TW"])
def test_what_to_write_is_said_in_the_language_of_the_poll(pool: ThreadPoolExecutor, locale: str) -> None:
    ann = group(pool, locale=locale)
    ann.asks("12345", calling(("create_poll", {"question": "7?", "options": ["1", "2"]})), SAYS)
    press(ann, polls(ann)[0], 1, source=UNNAMED)
    text = phrase(Phrase.POLL_PRESS_UNNAMED, locale=locale, bot_name="Aizuchi", question="7?", option="2")
    assert ann.worker.said[-1] == text


def test_what_an_unnamed_person_is_told_to_write_counts(ann: Person) -> None:
    poll = polled(ann)
    writes_unnamed(ann, "「夕食は？」は寿司で（ダン）", option="寿司", name="ダン")
    assert counts(ann, poll) == {"寿司": 1}
    assert "✓ あなたの選択：「寿司」（夕食は？、ダン）" in list(ann.worker.line.replied.values())[-1][0].text
    assert newest(ann).text.endswith("・寿司: 1票 · ダン\n・未回答：Ben、Ann")


def test_the_newest_vote_of_a_written_name_counts_once(ann: Person) -> None:
    poll = polled(ann)
    writes_unnamed(ann, "寿司（Dan）", option="寿司", name="Dan")
    writes_unnamed(ann, "カレー（danさん）", option="カレー", name="danさん")
    writes_unnamed(ann, "カレー（Eve）", option="カレー", name="Eve")
    assert counts(ann, poll) == {"カレー": 2}


def test_a_vote_under_a_written_name_goes_with_its_message_and_by_an_undo(ann: Person) -> None:
    poll = polled(ann)
    said = writes_unnamed(ann, "寿司（Dan）", option="寿司", name="Dan")
    ann.worker.withdraw(ann.events.chat_id, said["message"]["id"])
    assert counts(ann, poll) == {}
    assert "Dan" not in everything_in(ann.worker.store)
    writes_unnamed(ann, "寿司（Dan）", option="寿司", name="Dan")
    undo = {**ann.events.text("@Aizuchi 取り消して"), "source": UNNAMED}
    ann.sends(undo, calling(("undo_last_change", {})), SAYS)
    assert counts(ann, poll) == {}


@pytest.mark.parametrize(
    ("vote", "told"),
    [
        ({"option": "寿司"}, "write again with a name"),
        ({"option": "寿司", "name": "  "}, "write again with a name"),
        ({"option": "寿司", "name": "ben さん"}, "ben さん is a member"),
    ],
)
def test_nobody_votes_in_the_name_of_a_member_or_of_nobody(ann: Person, vote: dict[str, object], told: str) -> None:
    poll = polled(ann)
    writes_unnamed(ann, "寿司", **vote)
    assert counts(ann, poll) == {}
    assert told in str(result(ann))


def test_what_was_told_of_votes_goes_with_the_messages_and_the_members_behind_them(ann: Person) -> None:
    poll = polled(ann)
    said = writes_unnamed(ann, "寿司（Dan）", option="寿司", name="Dan")
    press(ann, poll, 0, by=BEN)
    assert {"Dan", "Ben"} <= set(newest(ann).text.replace("、", " ").split())
    ann.asks("投票はどう？", calling(("show_polls", {})), SAYS)
    assert "Dan" in newest(ann).text

    ann.worker.withdraw(ann.events.chat_id, said["message"]["id"])
    assert "Dan" not in everything_in(ann.worker.store)

    press(ann, poll, 1, by=CHO)
    ann.sends(ann.events.text("/forget me", by=BEN))
    told = [one.text or "" for one in chat_of(ann).journal.read_outcomes()]
    assert not any("カレー: 1票 · Ben" in text for text in told)
    assert not any("Ben" in text for text in told if "夕食は？" in text and "未回答" not in text)


def test_the_result_of_a_poll_goes_with_the_message_behind_a_vote(ann: Person) -> None:
    polled(ann, closes="2025-11-21T20:00")
    said = writes_unnamed(ann, "寿司（Dan）", option="寿司", name="Dan")
    ann.worker.clock.move(24 * 3_600)
    assert ann.worker.push(push.tick()) == 204
    ann.sends(ann.events.text("ふーん"))
    assert "Dan" in ann.worker.said[-1]

    ann.worker.withdraw(ann.events.chat_id, said["message"]["id"])

    assert "Dan" not in everything_in(ann.worker.store)


def test_written_names_are_no_more_than_the_members(ann: Person) -> None:
    ann.worker.line.members[recorded.GROUP] = 3
    poll = polled(ann)
    press(ann, poll, 0, by=BEN)
    for name in ("Dan", "Eve", "Fay"):
        writes_unnamed(ann, f"寿司（{name}）", option="寿司", name=name)
    assert counts(ann, poll) == {"カレー": 1, "寿司": 2}
    assert "this group has 3 members, and as many have voted" in str(result(ann))

    writes_unnamed(ann, "カレー（Dan）", option="カレー", name="Dan")
    press(ann, poll, 1, by=CHO)
    assert counts(ann, poll) == {"カレー": 2, "寿司": 2}


def test_a_member_votes_for_nobody_else(ann: Person) -> None:
    poll = polled(ann)
    ann.asks("ダンも寿司だって", calling(("vote", {"option": "寿司", "name": "ダン"})), SAYS)
    assert counts(ann, poll) == {}
    ann.asks("Annは寿司", calling(("vote", {"option": "寿司", "name": "Ann"})), SAYS)
    assert counts(ann, poll) == {"寿司": 1}
    assert newest(ann).text.startswith("夕食は？\n・カレー: 0票\n・寿司: 1票 · Ann")


def votes_together(ann: Person, *votes: dict[str, str], of_ann: str, of_ben: str) -> None:
    """Ann and Ben write, and one turn answers both."""
    ann.waits(of_ann, by=recorded.USER)
    ann.asks(of_ben, calling(*(("vote", vote) for vote in votes)), SAYS, by=BEN)


def test_of_two_members_who_are_answered_together_each_votes_for_themselves(ann: Person) -> None:
    poll = polled(ann)
    votes_together(ann, {"option": "寿司"}, {"option": "カレー"}, of_ann="私は寿司", of_ben="カレーがいい")
    assert newest(ann).text.startswith("夕食は？\n・カレー: 1票 · Ben\n・寿司: 1票 · Ann")
    assert counts(ann, poll) == {"寿司": 1, "カレー": 1}


def test_of_two_members_who_are_answered_together_the_model_names_who_votes(ann: Person) -> None:
    poll = polled(ann)
    votes_together(ann, {"option": "寿司"}, of_ann="寿司！", of_ben="私も寿司")
    assert counts(ann, poll) == {}

    named = [{"option": "寿司", "name": name} for name in ("Ann", "Ben")]
    votes_together(ann, *named, of_ann="寿司！", of_ben="私も寿司")
    assert newest(ann).text.startswith("夕食は？\n・カレー: 0票\n・寿司: 2票 · Ann、Ben")


def test_a_press_in_another_chat_finds_nothing(ann: Person) -> None:
    poll = polled(ann)
    other = Person(ann.worker, is_in_group=False)
    other.events.skip(500)
    other.presses(f"vote:{poll.id}:0")
    assert "その投票はもうありません" in ann.worker.said[-1]
    assert counts(ann, poll) == {}


def test_no_poll_is_made_in_a_1_to_1_chat(pool: ThreadPoolExecutor) -> None:
    person = Person(PushedWorker(pool, has_polls=True), is_in_group=False)
    person.asks("投票", calling(("create_poll", DINNER)), SAYS)
    assert polls(person) == []
    assert "for groups" in str(result(person))


def test_what_is_read_from_outside_is_asked_only_by_a_tap_that_shows_all(pool: ThreadPoolExecutor) -> None:
    chat = TaintedChat(pool, is_in_group=True, has_polls=True)
    asked = chat.asks(calling(("create_poll", DINNER)), text="このページの案で投票")
    assert polls(chat.person) == []
    told = chat.sent_for(asked)
    assert "☐ 投票：「夕食は？」" in told
    assert "選択肢: カレー、寿司" in told
    chat.press()
    assert [one.options for one in polls(chat.person)] == [("カレー", "寿司")]


def sends_now(person: Person, event: dict[str, Any], *thinks: Step) -> None:
    """Deliver the event at the time of the worker's clock."""
    published = dt.datetime.fromtimestamp(person.worker.clock.now_ms() / 1_000, dt.UTC).isoformat()
    assert person.worker.deliver(event, thinks=thinks, published=published) == 204


def says_later(person: Person) -> None:
    """Have Ann say something at the time of the worker's clock, and the bot answer."""
    event = {**person.events.text("@Aizuchi hi"), "timestamp": person.worker.clock.now_ms()}
    sends_now(person, event, SAYS)


def at_closing(
    pool: ThreadPoolExecutor, *, policy: GroupPolicy = GroupPolicy.MENTION, **arguments: object
) -> tuple[Person, Poll]:
    """Return Ann and her poll, of which Ben chose the first option and which closed a minute ago."""
    ann = group(pool, reminding=Reminding.PUSH, group_policy=policy)
    ann.worker.line.members[recorded.GROUP] = 3
    poll = polled(ann, closes="2025-11-21T18:00", **arguments)
    press(ann, poll, 0, by=BEN)
    assert poll.closes_ms is not None
    ann.worker.clock.move((poll.closes_ms - ann.worker.clock.now_ms()) / 1_000 + 60)
    assert ann.worker.push(push.tick()) == 204
    return ann, poll


def test_the_result_comes_with_the_next_answer_after_the_closing(pool: ThreadPoolExecutor) -> None:
    ann, _ = at_closing(pool)
    assert not ann.worker.line.pushed
    says_later(ann)
    assert "締め切りました：夕食は？\n・カレー: 1票 · Ben\n・寿司: 0票" in ann.worker.said[-1]


def test_the_result_comes_with_the_next_message_once_although_nobody_asks(pool: ThreadPoolExecutor) -> None:
    ann, _ = at_closing(pool)
    ann.worker.clock.move(60)
    for _ in range(2):
        sends_now(ann, {**ann.events.text("そろそろ行こう", by=BEN), "timestamp": ann.worker.clock.now_ms()})
        ann.worker.clock.move(60)
    told = [text for text in ann.worker.said if "締め切りました：夕食は？" in text]
    assert told == [told[0]]
    assert told[0].endswith("締め切りました：夕食は？\n・カレー: 1票 · Ben\n・寿司: 0票")
    says_later(ann)
    assert newest(ann).text == "どうぞ"


def others_say_something(person: Person, *thinks: Step) -> str:
    """Have Ben say something to the others, a minute later; return what the bot tells on the message's token."""
    person.worker.clock.move(60)
    message = {**person.events.text("そろそろ行こう", by=BEN), "timestamp": person.worker.clock.now_ms()}
    sends_now(person, message, *thinks)
    return "\n\n".join(person.worker.line.replies.get(message["replyToken"], ()))


def all_close(pool: ThreadPoolExecutor, *questions: str, options: Sequence[str] = ("はい", "いいえ")) -> Person:
    """Return Ann, whose polls closed at the same time, a minute ago."""
    ann = group(pool, reminding=Reminding.PUSH)
    for question in questions:
        ann.worker.clock.move(21)
        polled(ann, question=question, options=list(options), closes="2025-11-21T18:00")
    closes_ms = polls(ann)[0].closes_ms
    assert closes_ms is not None
    ann.worker.clock.move((closes_ms - ann.worker.clock.now_ms()) / 1_000 + 60)
    assert ann.worker.push(push.tick()) == 204
    return ann


def test_results_of_polls_that_closed_together_come_with_one_message(pool: ThreadPoolExecutor) -> None:
    ann = all_close(pool, "夕食は？", "映画は？", "集合は？")
    gone = next(one for one in polls(ann) if one.question == "映画は？")
    PollStore(chat_of(ann)).update(gone.id, lambda one: None if one is None else one.removed(revision=(99, 0)))

    told = others_say_something(ann)
    assert sorted(told.split("\n\n")) == [
        f"締め切りました：{question}\n・はい: 0票\n・いいえ: 0票" for question in ("夕食は？", "集合は？")
    ]
    assert others_say_something(ann) == ""


def test_the_result_of_a_poll_does_not_wait_for_an_older_summary(pool: ThreadPoolExecutor) -> None:
    ann = group(pool, reminding=Reminding.PUSH)
    summary = {"text": "今日のまとめ", "at": "2025-11-21T17:00", "digest": "chat"}
    ann.asks("17時に今日のまとめ", calling(("create_reminder", summary)), SAYS)
    polled(ann, closes="2025-11-21T18:00")
    ann.worker.clock.move(5 * 3_600)
    assert ann.worker.push(push.tick()) == 204

    assert others_say_something(ann).startswith("締め切りました：夕食は？")
    sums_up = calling(("write_recap", {"text": "- Ben: そろそろ行く"}))
    assert others_say_something(ann, sums_up).startswith("今日のまとめ")


def test_results_of_polls_that_one_message_cannot_hold_come_with_the_next(pool: ThreadPoolExecutor) -> None:
    questions = [f"{number}" + "問" * 98 for number in range(1, 10)]
    ann = all_close(pool, *questions, options=[f"{number}" + "案" * 38 for number in range(10)])

    first, second = others_say_something(ann), others_say_something(ann)
    counts = [sum(f"締め切りました：{question}" in told for question in questions) for told in (first, second)]
    assert min(counts) > 1
    assert sum(counts) == len(questions)


def test_the_result_comes_with_a_message_soon_after_one_that_the_model_answers_by_itself(
    pool: ThreadPoolExecutor,
) -> None:
    ann, _ = at_closing(pool, policy=GroupPolicy.MODEL)
    told = []
    for thinks in ([SAYS], []):
        ann.worker.clock.move(5)
        message = {**ann.events.text("そろそろ行こう", by=BEN), "timestamp": ann.worker.clock.now_ms()}
        sends_now(ann, message, *thinks)
        told.append(list(ann.worker.line.replies.get(message["replyToken"], ())))
    assert told == [["どうぞ"], ["締め切りました：夕食は？\n・カレー: 1票 · Ben\n・寿司: 0票"]]


def test_a_poll_that_is_gone_is_not_told_with_the_next_message(pool: ThreadPoolExecutor) -> None:
    ann, poll = at_closing(pool)
    PollStore(chat_of(ann)).update(poll.id, lambda one: None if one is None else one.removed(revision=(99, 0)))
    before = len(ann.worker.said)
    ann.worker.clock.move(60)
    sends_now(ann, {**ann.events.text("そろそろ行こう", by=BEN), "timestamp": ann.worker.clock.now_ms()})
    assert len(ann.worker.said) == before


def test_the_result_is_pushed_where_its_maker_asks_for_it_and_its_cost_is_told(pool: ThreadPoolExecutor) -> None:
    ann, _ = at_closing(pool, push=True)
    receipt = next(one.text for several in ann.worker.line.replied.values() for one in several if "✓ 投票" in one.text)
    assert "3通" in receipt
    assert [one.text for _, messages in ann.worker.line.pushed.values() for one in messages] == [
        "締め切りました：夕食は？\n・カレー: 1票 · Ben\n・寿司: 0票"
    ]


@pytest.mark.parametrize("is_pushed_first", [True, False])
def test_of_two_polls_of_one_turn_each_tells_its_own_cost(pool: ThreadPoolExecutor, *, is_pushed_first: bool) -> None:
    ann = group(pool, reminding=Reminding.PUSH)
    ann.worker.line.members[recorded.GROUP] = 3
    pushed = ("create_poll", {**DINNER, "closes": "2025-11-21T18:00", "push": True})
    waiting = ("create_poll", {"question": "昼食は？", "options": ["そば", "丼"], "closes": "2025-11-21T19:00"})
    ann.asks("投票を二つ", calling(*((pushed, waiting) if is_pushed_first else (waiting, pushed))), SAYS)
    told = "".join(one.text for messages in ann.worker.line.replied.values() for one in messages)
    assert "「夕食は？」（11月21日(金) 18:00、3通分）" in told
    assert "「昼食は？」（11月21日(金) 19:00）" in told


def test_where_reminders_are_off_nothing_promises_to_tell_the_result(pool: ThreadPoolExecutor) -> None:
    ann = group(pool, reminding=Reminding.OFF)
    poll = polled(ann, closes="2025-11-21T18:00", push=True)
    assert poll.closes_ms is not None
    assert "reminders are off" in str(result(ann)["result"])


def test_no_result_of_a_poll_is_told_whose_question_was_taken_back(pool: ThreadPoolExecutor) -> None:
    ann = group(pool, reminding=Reminding.PUSH)
    asked = ann.asks("夕食は？", calling(("create_poll", {**DINNER, "closes": "2025-11-21T18:00"})), SAYS)
    ann.worker.withdraw(ann.events.chat_id, asked["message"]["id"])
    ann.worker.clock.move(24 * 3_600)
    assert ann.worker.push(push.tick()) == 204
    says_later(ann)
    assert newest(ann).text == "どうぞ"


@pytest.mark.parametrize(
    ("tool", "more"),
    [("cancel_reminder", {}), ("change_reminder", {"at": "2025-11-22T18:00"}), ("change_reminder", {"text": "x"})],
)
@pytest.mark.parametrize("is_meeting", [False, True])
def test_no_call_for_reminders_takes_the_result_of_a_poll_away(
    pool: ThreadPoolExecutor, is_meeting: bool, tool: str, more: dict[str, str]
) -> None:
    ann = group(pool, reminding=Reminding.REPLY)
    made = met if is_meeting else polled
    made(ann, closes="2025-11-21T18:00")
    (closing,) = ReminderStore(chat_of(ann)).read_all()
    ann.asks("リマインダーはいらない", calling((tool, {"id": closing.id, **more})), SAYS)
    assert f"close_poll with the id {polls(ann)[0].id}" in str(result(ann))
    assert ReminderStore(chat_of(ann)).read_all() == (closing,)


@pytest.mark.parametrize("choice", list(ListedChoice))
def test_the_result_of_a_poll_is_listed_without_buttons_and_no_press_moves_it(
    pool: ThreadPoolExecutor, choice: ListedChoice
) -> None:
    ann = group(pool, reminding=Reminding.REPLY)
    polled(ann, closes="2025-11-21T18:00")
    (row,) = card_of(ann, ann.says("/reminders")).rows
    assert (row.text, row.detail, row.buttons) == ("夕食は？", "11月21日(金) 18:00", ())
    (closing,) = ReminderStore(chat_of(ann)).read_all()
    pressed = ListedReminderPress(choice=choice, reminder_id=closing.id, next_ms=closing.next_ms)
    ann.presses(pressed.data)
    assert newest(ann).text == japanese(Phrase.REMINDER_CHANGED)
    assert ReminderStore(chat_of(ann)).read_all() == (closing,)


def test_a_poll_that_is_closed_early_says_its_result_once(pool: ThreadPoolExecutor) -> None:
    ann = group(pool, reminding=Reminding.PUSH)
    polled(ann, closes="2025-11-21T18:00")
    ann.asks("もう締め切って", calling(("close_poll", {})), SAYS)
    assert newest(ann).text.startswith("締め切りました：夕食は？")
    ann.worker.clock.move(24 * 3_600)
    assert ann.worker.push(push.tick()) == 204
    says_later(ann)
    assert newest(ann).text == "どうぞ"


MEETING = {"what": "飲み会", "at": "2025-11-28T19:00", "place": "渋谷", "capacity": 1}


def met(person: Person, **arguments: object) -> Poll:
    """Return the meeting that Ann asks for."""
    person.asks("28日19時から渋谷で飲み会、来る人？", calling(("create_meeting", {**MEETING, **arguments})), SAYS)
    return polls(person)[-1]


def test_a_meeting_is_a_card_that_says_when_and_where_and_asks_who_comes(ann: Person) -> None:
    met(ann)
    assert newest(ann).text == (
        "飲み会\n・11月28日(金) 19:00（渋谷）\n・参加: 0/1人\n・不参加: 0人\n・未定: 0人\n・未回答：Ben、Ann"
    )
    assert "✓ 出欠：「飲み会」（11月28日(金) 19:00）" in list(ann.worker.line.replied.values())[-1][0].text


def test_who_comes_beyond_the_capacity_waits_and_moves_up(ann: Person) -> None:
    meeting = met(ann)
    press(ann, meeting, 0, by=BEN)
    press(ann, meeting, 0, by=CHO)
    assert "・参加: 1/1人 · Ben\n" in newest(ann).text
    assert "・キャンセル待ち：Cho" in newest(ann).text

    press(ann, meeting, 1, by=BEN)

    assert "・参加: 1/1人 · Cho\n" in newest(ann).text
    assert "・繰り上げ：Cho" in newest(ann).text
    assert "キャンセル待ち" not in newest(ann).text


def says_of_meeting(person: Person, option: str, *, by: str) -> None:
    person.asks(f"私は{option}", calling(("vote", {"option": option})), SAYS, by=by)


def test_who_waits_by_a_card_below_an_answer_is_told_of_moving_up(ann: Person) -> None:
    meeting = met(ann)
    press(ann, meeting, 0, by=BEN)
    says_of_meeting(ann, "参加", by=CHO)
    assert "・キャンセル待ち：Cho" in newest(ann).text

    press(ann, meeting, 1, by=BEN)

    assert "・繰り上げ：Cho" in newest(ann).text
    press(ann, meeting, 2, by=recorded.USER)
    assert "繰り上げ" not in newest(ann).text


def test_a_place_that_is_given_up_in_words_is_told_to_who_waited(ann: Person) -> None:
    meeting = met(ann)
    press(ann, meeting, 0, by=BEN)
    press(ann, meeting, 0, by=CHO)

    says_of_meeting(ann, "不参加", by=BEN)

    assert "・参加: 1/1人 · Cho\n" in newest(ann).text
    assert "・繰り上げ：Cho" in newest(ann).text


def test_a_second_press_to_take_part_keeps_the_place_in_the_queue(ann: Person) -> None:
    meeting = met(ann)
    press(ann, meeting, 0, by=BEN)
    press(ann, meeting, 0, by=CHO)
    press(ann, meeting, 0, by=BEN)
    assert "・参加: 1/1人 · Ben\n" in newest(ann).text


def test_who_left_and_comes_again_waits_behind_the_others(ann: Person) -> None:
    meeting = met(ann)
    for choice, by in ((0, BEN), (0, CHO), (1, BEN), (0, BEN)):
        press(ann, meeting, choice, by=by)
    assert "・参加: 1/1人 · Cho\n" in newest(ann).text
    assert "・キャンセル待ち：Ben" in newest(ann).text


def test_a_late_press_that_costs_a_place_is_told(ann: Person) -> None:
    meeting = met(ann)
    press(ann, meeting, 0, by=BEN)
    late = ann.events.event("postback", by=BEN, postback={"data": f"vote:{meeting.id}:1"})
    press(ann, meeting, 0, by=CHO)
    press(ann, meeting, 0, by=BEN)
    assert "・参加: 1/1人 · Ben\n" in newest(ann).text
    ann.worker.clock.move(21)
    sends_now(ann, late)
    assert "・参加: 1/1人 · Cho\n" in newest(ann).text
    assert "・キャンセル待ち：Ben" in newest(ann).text


def test_a_press_that_is_delivered_again_gives_no_place_back(ann: Person) -> None:
    meeting = met(ann)
    first = press(ann, meeting, 0, by=BEN)
    for choice, by in ((1, BEN), (0, CHO), (0, BEN)):
        press(ann, meeting, choice, by=by)
    ann.worker.deliver(first)
    press(ann, meeting, 0, by=CHO)
    assert "・参加: 1/1人 · Cho\n" in newest(ann).text


def test_a_late_press_leaves_the_place_of_the_next_press(ann: Person) -> None:
    meeting = met(ann)
    press(ann, meeting, 0, by=BEN)
    late = ann.events.event("postback", by=BEN, postback={"data": f"vote:{meeting.id}:1"})
    for by in (BEN, CHO, BEN):
        press(ann, meeting, 0, by=by)
    ann.worker.deliver(late)
    press(ann, meeting, 0, by=CHO)
    assert "・参加: 1/1人 · Ben\n" in newest(ann).text


def test_old_votes_go_that_no_late_press_can_make_count() -> None:
    def votes(*choices: tuple[str, int]) -> list[Vote]:
        return [
            Vote(poll_id="p1", sent_ms=number, choice=choice, member=member, id=f"e{number}")
            for number, (member, choice) in enumerate(choices)
        ]

    cast = votes(("ann", 1), ("ann", 0), ("ann", 0), ("ben", 0), ("ann", 0), ("ann", 1), ("ann", 0))
    assert superseded(cast, now_ms=DELIVERED_WITHIN_MS) == ()
    gone = superseded(cast, now_ms=DELIVERED_WITHIN_MS + 5)
    assert [one.id for one in gone] == ["e0", "e2"]
    assert counted(one for one in cast if one not in gone) == counted(cast)
    gone = superseded(cast, now_ms=DELIVERED_WITHIN_MS + 7)
    assert [one.id for one in gone] == ["e0", "e1", "e2", "e4", "e5"]
    assert counted(one for one in cast if one not in gone) == counted(cast)


def test_answers_count_until_the_meeting_begins(ann: Person) -> None:
    meeting = met(ann)
    assert meeting.starts_ms is not None
    ann.worker.clock.move((meeting.starts_ms - ann.worker.clock.now_ms()) / 1_000)
    late = ann.events.event("postback", by=BEN, postback={"data": f"vote:{meeting.id}:0"})
    sends_now(ann, {**late, "timestamp": meeting.starts_ms})
    assert counts(ann, meeting) == {}
    assert "締め切りました：飲み会" in newest(ann).text


def test_a_reminder_before_the_meeting_is_a_reminder_like_any_other(pool: ThreadPoolExecutor) -> None:
    ann = group(pool, reminding=Reminding.PUSH)
    ann.worker.line.members[recorded.GROUP] = 3
    meeting = met(ann, remind_minutes_before=60)
    receipt = "\n".join(one.text for one in list(ann.worker.line.replied.values())[-1])
    assert "リマインダー：「飲み会 11月28日(金) 19:00（渋谷）」（11月28日(金) 18:00" in receipt
    assert "3通" in receipt

    assert meeting.starts_ms is not None
    ann.worker.clock.move((meeting.starts_ms - ann.worker.clock.now_ms()) / 1_000 - 3_600)
    assert ann.worker.push(push.tick()) == 204
    assert ann.worker.line.pushes == [(recorded.GROUP, ("⏰ 飲み会 11月28日(金) 19:00（渋谷）",))]


def test_the_calendar_button_of_a_meeting_opens_the_meeting_and_not_its_reminder(pool: ThreadPoolExecutor) -> None:
    ann = group(pool, reminding=Reminding.REPLY)
    met(ann, remind_minutes_before=60)
    (link,) = (link for message in list(ann.worker.line.replied.values())[-1] for link in message.links)
    event = parse_qs(urlsplit(link.uri).query)
    assert (event["text"], event["location"]) == (["飲み会"], ["渋谷"])
    assert (event["dates"], event["ctz"]) == (["20251128T190000/20251128T191500"], ["Asia/Tokyo"])


def test_an_undo_takes_back_the_meeting_with_its_reminder(pool: ThreadPoolExecutor) -> None:
    ann = group(pool, reminding=Reminding.REPLY)
    met(ann, remind_minutes_before=60)
    ann.asks("取り消して", calling(("undo_last_change", {})), SAYS)
    assert polls(ann) == []
    assert not [one for one in ReminderStore(chat_of(ann)).read_all() if one.is_open]


CALLS_OFF = calling(("call_off_meeting", {}))


def all_open(person: Person) -> list[str]:
    """Return the texts of the chat's open reminders."""
    return [one.text for one in ReminderStore(chat_of(person)).read_all() if one.is_open]


@pytest.mark.parametrize("closes", [{}, {"closes": "2025-11-21T18:00"}])
def test_a_meeting_that_is_called_off_says_so_and_reminds_of_nothing(
    pool: ThreadPoolExecutor, closes: dict[str, str]
) -> None:
    ann = group(pool, reminding=Reminding.REPLY)
    meeting = met(ann, remind_minutes_before=60, **closes)
    press(ann, meeting, 0, by=BEN)
    ann.asks("薬", calling(("create_reminder", {"text": "薬", "at": "2025-11-28T21:00"})), SAYS)

    ann.asks("飲み会は中止", CALLS_OFF, SAYS)

    told = "\n".join(one.text for one in list(ann.worker.line.replied.values())[-1])
    assert "・中止：「飲み会」" in told
    assert newest(ann).text.startswith("中止：飲み会\n・11月28日(金) 19:00（渋谷）\n・参加: ")
    assert all_open(ann) == ["薬"]


def test_a_press_after_a_meeting_was_called_off_shows_that_and_changes_nothing(ann: Person) -> None:
    meeting = met(ann)
    ann.asks("飲み会は中止", CALLS_OFF, SAYS)
    press(ann, meeting, 0)
    assert counts(ann, meeting) == {}
    assert newest(ann).text.startswith("中止：飲み会")


def test_a_meeting_is_called_off_whose_answers_are_closed_and_an_undo_leaves_them_closed(
    pool: ThreadPoolExecutor,
) -> None:
    ann = group(pool, reminding=Reminding.REPLY)
    met(ann, remind_minutes_before=60)
    ann.asks("締め切って", calling(("close_poll", {})), SAYS)
    (closed,) = polls(ann)
    ann.worker.clock.move(60)

    ann.asks("飲み会は中止", CALLS_OFF, SAYS)
    (off,) = polls(ann)
    assert (off.is_called_off, off.closes_ms) == (True, closed.closes_ms)
    assert all_open(ann) == []

    ann.asks("取り消して", calling(("undo_last_change", {})), SAYS)
    assert "中止を取り消し：「飲み会」（11月28日(金) 19:00）" in newest(ann).text
    (again,) = polls(ann)
    assert (again.is_called_off, again.closes_ms) == (False, closed.closes_ms)
    assert len(all_open(ann)) == 1


def test_of_several_meetings_the_one_that_is_meant_is_called_off(ann: Person) -> None:
    first = met(ann)
    ann.asks("歓迎会", calling(("create_meeting", {**MEETING, "what": "歓迎会"})), SAYS)
    ann.asks("中止", CALLS_OFF, SAYS)
    assert "Several meetings are ahead" in str(result(ann))

    ann.asks("飲み会の方", calling(("call_off_meeting", {"id": first.id})), SAYS)
    assert {one.question: one.is_called_off for one in polls(ann)} == {"飲み会": True, "歓迎会": False}


def test_neither_a_poll_nor_what_has_begun_is_called_off(ann: Person) -> None:
    meeting = met(ann)
    assert meeting.starts_ms is not None
    poll = polled(ann)
    ann.worker.clock.move((meeting.starts_ms - ann.worker.clock.now_ms()) / 1_000)
    for arguments in ({}, {"id": meeting.id}, {"id": poll.id}):
        event = {**ann.events.text("@Aizuchi 中止"), "timestamp": ann.worker.clock.now_ms()}
        sends_now(ann, event, calling(("call_off_meeting", arguments)), SAYS)
        assert "no such meeting ahead" in str(result(ann))
    assert not any(one.is_called_off for one in polls(ann))


def test_a_meeting_ahead_is_listed_although_its_answers_are_closed(ann: Person) -> None:
    meeting = met(ann)
    ann.asks("締め切って", calling(("close_poll", {})), SAYS)
    ann.asks("予定は？", calling(("show_polls", {})), SAYS)
    assert [one["id"] for one in result(ann)["polls"]] == [meeting.id]

    ann.asks("飲み会は中止", CALLS_OFF, SAYS)
    ann.asks("予定は？", calling(("show_polls", {})), SAYS)
    assert result(ann) == {"polls": []}


def test_what_is_read_from_outside_calls_a_meeting_off_only_by_a_tap(pool: ThreadPoolExecutor) -> None:
    chat = TaintedChat(pool, is_in_group=True, has_polls=True)
    met(chat.person)
    asked = chat.asks(CALLS_OFF, text="このページを読んで")
    assert not polls(chat.person)[0].is_called_off
    assert "☐ 集まりを中止にする：「飲み会」" in chat.sent_for(asked)
    chat.press()
    assert polls(chat.person)[0].is_called_off


def test_answers_cannot_close_after_the_beginning(ann: Person) -> None:
    ann.asks("飲み会", calling(("create_meeting", {**MEETING, "closes": "2025-11-29T19:00"})), SAYS)
    assert polls(ann) == []
    assert "close after the beginning" in str(result(ann))


def test_an_undo_opens_a_poll_again_that_was_closed(ann: Person) -> None:
    poll = polled(ann)
    ann.asks("締め切って", calling(("close_poll", {})), SAYS)
    ann.asks("取り消して", calling(("undo_last_change", {})), SAYS)
    press(ann, poll, 0)
    assert counts(ann, poll) == {"カレー": 1}


@pytest.mark.parametrize(("locale", "option"), [("en", "I’m in"), ("th", "ไป"), ("zh-TW", "參加")])
def test_a_meeting_is_asked_in_the_language_of_its_maker(pool: ThreadPoolExecutor, locale: str, option: str) -> None:
    ann = group(pool, locale=locale)
    ann.asks("12345", calling(("create_meeting", MEETING)), SAYS)
    assert polls(ann)[0].options[0] == option


def test_the_card_of_a_meeting_is_whole_in_the_language_of_who_presses(ann: Person) -> None:
    meeting = met(ann)
    ann.sends(ann.events.text("I will come, I think", by=BEN))

    press(ann, meeting, 0, by=BEN)

    for words in ("I’m in", "Can’t come", "Not sure", "No answer yet"):
        assert words in ann.worker.said[-1]
    assert "参加" not in ann.worker.said[-1]
    press(ann, meeting, 1)
    assert "不参加" in ann.worker.said[-1]


@pytest.mark.parametrize(
    ("said", "open_until", "ended"),
    [
        ("你好嗎，大家", "回覆截止：11月28日(五) 12:00", "已截止回覆：飲み会"),
        ("สวัสดีครับ", "ปิดรับคำตอบ วันศุกร์ที่ 28 พ.ย. เวลา 12:00 น.", "ปิดรับคำตอบแล้ว: 飲み会"),
    ],
)
def test_a_meeting_takes_answers_and_no_votes(ann: Person, said: str, open_until: str, ended: str) -> None:
    meeting = met(ann, closes="2025-11-28T12:00")
    ann.says(said)
    press(ann, meeting, 0)
    assert open_until in newest(ann).text
    ann.asks("締め切って", calling(("close_poll", {})), SAYS)
    ann.says(said)
    press(ann, meeting, 0)
    assert newest(ann).text.startswith(ended)


def test_who_never_wrote_is_told_in_the_language_of_the_poll(ann: Person) -> None:
    ann.asks(
        "A vote on dinner, please",
        calling(("create_poll", {"question": "Dinner?", "options": ["curry", "sushi"]})),
        SAYS,
    )
    press(ann, polls(ann)[0], 0, by=CHO)
    assert "・curry: 1 vote · Cho" in newest(ann).text


@pytest.mark.parametrize(
    "opens", [("create_poll", DINNER), ("create_meeting", {"what": "飲み会", "at": "2026-06-01T19:00"})]
)
@pytest.mark.parametrize("is_at_once", [True, False])
def test_a_poll_is_not_opened_in_silence(ann: Person, opens: tuple[str, Any], *, is_at_once: bool) -> None:
    skipping = [calling(opens, SKIP)] if is_at_once else [calling(opens), calling(SKIP)]

    event = ann.asks("投票で", *skipping, SAYS)

    (poll,) = polls(ann)
    cards = [message.card for message in sent(ann, event) if message.card is not None]
    values = [button.value for card in cards for row in card.rows for button in row.buttons]
    assert f"vote:{poll.id}:0" in values


def test_a_poll_of_a_model_that_insists_on_silence_is_not_opened(ann: Person) -> None:
    ann.asks("投票で", calling(("create_poll", DINNER)), *[calling(SKIP)] * 12)

    assert polls(ann) == []
    assert ann.worker.said[-1] == phrase(Phrase.APOLOGY_BUSY, locale="ja", bot_name="")


def test_a_poll_is_not_closed_in_silence(ann: Person) -> None:
    polled(ann)

    event = ann.asks("締め切って", calling(("close_poll", {})), calling(SKIP), SAYS)

    assert "夕食は？" in ann.worker.outcome(event)["text"]


def test_a_meeting_is_not_called_off_in_silence(ann: Person) -> None:
    met(ann)

    event = ann.asks("飲み会は中止", CALLS_OFF, calling(SKIP), SAYS)

    assert "飲み会" in ann.worker.outcome(event)["text"]
