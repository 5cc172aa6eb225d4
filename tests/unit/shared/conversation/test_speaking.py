from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.adapters.memory import FixedClock, MemoryLineApi, MemoryObjectStore
from shared.conversation.journal import Journal
from shared.conversation.records import OutcomeKind, OutcomeRecord
from shared.conversation.speaking import Speaker

CHAT = "U" + "1" * 32


@pytest.fixture
def journal() -> Iterator[Journal]:
    with ThreadPoolExecutor(2) as reads:
        yield Journal(store=MemoryObjectStore(), reads=reads)


def outcome(text: str | None, kind: OutcomeKind = OutcomeKind.REPLIED) -> OutcomeRecord:
    return OutcomeRecord(webhook_event_id="e1", timestamp_ms=1, kind=kind, covers=("m1",), saw=("m1",), text=text)


def say(journal: Journal, line: MemoryLineApi, spoken: OutcomeRecord) -> OutcomeRecord:
    return Speaker(journal=journal, line=line, clock=FixedClock()).say(CHAT, spoken, reply_token="t1")


@pytest.mark.parametrize(
    ("fates", "kind"),
    [
        ([], OutcomeKind.REPLIED),
        (["refused"], OutcomeKind.UNDELIVERED),
        (["unknown, not sent"] * 3, OutcomeKind.UNKNOWN),
    ],
)
def test_history_says_what_the_user_saw(journal: Journal, fates: list[str], kind: OutcomeKind) -> None:
    line = MemoryLineApi(fates=fates)

    said = say(journal, line, outcome("hello"))

    assert said.kind is kind
    assert journal.outcome_of(CHAT, "e1") == said


def test_an_apology_stays_an_apology(journal: Journal) -> None:
    assert say(journal, MemoryLineApi(), outcome("sorry", OutcomeKind.APOLOGISED)).kind is OutcomeKind.APOLOGISED


def test_silence_spends_no_token(journal: Journal) -> None:
    line = MemoryLineApi()

    assert say(journal, line, outcome(None, OutcomeKind.SKIPPED)).kind is OutcomeKind.SKIPPED
    assert line.calls == 0


def test_nothing_is_said_about_what_was_withdrawn_meanwhile(journal: Journal) -> None:
    line = MemoryLineApi()
    journal.withdraw(CHAT, "m1", timestamp_ms=2)

    said = say(journal, line, outcome("your pin is 4711"))

    assert line.calls == 0
    assert (said.kind, said.text) == (OutcomeKind.WITHDRAWN, None)


def test_a_text_that_is_long_for_line_is_sent_whole_in_one_call(journal: Journal) -> None:
    line = MemoryLineApi()

    say(journal, line, outcome("😀" * 5_000))

    assert [len(bubble) for bubble in line.replies["t1"]] == [2_500, 2_500]
    assert line.calls == 1
