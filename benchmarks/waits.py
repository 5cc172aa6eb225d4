"""What a person waits for: sequential requests to the model, and round trips of storage that no request covers, before the reply.

Played in virtual time (`benchmarks.virtual_chat`), so the figures are exact; CPU time is not in them, and the section on turns measures it.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from benchmarks.samples import Comparison
from benchmarks.table import Goal, Row, Section, at_most
from benchmarks.virtual_chat import MODEL_S, REPLY, Burst, PlainBot, Step, VirtualChat, Wait, result_of
from shared.agent.model import Json, ModelRequest
from tests.simulation.notion import DATABASE

STORAGE_S: Final = 0.03
"""A call of a real bucket."""
AT_ONCE_S: Final = 1e-6
"""A call of storage that answers at once: what then remains over the model are pauses of our own."""
APARTS_S: Final = (0.3, 0.8, 1.5)
BUBBLES: Final = 5
SETTLE_S: Final = 0.5
_TALK_TRIPS: Final = 4
_BURSTS: Final = 1_000 // BUBBLES
_NOTE: Final[Json] = {"text": "buy milk", "category": "admin", "name": "buy milk", "confidence": 0.95}
_REMINDER: Final[Json] = {"text": "call mum", "at": "2025-11-30T10:00"}
_Script: TypeAlias = Callable[[VirtualChat], Sequence[Step]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What a person asks for: `before` are earlier turns, `script` the answers of the model.

    `requests` and `round_trips` are goals, for a warm instance; Notion decides about its own calls, so they have no goal.
    """

    name: str
    requests: int
    round_trips: int | None
    before: Sequence[_Script] = field(default=(), repr=False)
    script: _Script = field(repr=False)
    has_notion: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The figures of a situation with storage of STORAGE_S; `paused_ms`: over the model with storage that answers at once.

    `holding`: round trips in a warm instance from the reply call, which counts as one, to the record of the outcome: as long as the chat's
    next turn waits.
    """

    requests: int
    round_trips: int
    cold_round_trips: int
    holding: int
    paused_ms: int


def _answers(*steps: Step) -> _Script:
    return lambda _: steps


def _note(chat: VirtualChat) -> Sequence[Step]:  # noqa: ARG001 - a _Script
    return [[("classify_and_capture", _NOTE), REPLY]]


def _remind(chat: VirtualChat) -> Sequence[Step]:  # noqa: ARG001 - a _Script
    return [[("create_reminder", _REMINDER), REPLY]]


def _on_reminder(tool: str, **arguments: str) -> _Script:
    def script(chat: VirtualChat) -> Sequence[Step]:
        [(_, data)] = chat.stored("reminders/")
        return [[(tool, {"id": json.loads(data)["id"], **arguments}), REPLY]]

    return script


def _mark_done(chat: VirtualChat) -> Sequence[Step]:
    paths = [name.split("/", 2)[2] for name, _ in chat.stored("entries/")]
    [path] = [path for path in paths if path.startswith("admin/")]
    return [[("update_entry", {"path": path, "updates": {"status": "done"}}), REPLY]]


def _update_page(request: ModelRequest) -> Sequence[tuple[str, Json]]:
    page_ids = re.findall(r"'page_id': '([^']+)'", str(result_of(request)))
    return [("update_page", {"page_id": page_ids[0], "properties": {"購入済み": True}})]


SITUATIONS: Final = (
    Situation(name="talk", requests=1, round_trips=3, script=_answers()),
    Situation(name="keep a note", requests=1, round_trips=6, script=_note),
    Situation(name="set a reminder", requests=1, round_trips=5, script=_remind),
    Situation(
        name="change a reminder",
        requests=1,
        round_trips=5,
        before=[_remind],
        script=_on_reminder("change_reminder", at="2025-11-30T12:00"),
    ),
    Situation(
        name="cancel a reminder", requests=1, round_trips=5, before=[_remind], script=_on_reminder("cancel_reminder")
    ),
    Situation(name="mark done", requests=1, round_trips=6, before=[_note], script=_mark_done),
    Situation(
        name="search, then answer",
        requests=2,
        round_trips=5,
        before=[_note],
        script=_answers([("search_entries", {"query": "milk"})], [REPLY]),
    ),
    Situation(
        name="change a page in Notion",
        requests=3,
        round_trips=None,
        before=[_answers([("create_page", {"database_name": DATABASE, "title": "milk"})], [REPLY])],
        script=_answers([("search_database", {"database_name": DATABASE})], _update_page, [REPLY]),
        has_notion=True,
    ),
)


def figures(situation: Situation) -> Figures:
    """Play the situation in a warm and in a cold instance, and with storage that answers at once."""
    warm, cold = (_wait(situation, is_cold=is_cold) for is_cold in (False, True))
    return Figures(
        requests=warm.requests,
        round_trips=round(warm.over_model_s / STORAGE_S),
        cold_round_trips=round(cold.over_model_s / STORAGE_S),
        holding=round(warm.held_s / STORAGE_S),
        paused_ms=round(_wait(situation, call_s=AT_ONCE_S).over_model_s * 1_000),
    )


def _wait(situation: Situation, *, is_cold: bool = False, call_s: float = STORAGE_S) -> Wait:
    with VirtualChat(call_s=call_s, has_notion=situation.has_notion).playing() as chat:
        for script in (_answers(), *situation.before):
            chat.ask(script(chat))
        return chat.ask(situation.script(chat), is_cold=is_cold)


def bubbles(apart_s: float) -> tuple[Burst, Burst]:
    """Return what becomes of BUBBLES messages, and what a plain bot makes of them."""
    with VirtualChat(call_s=STORAGE_S).playing() as chat:
        chat.ask()
        burst = chat.burst(BUBBLES, apart_s=apart_s)
    return burst, PlainBot(call_s=STORAGE_S).burst(BUBBLES, apart_s=apart_s)


def settled(apart_s: float) -> Burst:
    """Return what a settle window makes of BUBBLES messages: a turn begins SETTLE_S after its first message, and answers what has come.

    Example: of messages 0.8 s apart, the first is answered alone; the second, which comes meanwhile, waits for the next turn.
    """
    waiting_s, free_s, answers = [number * apart_s for number in range(BUBBLES)], 0.0, 0
    while waiting_s:
        asked_s = max(waiting_s[0] + SETTLE_S, free_s)
        waiting_s = [at_s for at_s in waiting_s if at_s > asked_s]
        free_s, answers = asked_s + MODEL_S + _TALK_TRIPS * STORAGE_S, answers + 1
    return Burst(answers=answers, requests=answers, tokens=0, last_answer_s=free_s - (BUBBLES - 1) * apart_s)


def sections() -> list[Section]:
    """Return the sections of the table."""
    return [
        Section(
            title=f"What a person waits for, before the reply; the model takes {MODEL_S:g} s, storage {STORAGE_S * 1_000:g} ms",
            rows=[row for situation in SITUATIONS for row in _rows(situation, figures(situation))],
            note="in virtual time. plain: a bot that asks the model about the message and replies",
        ),
        Section(
            title=f"{BUBBLES} messages of one person in a row",
            rows=[row for apart_s in APARTS_S for row in _bubble_rows(apart_s)],
            note=f"settle: a window of {SETTLE_S:g} s before each turn, computed; its tokens are requests times the mean of ours",
        ),
    ]


def _rows(situation: Situation, measured: Figures) -> Iterator[Row]:
    name = situation.name
    wait_s = measured.requests * MODEL_S + measured.round_trips * STORAGE_S
    yield _row(f"{name}: requests to the model", (measured.requests, 1), "plain", goal=at_most(situation.requests))
    trips = (measured.round_trips, measured.cold_round_trips)
    goal = None if situation.round_trips is None else at_most(situation.round_trips)
    yield _row(f"{name}: round trips", trips, "cold", goal=goal)
    yield _row(f"{name}: round trips from the reply to the record", (measured.holding, 2), "plain answer")
    yield _row(f"{name}: until the reply", (wait_s * 1_000, MODEL_S * 1_000), "plain", unit="ms")
    over_model_ms = measured.round_trips * STORAGE_S * 1_000
    yield _row(f"{name}: over the model", (over_model_ms, measured.paused_ms), "storage at 0 ms", unit="ms")


def _bubble_rows(apart_s: float) -> Iterator[Row]:
    burst, plain = bubbles(apart_s)
    before = settled(apart_s)
    label, last = f"{apart_s:g} s apart", "from the last message to the last answer"
    tokens, tokens_before = burst.tokens, burst.tokens / burst.requests * before.requests
    goal = at_most(1) if apart_s < MODEL_S else None  # later messages come after the answer
    yield _row(f"{label}: answers", (burst.answers, plain.answers), "plain", goal=goal)
    yield _row(f"{label}: answers", (burst.answers, before.answers), "settle")
    yield _row(f"{label}: {last}", (burst.last_answer_s * 1_000, plain.last_answer_s * 1_000), "plain", unit="ms")
    yield _row(f"{label}: {last}", (burst.last_answer_s * 1_000, before.last_answer_s * 1_000), "settle", unit="ms")
    requests = (burst.requests * _BURSTS, before.requests * _BURSTS)
    yield _row(f"{label}: requests for 1,000 such messages", requests, "settle")
    thousands = (tokens * _BURSTS / 1_000, tokens_before * _BURSTS / 1_000)
    yield _row(f"{label}: thousand tokens for these", thousands, "settle")


def _row(label: str, pair: tuple[float, float], name: str, *, unit: str = "", goal: Goal | None = None) -> Row:
    return Row(label=label, against=name, unit=unit, comparison=Comparison.of([pair]), goal=goal)
