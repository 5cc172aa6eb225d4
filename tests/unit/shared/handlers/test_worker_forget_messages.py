"""Messages go by asking: proposed by time and a masked beginning, confirmed by the person who asked, taken back as by unsends."""

import re
from typing import Any, Final

import pytest

from shared.adapters.memory.scripted_model import calling
from shared.agent.forgetting import MOST_PROPOSED
from shared.agent.model import FunctionResponses, ModelRequest, ModelResponse
from shared.line.phrases import Phrase
from shared.turns.deferral import CONFIRMED_WITHIN_MS
from tests.support import recorded
from tests.support.chats import everything_in
from tests.support.people import START_MS, ChatEvents, Person
from tests.support.phrases import english
from tests.support.pushed import PushedWorker
from tests.unit.shared.handlers.conftest import YUKI
from tests.unit.shared.handlers.test_worker_recall import archive, archived

KENJI: Final = "U" + "2" * 32
OK: Final = calling(("reply", {"message": "noted"}))
PRESS: Final = calling(("reply", {"message": "press the button"}))


def forget(**arguments: object) -> ModelResponse:
    return calling(("forget_messages", arguments))


def result(worker: PushedWorker) -> Any:  # noqa: ANN401 - as the model reads it
    found = [one for one in worker.model.requests[-1].contents if isinstance(one, FunctionResponses)]
    return found[-1].responses[-1].response


@pytest.fixture
def asked(friend: Person) -> Person:
    """A person who said their PIN twice, and wants it forgotten."""
    friend.says("my PIN is 4711", OK)
    friend.says("nice weather", OK)
    friend.says("the pin, again: 4711", OK)
    friend.says("please forget my number", forget(query="pin"), PRESS)
    return friend


def test_nothing_goes_before_the_button_is_pressed(asked: Person) -> None:
    assert "4711" in everything_in(asked.worker.store)
    assert result(asked.worker)["output"]["leftOut"] == 0


def test_the_proposal_shows_time_and_a_masked_beginning_and_ends_with_a_button(asked: Person) -> None:
    sent = list(asked.worker.line.replied.values())[-1]

    shown = "\n".join(one.text for one in sent)
    assert "1. 2025-11-21 13:40 my P…\n2. 2025-11-21 13:40 the pi…" in shown
    assert "4711" not in shown
    assert sent[-1].text == english(Phrase.FORGET_MESSAGES_QUESTION, messages="2", until="13:50")
    assert sent[-1].button is not None


def test_the_longest_answer_leaves_room_for_the_messages_that_would_go(friend: Person) -> None:
    friend.says("my PIN is 4711", OK)

    long = calling(("recall", {})), forget(query="PIN"), calling(("reply", {"message": "words " * 800}))
    event = friend.says("what did I miss? and forget it", *long)

    sent = " ".join(one.text for one in friend.worker.line.replied[event["replyToken"]])
    assert "1. 2025-11-21 13:40 my P…" in sent


@pytest.mark.parametrize(
    "words",
    [
        "I will forget 4711 once you press.",
        "「my PIN is 4711」を消します",
        "these go: door4711, 4711",
        "my PIN is 4711",
    ],
)
def test_the_words_above_the_list_do_not_repeat_the_secret(words: str, friend: Person) -> None:
    friend.says("my PIN is 4711", OK)
    event = friend.says("forget my PIN", forget(query="PIN"), calling(("reply", {"message": words})))

    shown = "\n".join(one.text for one in friend.worker.line.replied[event["replyToken"]])

    assert "4711" not in shown
    assert "1. 2025-11-21 13:40 my P…" in shown


def test_all_that_several_calls_propose_goes(friend: Person) -> None:
    friend.says("my PIN is 4711", OK)
    friend.says("I like the lake at dawn", OK)
    calls = calling(("forget_messages", {"query": "PIN"}), ("forget_messages", {"query": "the lake at dawn"}))
    friend.says("forget both, please", calls, PRESS)
    listed = "1. 2025-11-21 13:40 my P…\n2. 2025-11-21 13:40 I like…"
    assert listed in "\n".join(one.text for one in list(friend.worker.line.replied.values())[-1])

    friend.presses(friend.newest_button)

    assert "4711" not in everything_in(friend.worker.store)
    assert "dawn" not in everything_in(friend.worker.store)


def test_several_calls_propose_no_more_than_one_may(friend: Person) -> None:
    for number in range(MOST_PROPOSED + 2):
        friend.says(f"{'apple' if number % 2 else 'melon'} {number:03}", OK)
    calls = forget(query="apple"), forget(query="melon"), forget(query="melon 000")
    friend.says("forget the fruit", *calls, PRESS)

    assert result(friend.worker)["output"] == {"proposed": [], "leftOut": 1}
    sent = "\n".join(one.text for one in list(friend.worker.line.replied.values())[-1])
    assert (f"{MOST_PROPOSED}. " in sent, f"{MOST_PROPOSED + 1}. " in sent) == (True, False)


def test_all_that_is_proposed_is_shown_whatever_emoji_it_has(friend: Person) -> None:
    family = "👨🏻\u200d👩🏻\u200d👧🏻\u200d👦🏻"
    for number in range(MOST_PROPOSED):
        friend.says(f"{family * 40} {'apple' if number % 2 else 'melon'} {number:03}", OK)

    friend.says("forget the fruit", forget(query="apple"), forget(query="melon"), PRESS)

    sent = "\n".join(one.text for one in list(friend.worker.line.replied.values())[-1])
    asked = re.search(r"Erase the (\d+) messages above", sent)
    assert asked is not None
    assert sent.count(" 2025-11-21 13:4") == int(asked[1]) == MOST_PROPOSED


def test_a_press_takes_back_exactly_these_messages(asked: Person) -> None:
    asked.presses(asked.newest_button)

    assert "4711" not in everything_in(asked.worker.store)
    assert "nice weather" in everything_in(asked.worker.store)


def test_the_answers_that_repeated_them_go_too_and_the_receipt_counts(friend: Person) -> None:
    for _ in range(3):
        friend.says("nice weather", OK)
    friend.says("my PIN is 4711", calling(("reply", {"message": "I keep 4711 in mind"})))
    friend.files("door4711")
    friend.says("forget it", forget(query="4711"), PRESS)

    friend.presses(friend.newest_button)

    assert "4711" not in everything_in(friend.worker.store)
    facts = {"messages": "2", "answers": "2", "entries": "1"}
    assert friend.worker.said[-1] == english(Phrase.FORGET_MESSAGES_DONE, **facts)


def test_the_request_itself_goes_if_it_holds_the_words(friend: Person) -> None:
    friend.says("my PIN is 4711", OK)
    friend.says("forget the 4711", forget(query="4711"), PRESS)

    friend.presses(friend.newest_button)

    assert "4711" not in everything_in(friend.worker.store)


def test_a_request_alone_is_nothing_to_propose(friend: Person) -> None:
    friend.says("forget the 4711", forget(query="4711"), calling(("reply", {"message": "nothing there"})))

    assert "none of the person's own messages" in result(friend.worker)["error"]["message"]
    assert [one.button for one in list(friend.worker.line.replied.values())[-1]] == [None]


def test_only_the_person_who_asked_can_press(worker: PushedWorker, group: ChatEvents) -> None:
    worker.deliver(group.text("@Aizuchi my PIN is 4711"), thinks=[OK])
    worker.deliver(group.text("@Aizuchi forget my pin"), thinks=[forget(query="4711"), PRESS])
    button = next(one.button for one in list(worker.line.replied.values())[-1] if one.button is not None)

    worker.deliver(group.event("postback", by=KENJI, postback={"data": button.data}))
    assert "4711" in everything_in(worker.store)

    worker.deliver(group.event("postback", postback={"data": button.data}))
    assert "4711" not in everything_in(worker.store)


def test_nobody_elses_messages_are_proposed(worker: PushedWorker, group: ChatEvents) -> None:
    worker.deliver(group.text("my PIN is 4711", by=KENJI))

    worker.deliver(group.text("@Aizuchi forget his pin"), thinks=[forget(query="4711"), OK])

    assert "error" in result(worker)


def test_two_people_who_ask_at_once_are_told_apart_by_asking(worker: PushedWorker, group: ChatEvents) -> None:
    worker.deliver(group.text("my PIN is 4711"))
    second = group.text("@Aizuchi and mine", by=KENJI)
    first = group.text("@Aizuchi forget my pin")

    def arrives(_: ModelRequest) -> ModelResponse:
        return forget(query="4711")

    worker.store.create(
        f"journal/{recorded.GROUP}/{second['message']['id']}.json",
        b'{"version":1,"line_message_id":"%b","webhook_event_id":"%b","timestamp_ms":%d,"type":"text","addressed":true,"text":"and mine",'
        b'"user_id":"%b","reply_token":{"value":"t","received_ms":%d}}'
        % (
            second["message"]["id"].encode(),
            second["webhookEventId"].encode(),
            second["timestamp"],
            KENJI.encode(),
            second["timestamp"],
        ),
    )
    worker.deliver(first, thinks=[arrives, OK])

    assert "several people" in result(worker)["error"]["message"]


def test_a_quoted_message_is_proposed_by_the_quote(worker: PushedWorker, group: ChatEvents) -> None:
    secret = group.text("my PIN is 4711")
    worker.deliver(secret)
    request = group.text("@Aizuchi forget this", quotedMessageId=secret["message"]["id"])

    worker.deliver(request, thinks=[forget(quoted=True), PRESS])

    assert worker.outcome(request)["offer"]["forgets"] == [secret["message"]["id"]]
    assert worker.outcome(request)["offer"]["forgets_for"] == YUKI


def test_what_left_the_prompt_is_proposed_too(worker: PushedWorker, group: ChatEvents) -> None:
    archive(worker, archived(1, "my PIN is 4711", by=YUKI), archived(2, "his PIN is 4711"))
    request = group.text("@Aizuchi forget my pin")

    worker.deliver(request, thinks=[forget(query="pin 4711", alternatives=["4711"]), PRESS])

    assert worker.outcome(request)["offer"]["forgets"] == ["old1"]


def test_a_press_counts_for_ten_minutes_and_once(asked: Person) -> None:
    button = asked.newest_button
    late = asked.events.event("postback", postback={"data": button})
    late["timestamp"] = START_MS + CONFIRMED_WITHIN_MS + 60_000

    asked.sends(late)
    assert "4711" in everything_in(asked.worker.store)

    assert asked.worker.said[-1] == english(Phrase.PRESS_EXPIRED)

    asked.presses(button)
    asked.presses(button)
    assert asked.worker.said[-1] == english(Phrase.PRESS_REPEATED)


def test_a_press_that_comes_again_takes_back_what_is_left(asked: Person) -> None:
    press = asked.presses(asked.newest_button)
    said = len(asked.worker.said)

    asked.sends(press)

    assert len(asked.worker.said) == said


def test_the_proposal_goes_with_its_messages(asked: Person) -> None:
    button = asked.newest_button
    asked.worker.withdraw(recorded.USER, "m1")
    asked.worker.withdraw(recorded.USER, "m3")
    assert "4711" not in everything_in(asked.worker.store)

    asked.presses(button)
    assert asked.worker.said[-1] != english(Phrase.FORGET_MESSAGES_DONE, messages="2", answers="0", entries="0")


def test_a_proposal_cannot_be_passed_over_in_silence(friend: Person) -> None:
    friend.says("my PIN is 4711", OK)
    friend.says("forget my pin", forget(query="4711"), calling(("skip", {"reason": "done"})), PRESS)

    assert "has to be told" in result(friend.worker)["error"]["message"]


def test_without_words_times_or_a_quote_nothing_is_proposed(friend: Person) -> None:
    friend.says("forget something", forget(), OK)

    assert "pass a `query`" in result(friend.worker)["error"]["message"]


def test_a_turn_that_nobody_asked_for_cannot_propose(member_in_talkative_group: Person) -> None:
    member_in_talkative_group.says("my PIN is 4711", forget(query="4711"), calling(("skip", {"reason": "no"})))

    assert "no such tool" in result(member_in_talkative_group.worker)["error"]["message"]
