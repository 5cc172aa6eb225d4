"""One blocked word, one broken picture: who sent it is told, and everybody else is answered; through the real functions and SDKs."""

from collections.abc import Iterator

import pytest

from shared.line.phrases import Phrase
from simulator.gemini.refusals import Refusals
from simulator.line.media import Media
from tests.e2e.conftest import Person, Platform
from tests.support.phrases import japanese

WORD = "FORBIDDEN"
BROKEN = Media(content=b"\xff\xd8\xff DAMAGED", content_type="image/jpeg")
_INNOCENT = 6


@pytest.fixture(autouse=True)
def refusing(platform: Platform) -> Iterator[None]:
    refusals = Refusals(blocked_words=(WORD,), broken_media=("DAMAGED",))
    platform.do(lambda stack: setattr(stack.gemini, "refusals", refusals))
    yield
    platform.do(lambda stack: setattr(stack.gemini, "refusals", Refusals()))


def kinds(platform: Platform) -> list[str]:
    """Return what became of each request to the model."""
    return platform.do(lambda stack: [one.kind for one in stack.gemini.requests])


def test_a_blocked_word_is_refused_once_and_every_later_message_is_answered(platform: Platform, person: Person) -> None:
    before = len(person.hears())
    person.says(f"{WORD} とは？")
    assert person.hears_next(after=before) == japanese(Phrase.APOLOGY_REFUSED)
    platform.settle()
    refused = kinds(platform).count("blocked")

    for number in range(_INNOCENT):
        person.says(f"こんにちは {number}")
        assert person.hears_next(after=before + 1 + number) != japanese(Phrase.APOLOGY_REFUSED)

    platform.settle()
    assert refused == 3  # the prompt, only what was asked, and the probe
    assert kinds(platform).count("blocked") == refused
    assert all(WORD.encode() not in data for name, data in platform.bucket().items() if "snapshots/" in name)


def test_an_unsend_of_a_blocked_message_takes_its_mark(platform: Platform, person: Person) -> None:
    before = len(person.hears())
    line_message_id = person.says(f"{WORD} とは？")
    person.hears_next(after=before)
    platform.settle()
    marked = [
        name for name, data in platform.bucket().items() if line_message_id.encode() in data and b"refused" in data
    ]
    assert [name.split("/")[0] for name in marked] == ["snapshots"]

    person.unsends(line_message_id)
    platform.settle()
    platform.carry_out_due()

    assert [name for name in platform.names("snapshots/") if _marks(platform, name, line_message_id)] == []


def test_a_broken_picture_spoils_no_later_question(platform: Platform, person: Person) -> None:
    before = len(person.hears())
    platform.do(lambda stack: stack.line.send_image(person.id, person.id, BROKEN))
    assert person.hears_next(after=before) != japanese(Phrase.APOLOGY_BUSY)
    platform.settle()
    refused = kinds(platform).count("refused")

    person.says("2+2は？")
    assert person.hears_next(after=before + 1) != japanese(Phrase.APOLOGY_BUSY)

    assert refused >= 1
    assert kinds(platform).count("refused") == refused


def _marks(platform: Platform, name: str, line_message_id: str) -> bool:
    data = platform.bucket().get(name, b"")
    return f'"refused":[{{"id":"{line_message_id}"'.encode() in data.replace(b" ", b"")
