"""Twenty questions about what was said long ago in a group of 10,000 messages, through the whole stack."""

import time
from collections.abc import Iterator
from typing import Final

from evals.recall.group import make_group
from shared.conversation.segments import archived_message, encode_segment, name_of
from shared.conversation.snapshot_records import Segment
from simulator.gemini.request import GenerateContentRequest
from simulator.gemini.script import Step, call
from tests.e2e.conftest import PATIENCE_S, Person, Platform
from tests.e2e.test_forgetting import Group, names_holding
from tests.support.buttons import first_press
from tests.support.message_words import words_of

QUESTIONS: Final = 20
_SEGMENT: Final = 200
_HOUR_MS: Final = 3_600_000


def archive_group(platform: Platform, chat_id: str) -> list[tuple[str, str]]:
    """Write the archive of a group whose last message is an hour old; return what it can be asked, and the words of the answer."""
    made = make_group(seed=1, ends_ms=platform.do(lambda stack: stack.clock.now_ms()) - _HOUR_MS)
    for number, start in enumerate(range(0, len(made.messages), _SEGMENT), 1):
        segment = Segment(messages=tuple(map(archived_message, made.messages[start : start + _SEGMENT])))
        data = encode_segment(segment)
        platform.put(f"archive/{chat_id}/{name_of(segment, data, number=number).file}", data)
    return [(fact.ask, fact.text) for fact in made.facts.values()]


def lines_in(request: GenerateContentRequest) -> Iterator[str]:
    """Yield the lines that `recall` returned."""
    for content in request.contents:
        for response in content.function_responses:
            output = response.response.get("output")
            if isinstance(output, dict):
                yield from map(str, output.get("lines", ()))


def repeats_lines(request: GenerateContentRequest) -> Step:
    """Reply with the words of the lines, without headers."""
    return call("reply", {"message": "\n".join(line.partition("] ")[2] for line in lines_in(request))})


def script(platform: Platform, *steps: Step) -> None:
    """The model answers with these steps next."""
    platform.do(lambda stack: stack.gemini.script(steps))


def said_in(platform: Platform, group: Group) -> list[str]:
    """Return the answers of the bot in the group; several bubbles of one answer stand together."""
    members = {one.id for one in group.members}
    messages = platform.do(lambda stack: list(stack.line.chat(group.id).messages))
    return [words_of(one.content) for one in messages if one.sender_id not in members]


def answer_to(platform: Platform, group: Group, text: str, *, by: Person | None = None) -> str:
    """Ask in the group, by default as its first member; return what the bot says to that."""
    before = len(said_in(platform, group))
    if by is None:
        group.says(text, to_bot=True)
    else:
        platform.do(lambda stack: stack.line.say(by.id, group.id, text))
    until_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < until_s:
        if len(said_in(platform, group)) > before:
            platform.settle()
            return "\n".join(said_in(platform, group)[before:])
        time.sleep(0.02)
    raise AssertionError("the bot said nothing")


def test_twenty_questions_about_what_was_said_long_ago(platform: Platform) -> None:
    group = Group(platform)
    facts = archive_group(platform, group.id)[:QUESTIONS]

    found = []
    for ask, said in facts:
        script(platform, call("recall", {"query": ask, "limit": 5}), Step(answer=repeats_lines))
        found.append(said in answer_to(platform, group, f"do you remember? {ask}"))

    assert sum(found) >= 0.9 * QUESTIONS


def test_an_answer_goes_with_the_old_message_that_it_recalled(platform: Platform) -> None:
    group = Group(platform)
    secret = group.says("the vault opens with swordfish")
    platform.settle()
    script(platform, call("recall", {"query": "vault"}), Step(answer=repeats_lines))
    assert "swordfish" in answer_to(platform, group, "what opens it?")

    group.unsends(secret)
    platform.settle()

    assert names_holding(platform) == []


def test_a_catch_up_tells_what_was_said_and_nothing_that_was_unsent(platform: Platform) -> None:
    group = Group(platform)
    group.says("we take the inn by the lake")
    secret = group.says("the vault opens with swordfish")
    platform.settle()
    group.unsends(secret)
    platform.settle()

    said = answer_to(platform, group, "/catchup", by=group.members[1])

    assert "yuki" in said
    assert "we take the inn by the lake" in said
    assert "swordfish" not in said
    assert "swordfish" not in platform.do(lambda stack: str(stack.gemini.requests[-1].request))


def test_messages_go_by_asking_and_pressing(platform: Platform) -> None:
    group = Group(platform)
    group.says("the vault opens with swordfish")
    platform.settle()
    answer_to(platform, group, "forget what I said about swordfish")
    assert names_holding(platform)

    messages = platform.do(lambda stack: list(stack.line.chat(group.id).messages))
    data = first_press(messages[-1].content)
    platform.do(lambda stack: stack.line.press(group.members[1].id, group.id, data))
    platform.settle()
    assert names_holding(platform)

    platform.do(lambda stack: stack.line.press(group.members[0].id, group.id, data))
    platform.settle()
    assert names_holding(platform) == []
    assert said_in(platform, group)[-1].startswith("Erased:")
