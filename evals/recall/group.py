"""A group of six people and its messages in three languages, made by a seed: chatter and planted facts."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from shared.conversation.records import MessageRecord

MESSAGES: Final = 10_000
WINDOW: Final = 150
"""The newest messages, which prompts and recaps still hold; no fact is planted among them."""
PEOPLE: Final = {
    f"U{number:032x}": name for number, name in enumerate(("Ben", "Claire", "Nok", "結衣", "健太", "เมย์"), 1)
}
ENDS_MS: Final = 1_794_000_000_000  # 2026-11-06
_EVERY_MS: Final = 3_000_000
_FOLDER: Final = Path(__file__).parent


class Fact(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A sentence said once, and a query for the sentence, for example "grandma is allergic to walnuts" and "allergic walnuts"."""

    language: str
    text: str
    ask: str


class Texts(msgspec.Struct, frozen=True):
    """Facts, and the chatter of each language with the words that fill it in."""

    facts: list[Fact]
    chatter: dict[str, list[str]]
    words: dict[str, dict[str, list[str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The messages of a group, oldest first, and the facts by message id.

    For example, `{"m17": Fact(language="en", text="grandma is allergic to walnuts", ask="allergic walnuts")}`.
    """

    messages: tuple[MessageRecord, ...] = field(repr=False)
    facts: dict[str, Fact] = field(repr=False)


def make_group(*, seed: int = 0, messages: int = MESSAGES, ends_ms: int = ENDS_MS, also: Texts | None = None) -> Group:
    """Return the group of a seed: almost a year of messages until `ends_ms`.  Equal seeds make equal groups.

    `also`: further facts, and chatter in a further language.
    """
    texts = msgspec.yaml.decode((_FOLDER / "group.yaml").read_bytes(), type=Texts)
    if also is not None:
        texts = Texts(
            facts=[*texts.facts, *also.facts],
            chatter={**texts.chatter, **also.chatter},
            words={**texts.words, **also.words},
        )
    chance = random.Random(seed)  # noqa: S311 - it draws chatter
    places = sorted(chance.sample(range(messages - WINDOW), len(texts.facts)))
    planted = dict(zip(places, chance.sample(texts.facts, len(texts.facts)), strict=True))
    texts_in_order = [planted[place].text if place in planted else _chatter(texts, chance) for place in range(messages)]
    begins_ms = ends_ms - messages * _EVERY_MS
    records = tuple(_message(place, text, begins_ms, chance) for place, text in enumerate(texts_in_order))
    return Group(messages=records, facts={records[place].line_message_id: fact for place, fact in planted.items()})


def _chatter(texts: Texts, chance: random.Random) -> str:
    language = chance.choice(sorted(texts.chatter))
    words = {kind: chance.choice(choices) for kind, choices in texts.words[language].items()}
    return chance.choice(texts.chatter[language]).format(**words, number=chance.randint(2, 59))


def _message(place: int, text: str, begins_ms: int, chance: random.Random) -> MessageRecord:
    return MessageRecord(
        line_message_id=f"m{place}",
        webhook_event_id=f"e{place}",
        timestamp_ms=begins_ms + place * _EVERY_MS + chance.randrange(_EVERY_MS),
        type="text",
        addressed=False,
        text=text,
        user_id=chance.choice(sorted(PEOPLE)),
    )


def ids_of(messages: Sequence[MessageRecord]) -> tuple[str, ...]:
    """Return the ids of the messages, such as `("m0", "m1")`."""
    return tuple(one.line_message_id for one in messages)
