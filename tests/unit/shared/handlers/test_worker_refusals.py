"""One blocked word or broken file costs its author an answer, and nobody else anything."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from shared.adapters.memory.line_people import HeldContent
from shared.adapters.memory.scripted_model import calling, unusable
from shared.agent.model import MediaPart, MixedContent, ModelRequest, ModelResponse
from shared.conversation.records import MessageRecord
from shared.conversation.snapshot import MemoryLimits
from shared.errors import ModelRefusedError, ModelUnavailableError
from shared.line.addressing import GroupPolicy
from shared.line.messaging import ReplyToken
from shared.line.phrases import Phrase
from shared.metering import Purpose
from tests.support import recorded
from tests.support.people import START_MS, Person
from tests.support.phrases import english
from tests.support.pushed import PushedWorker

WORD = "BLOCKED"
OTHER = "U" + "7" * 32


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as threads:
        yield threads


@pytest.fixture
def friend(pool: ThreadPoolExecutor) -> Person:
    return Person(PushedWorker(pool), is_in_group=False)


@pytest.fixture
def member(pool: ThreadPoolExecutor) -> Person:
    return Person(PushedWorker(pool), is_in_group=True)


def texts_of(request: ModelRequest) -> str:
    texts = [text for one in request.contents for text in getattr(one, "texts", ())]
    results = [str(answer.response) for one in request.contents for answer in getattr(one, "responses", ())]
    return "\n".join((*texts, *results))


def media_of(request: ModelRequest) -> list[object]:
    mixed = (one for one in request.contents if isinstance(one, MixedContent))
    return [part.source for one in mixed for part in one.parts if isinstance(part, MediaPart)]


def blocks(request: ModelRequest) -> ModelResponse:
    """Block every prompt that holds the word; answer any other."""
    if WORD in texts_of(request):
        return unusable("", block_reason="PROHIBITED_CONTENT")
    first = request.declarations[0].name
    if first in {"write_recap", "write_description"}:
        return calling((first, {"text": "a recap"}))
    return calling(("reply", {"message": "fine"}) if first == "reply" else (first, {"reason": "probe"}))


def refuses_broken(request: ModelRequest) -> ModelResponse:
    """Refuse every request that holds the broken medium."""
    if b"broken" in media_of(request):
        raise ModelRefusedError("400 INVALID_ARGUMENT")
    return blocks(request)


def marks(person: Person) -> list[str]:
    stored = person.worker.store.read(f"snapshots/{person.events.chat_id}.json")
    return [one["id"] for one in json.loads(stored.data).get("refused", [])] if stored else []


def asked(person: Person, text: str) -> tuple[str, int, int]:
    """Ask; return what was said, the requests before the answer, and the probes after it."""
    before = len(person.worker.model.requests)
    person.worker.clock.move(61)
    person.events.skip(60)
    person.asks(text, *[blocks] * 60)
    made = person.worker.model.requests[before:]
    probes = sum(one.purpose is Purpose.PROBE for one in made)
    return person.worker.said[-1], sum(one.purpose is Purpose.TURN for one in made), probes


def skips_or_blocks(request: ModelRequest) -> ModelResponse:
    """Block every prompt that holds the word; skip any other."""
    if WORD in texts_of(request):
        return blocks(request)
    return calling(("skip", {"reason": "nothing to say"}))


def journalled(friend: Person, text: str) -> None:
    """Record a message whose worker died, so that the next question is answered together with it."""
    chat = friend.worker.conversations.of(friend.events.chat_id)
    chat.journal.keep(
        MessageRecord(
            line_message_id="waits",
            webhook_event_id="waiting",
            timestamp_ms=START_MS,
            type="text",
            addressed=True,
            text=text,
            user_id=recorded.USER,
            reply_token=ReplyToken(value="token0", received_ms=friend.worker.clock.now_ms()),
        )
    )


def test_who_says_it_is_told_and_every_later_message_is_answered_at_once(friend: Person) -> None:
    refusal, _, probes = asked(friend, f"{WORD}?")

    assert (refusal, probes) == (english(Phrase.APOLOGY_REFUSED), 1)
    assert marks(friend) == ["m61"]
    assert [asked(friend, f"message {number}") for number in range(79)] == [("fine", 1, 0)] * 79


def test_an_overheard_word_is_found_once_and_costs_nothing_later(member: Person) -> None:
    for number in range(40):
        said = f"{WORD} lol" if number == 17 else f"chatter {number}"
        member.sends(member.events.text(said, by=OTHER))

    first = asked(member, "when do we meet?")

    assert first[:2] == ("fine", 2)
    assert 7 <= first[2] <= 10
    assert marks(member) == ["m18"]
    assert asked(member, "and where?") == ("fine", 1, 0)
    assert f"chatter {16}" in texts_of(member.worker.model.requests[-1])


def test_an_answer_to_only_what_is_asked_names_nothing_else(member: Person) -> None:
    member.sends(member.events.text(f"{WORD} lol", by=OTHER))
    event = member.asks("when do we meet?", *[blocks] * 9)

    named = member.worker.outcome(event)["provenance"]["messages"]
    assert [own_id for sent in named.values() for own_id in sent] == ["m2"]


def test_several_blocked_messages_are_all_found(member: Person) -> None:
    for number in range(24):
        member.sends(member.events.text(f"{WORD} {number}" if number in {3, 4, 20} else f"chatter {number}", by=OTHER))

    asked(member, "when do we meet?")

    assert sorted(marks(member)) == ["m21", "m4", "m5"]
    assert asked(member, "and where?") == ("fine", 1, 0)


def test_a_display_name_that_is_blocked_is_left_out(member: Person) -> None:
    member.worker.profiles.names[recorded.USER] = WORD
    member.sends(member.events.text("chatter"))

    assert asked(member, "hello")[:2] == ("fine", 2)
    assert [one.startswith("member-") for one in marks(member)] == [True]
    assert asked(member, "and now?") == ("fine", 1, 0)


def test_an_answer_of_the_bot_that_is_blocked_is_left_out(friend: Person) -> None:
    friend.asks("say it", calling(("reply", {"message": f"so: {WORD}"})))

    assert asked(friend, "hello")[:2] == ("fine", 2)
    assert marks(friend) == ["event1"]
    assert asked(friend, "and now?") == ("fine", 1, 0)


def test_an_entry_whose_name_is_blocked_is_left_out_of_the_index(friend: Person) -> None:
    friend.worker.json_model.steps = [{"category": "ideas", "confidence": 0.8, "name": f"{WORD} lunch"}]
    capture = calling(("classify_and_capture", {"text": "lunch"}))
    friend.asks("an idea", capture, calling(("reply", {"message": "filed"})))

    assert asked(friend, "hello")[:2] == ("fine", 2)
    assert any(one.startswith("row-") for one in marks(friend))
    assert asked(friend, "and now?") == ("fine", 1, 0)


def test_a_quote_of_what_is_blocked_has_no_words(member: Person) -> None:
    member.sends(member.events.text(f"{WORD} lol", by=OTHER))
    asked(member, "hello")

    event = member.events.text("@Aizuchi what is this?", quotedMessageId="m1")
    member.sends(event, *[blocks] * 9)

    assert member.worker.said[-1] == "fine"


def test_what_the_model_looks_up_is_not_blocked_by_a_marked_message(friend: Person) -> None:
    asked(friend, f"{WORD} apples")
    friend.asks("what about apples?", calling(("recall", {"queries": ["apples"]})), *[blocks] * 9)

    assert friend.worker.said[-1] == "fine"
    assert WORD not in "".join(texts_of(one) for one in friend.worker.model.requests[-1:])


def test_a_message_that_waits_beside_a_blocked_one_is_answered(friend: Person) -> None:
    journalled(friend, f"{WORD} too")

    friend.asks("hello", *[blocks] * 20)

    assert friend.worker.said[-1] == f"fine\n\n{english(Phrase.PARTLY_REFUSED)}"
    assert marks(friend) == ["waits"]


def test_an_unsend_of_a_marked_message_takes_the_mark(friend: Person) -> None:
    asked(friend, f"{WORD}?")
    friend.worker.withdraw(friend.events.chat_id, "m61", timestamp_ms=START_MS + 99_000)

    assert marks(friend) == []


def test_an_edit_of_a_marked_message_brings_it_back(friend: Person) -> None:
    asked(friend, f"{WORD}?")
    message = {"type": "text", "text": "a kind word"}
    friend.sends(friend.events.event("messageEdited", message={"id": "m61", **message}))
    asked(friend, "hello")

    assert "a kind word" in texts_of(friend.worker.model.requests[-1])


def test_a_mark_holds_no_words(friend: Person) -> None:
    asked(friend, f"{WORD}?")
    stored = friend.worker.store.read(f"snapshots/{friend.events.chat_id}.json")

    assert stored is not None
    assert WORD not in stored.data.decode()


def test_a_marked_message_is_left_out_of_its_recap_and_of_prompts_once_it_is_folded(pool: ThreadPoolExecutor) -> None:
    limits = MemoryLimits(journalled=2, verbatim=3, summed_up=2, recaps_at_once=2, recaps=2, sources=4)
    friend = Person(PushedWorker(pool, memory=limits), is_in_group=False)
    asked(friend, f"{WORD}?")

    answers = [asked(friend, f"message {number}") for number in range(12)]

    assert answers == [("fine", 1, 0)] * 12
    recaps = [one for one in friend.worker.model.requests if one.purpose is Purpose.RECAP]
    assert recaps
    assert not any(WORD in texts_of(one) for one in recaps)


def test_a_recap_of_an_overheard_word_leaves_that_out(pool: ThreadPoolExecutor) -> None:
    limits = MemoryLimits(journalled=2, verbatim=1, summed_up=6, recaps_at_once=2, recaps=2, sources=12)
    member = Person(PushedWorker(pool, memory=limits), is_in_group=True)
    for number in range(8):
        member.sends(member.events.text(f"{WORD} lol" if number == 2 else f"chatter {number}", by=OTHER))
    # The prompt of this turn shows it; the recap is asked for before anybody asks a second time
    member.asks("hello", calling(("reply", {"message": "fine"})), *[blocks] * 30)

    summed_up = [one for one in member.worker.model.requests if one.purpose is Purpose.RECAP]
    assert len(summed_up) >= 2
    assert WORD in texts_of(summed_up[0])
    assert WORD not in texts_of(summed_up[1])
    assert "chatter 1" in texts_of(summed_up[1])


def test_a_search_is_given_up_where_what_it_would_show_was_withdrawn_meanwhile(member: Person) -> None:
    member.sends(member.events.text(f"{WORD} lol", by=OTHER))
    member.sends(member.events.text("chatter", by=OTHER))

    def withdraw(request: ModelRequest) -> ModelResponse:
        member.worker.withdraw(member.events.chat_id, "m2", timestamp_ms=START_MS + 99_000)
        return blocks(request)

    member.asks("hello", blocks, blocks, withdraw)

    assert member.worker.said[-1] == "fine"
    assert marks(member) == []


def picture(person: Person, data: bytes, kind: str = "image", content_type: str = "image/jpeg") -> dict[str, Any]:
    more = {"contentProvider": {"type": "line"}} if kind == "image" else {"fileName": "a.pdf", "fileSize": 10}
    event = person.events.event("message", message={"type": kind, **more})
    person.worker.media.contents[event["message"]["id"]] = HeldContent(data=data, content_type=content_type)
    return event


@pytest.mark.parametrize(("kind", "content_type"), [("image", "image/jpeg"), ("file", "application/pdf")])
def test_a_broken_file_is_never_shown_again(friend: Person, kind: str, content_type: str) -> None:
    event = picture(friend, b"broken", kind, content_type)
    friend.sends(event, *[refuses_broken] * 9)

    assert friend.worker.said[-1] == "fine"
    label = friend.worker.store.read(f"media/{friend.events.chat_id}/m1.json")
    assert label is not None
    assert json.loads(label.data)["is_refused"] is True

    before = len(friend.worker.model.requests)
    friend.asks("2+2?", refuses_broken)
    friend.sends(friend.events.text("and this?", quotedMessageId="m1"), refuses_broken)
    later = friend.worker.model.requests[before:]
    assert [media_of(one) for one in later] == [[], []]
    assert "cannot be opened" in texts_of(later[-1])


def test_of_several_pictures_only_the_broken_one_is_marked(friend: Person) -> None:
    for data in (b"good 1", b"broken", b"good 2"):
        friend.sends(picture(friend, data), calling(("skip", {"reason": "a picture"})))
    friend.asks("what do they show?", *[refuses_broken] * 9)

    before = len(friend.worker.model.requests)
    friend.asks("and now?", refuses_broken)

    assert media_of(friend.worker.model.requests[before]) == [b"good 1", b"good 2"]


def test_a_wrong_key_marks_no_medium(friend: Person) -> None:
    refused = ModelRefusedError("400 INVALID_ARGUMENT API_KEY_INVALID", is_about_request=False)
    friend.sends(picture(friend, b"good"), refused)

    friend.asks("hello", refuses_broken)

    assert media_of(friend.worker.model.requests[-1]) == [b"good"]


def test_an_overheard_word_silences_no_bot_that_interjects(pool: ThreadPoolExecutor) -> None:
    member = Person(PushedWorker(pool, group_policy=GroupPolicy.MODEL), is_in_group=True)
    member.sends(member.events.text(f"{WORD} lol", by=OTHER), *[blocks] * 9)

    assert member.worker.said == []
    assert marks(member) == ["m1"]
    assert asked(member, "hello") == ("fine", 1, 0)


def test_a_search_without_an_answer_marks_nothing_and_is_begun_anew(member: Person) -> None:
    for number in range(8):
        member.sends(member.events.text(f"{WORD} lol" if number == 3 else "chatter", by=OTHER))

    member.asks("hello", blocks, blocks, blocks, ModelUnavailableError("503"))
    assert (member.worker.said[-1], marks(member)) == ("fine", [])

    assert asked(member, "hello")[:2] == ("fine", 2)
    assert marks(member) == ["m4"]


def test_a_search_ends_with_its_request(member: Person) -> None:
    for number in range(8):
        member.sends(member.events.text(f"{WORD} lol" if number == 3 else "chatter", by=OTHER))

    def slowly(request: ModelRequest) -> ModelResponse:
        member.worker.clock.move(40)
        return blocks(request)

    member.asks("hello", blocks, blocks, *[slowly] * 20)

    probes = [one for one in member.worker.model.requests if one.purpose is Purpose.PROBE]
    assert 1 <= len(probes) <= 3
    assert marks(member) == []


def test_who_asks_with_a_blocked_word_is_told_so_if_the_model_skips_the_others(friend: Person) -> None:
    journalled(friend, f"{WORD} too")

    friend.asks("hello", *[skips_or_blocks] * 20)

    assert friend.worker.said[-1:] == [english(Phrase.APOLOGY_REFUSED)]
