"""What the responder makes of a decision: the text as people see it, and what is told of the turn."""

import contextlib
import io
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from shared import tracing
from shared.adapters.cloud_trace import OpenTelemetryTracer
from shared.adapters.memory.scripted_model import Step, calling, unusable
from shared.agent import responder
from shared.agent.model import Json, ModelRequest, ModelResponse
from shared.agent.overlay import StagingFault
from shared.agent.receipts import Deed, receipt
from shared.agent.responder import prompt_version
from shared.agent.tools import Cited, Tool
from shared.agent.turn_context import TurnContext
from shared.conversation.records import OutcomeRecord
from shared.errors import ModelRefusedError
from shared.knowledge.staging import EntryOverlay
from shared.line.bubbles import ANSWER, DIGEST
from shared.storage.codec import decode
from tests.support.people import ChatEvents, Person
from tests.support.pushed import PushedWorker

YUKI = "U" + "1" * 32
WATCHED = "(I watched 8 minutes. It used 50,700 of today’s tokens.)"
SOURCES = "Google: Osaka weather\nhttps://tenki.jp/"
HELLO = calling(("reply", {"message": "hello"}))
ANY: Json = {"type": "object", "properties": {"length": {"type": "integer"}}}


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as threads:
        yield threads


def cited(arguments: Json, _: TurnContext) -> Cited:
    return Cited(result={}, footnote="f" * int(str(arguments["length"])))


def footed(footnote: str, _: Json, __: TurnContext) -> Cited:
    return Cited(result={}, footnote=footnote)


@pytest.fixture
def worker(pool: ThreadPoolExecutor) -> PushedWorker:
    cite = Tool(name="cite", description="", parameters=ANY, response=ANY, run=cited)
    fixed = (
        Tool(name=name, description="", parameters=ANY, response=ANY, run=partial(footed, footnote))
        for name, footnote in (("watch", WATCHED), ("source", SOURCES))
    )
    return PushedWorker(pool, more_tools=(cite, *fixed))


@pytest.fixture
def direct() -> ChatEvents:
    return ChatEvents(is_group=False, author=YUKI)


@pytest.fixture
def group() -> ChatEvents:
    return ChatEvents(is_group=True, author=YUKI)


def answered(worker: PushedWorker, events: ChatEvents, *thinks: Step, text: str = "@Aizuchi hi") -> dict[str, Any]:
    event = events.text(text)
    assert worker.deliver(event, thinks=thinks) == 204
    return worker.outcome(event)


def logged(lines: io.StringIO, message: str) -> list[dict[str, Any]]:
    return [one for one in map(json.loads, lines.getvalue().splitlines()) if one["message"] == message]


def test_the_prompt_tells_who_reads_the_answer(worker: PushedWorker, direct: ChatEvents, group: ChatEvents) -> None:
    answered(worker, direct, HELLO)
    assert "This is a 1:1 chat." in worker.prompt()

    answered(worker, group, HELLO)
    assert "everybody in it reads your answer" in worker.prompt()


def test_a_decision_is_logged_with_its_silence(worker: PushedWorker, direct: ChatEvents, lines: io.StringIO) -> None:
    spoken = answered(worker, direct, HELLO)
    silent = answered(worker, direct, calling(("skip", {"reason": "noise", "kind": "thanks"})))

    assert (spoken["kind"], silent["kind"]) == ("replied", "skipped")
    told = [(one["silent"], one["skip_kind"]) for one in logged(lines, "turn_decided")]
    assert told == [(False, None), (True, "thanks")]


def test_links_that_nobody_gave_are_counted_in_the_log(
    worker: PushedWorker, direct: ChatEvents, lines: io.StringIO
) -> None:
    answered(worker, direct, HELLO)
    assert logged(lines, "links_removed") == []

    reply = calling(("reply", {"message": "see this: https://example.com/a"}))

    outcome = answered(worker, direct, reply, reply)

    assert outcome["text"] == "see this: …"
    assert [one["links"] for one in logged(lines, "links_removed")] == [1]


@pytest.mark.parametrize("more", [0, 1])
def test_a_footnote_stands_in_the_answer_as_long_as_bubbles_have_room(
    worker: PushedWorker, direct: ChatEvents, lines: io.StringIO, more: int
) -> None:
    length = DIGEST.text_limit - len("hello\n\n") + more

    outcome = answered(worker, direct, calling(("cite", {"length": length})), HELLO)

    assert outcome["text"] == ("hello" if more else f"hello\n\n{'f' * length}")
    assert len(logged(lines, "footnote_left_out")) == more


@pytest.mark.parametrize("words", ["A cook bakes bread.", ""])
def test_a_fixed_line_that_the_model_repeats_from_an_earlier_answer_is_said_once(
    worker: PushedWorker, direct: ChatEvents, words: str
) -> None:
    repeated = f"{words}\n\n(I watched 8 minutes. It used 49,900 of today’s tokens.)"

    outcome = answered(worker, direct, calling(("watch", {})), calling(("reply", {"message": repeated})))

    assert outcome["text"] == f"{words}\n\n{WATCHED}".strip()


def test_sources_that_the_model_names_stay(worker: PushedWorker, direct: ChatEvents) -> None:
    outcome = answered(
        worker, direct, calling(("source", {})), calling(("reply", {"message": "Rain.\nGoogle: Osaka weather"}))
    )

    assert outcome["text"] == f"Rain.\nGoogle: Osaka weather\n\n{SOURCES}"


def test_only_an_answer_about_much_may_be_long(worker: PushedWorker, direct: ChatEvents) -> None:
    long = calling(("reply", {"message": "word. " * 300}))

    assert len(answered(worker, direct, long)["text"]) <= ANSWER.text_limit
    digest = calling(("generate_digest", {"type": "weekly"}))
    assert len(answered(worker, direct, digest, long)["text"]) > ANSWER.text_limit


def test_the_words_of_an_answer_have_no_marks_of_the_system(worker: PushedWorker, direct: ChatEvents) -> None:
    assert answered(worker, direct, calling(("reply", {"message": "✓ Deleted: lunch"})))["text"] == "- Deleted: lunch"


@pytest.mark.parametrize("blank", ["\u200b", "\u3164 \u2060", "\u2800", "\ufe0f\u00ad\n\u200d"])
def test_an_answer_of_which_nothing_can_be_seen_is_none(worker: PushedWorker, direct: ChatEvents, blank: str) -> None:
    outcome = answered(worker, direct, *[calling(("reply", {"message": blank}))] * 2)

    assert outcome["kind"] == "apologised"
    assert outcome["text"].strip()


@pytest.mark.parametrize(
    "blank", [" ", "\u200b", "\n\n", "https://video.example/", "[Video](https://video.example/)", "**\u3164**"]
)
def test_an_answer_of_which_nothing_would_be_left_is_asked_for_again(
    worker: PushedWorker, direct: ChatEvents, blank: str
) -> None:
    outcome = answered(worker, direct, calling(("reply", {"message": blank})), HELLO)

    assert outcome["text"] == "hello"
    assert "Answer in words" in worker.prompt()


@pytest.mark.parametrize(
    "result", ['{"clarificationNeeded": true}', '```json\n{"path": "inbox/a.md", "clarificationNeeded": true}\n```']
)
def test_the_result_of_a_function_never_reaches_people(worker: PushedWorker, direct: ChatEvents, result: str) -> None:
    raw = calling(("reply", {"message": result}))

    assert answered(worker, direct, raw, HELLO)["text"] == "hello"
    outcome = answered(worker, direct, raw, raw)
    assert (outcome["kind"], "clarification" in outcome["text"]) == ("apologised", False)


def test_words_around_a_link_that_is_taken_out_are_an_answer(worker: PushedWorker, direct: ChatEvents) -> None:
    reply = calling(("reply", {"message": "Search for the official site.\nhttps://video.example/"}))

    assert answered(worker, direct, reply, reply)["text"] == "Search for the official site."


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("公式サイト (https://a.example) をどうぞ", "公式サイト をどうぞ"),
        ("公式サイト（https://a.example）をどうぞ", "公式サイトをどうぞ"),
        ("[公式サイト](https://a.example)をどうぞ", "公式サイトをどうぞ"),
        ("「https://a.example」と【https://b.example】です", "「…」とです"),
        ("店 (https://a.example, https://b.example) です", "店 です"),
        ("こちら：https://a.example。どうぞ", "こちら：…。どうぞ"),
        ("リンク集\n- https://a.example\n・https://b.example\n1. https://c.example\n\nどうぞ", "リンク集\n\nどうぞ"),
        ("店 (駅前、https://a.example) です", "店 (駅前、…) です"),
        ("a.example/x です", "… です"),
    ],
)
def test_a_sentence_stays_whole_where_a_link_is_taken_out_of_it(
    worker: PushedWorker, direct: ChatEvents, said: str, shown: str
) -> None:
    reply = calling(("reply", {"message": said}))

    assert answered(worker, direct, reply, reply)["text"] == shown


def test_a_reply_that_would_lose_a_link_is_asked_for_once_more(worker: PushedWorker, direct: ChatEvents) -> None:
    linked = calling(("reply", {"message": "こちら：https://a.example/a。どうぞ"}))
    better = calling(("reply", {"message": "公式サイトは検索すると見つかります。"}))

    outcome = answered(worker, direct, linked, better)

    assert outcome["text"] == "公式サイトは検索すると見つかります。"
    assert "neither a person nor a function gave" in worker.prompt()


def test_a_promise_without_its_call_is_asked_for_once_more(worker: PushedWorker, direct: ChatEvents) -> None:
    promise = calling(("reply", {"message": "明日の9時にリマインドしますね。"}))
    asking = calling(("reply", {"message": "何についてリマインドしましょうか？"}))

    assert answered(worker, direct, promise, asking, text="よろしく")["text"] == "何についてリマインドしましょうか？"
    assert "no function of this turn" in worker.prompt()


def test_a_blocked_prompt_is_asked_again_without_the_chat_and_without_names(
    worker: PushedWorker, group: ChatEvents
) -> None:
    worker.profiles.names[YUKI] = "BADNAME"
    seen: list[str] = []

    def blocked(request: ModelRequest) -> ModelResponse:
        seen.append("".join(text for one in request.contents for text in getattr(one, "texts", ())))
        return unusable("", block_reason="PROHIBITED_CONTENT") if "BAD" in seen[-1] else HELLO

    worker.deliver(group.text("BADWORD, overheard"))
    outcome = answered(worker, group, *[blocked] * 12)

    assert outcome["text"] == "hello"
    assert "BADWORD" in seen[0]
    assert "BADNAME" in seen[0]
    assert seen[1].endswith("] hi")


def test_a_tool_that_took_too_long_stages_nothing_that_the_receipt_does_not_tell(
    pool: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    contexts: list[TurnContext] = []

    def keep(_: Json, context: TurnContext) -> Json:
        contexts.append(context)
        return {}

    look = Tool(name="look", description="", parameters=ANY, response=ANY, run=keep)
    person = Person(PushedWorker(pool, more_tools=(look,)), is_in_group=False)
    entry = person.files("lunch")

    def receipt_before_the_deletion(deeds: Sequence[Deed], *, locale: str) -> str:
        told = receipt(deeds, locale=locale)
        overlay = contexts[-1].staged.of(EntryOverlay)
        with contextlib.suppress(StagingFault):
            overlay.stage({"ideas/lunch.md": None})
        return told

    monkeypatch.setattr(responder, "receipt", receipt_before_the_deletion)
    asked = person.says("what is new?", calling(("look", {})), HELLO)

    assert person.worker.outcome(asked)["text"] == "hello"
    stored = person.worker.store.read(entry)
    assert stored is not None
    assert stored.data.startswith(b"---")


def test_an_apology_rests_on_no_message(worker: PushedWorker, direct: ChatEvents) -> None:
    outcome = answered(worker, direct, ModelRefusedError("400"))

    assert (outcome["kind"], outcome["answers"]) == ("apologised", [])
    assert decode(OutcomeRecord, json.dumps(outcome).encode()).is_fixed


def test_a_prompts_version_changes_with_its_instruction_and_with_its_tools() -> None:
    versions = {prompt_version("a", ("b",)), prompt_version("a", ("c",)), prompt_version("d", ("b",))}

    assert len(versions) == 3
    assert {len(one) for one in versions} == {12}


@pytest.mark.parametrize(("think", "told"), [(HELLO, None), (ModelRefusedError("400"), "apologised")])
def test_the_span_of_a_turn_tells_of_an_apology(
    worker: PushedWorker, direct: ChatEvents, think: Step, told: str | None
) -> None:
    spans = InMemorySpanExporter()
    tracing.bind(
        OpenTelemetryTracer(SimpleSpanProcessor(spans), project_id="p", service_name="s", provider_name="gcp.gemini")
    )

    answered(worker, direct, think)
    tracing.bind(None)

    (turn,) = [one for one in spans.get_finished_spans() if one.name.startswith("invoke_agent")]
    assert (turn.attributes or {}).get(tracing.ERROR_TYPE) == told
