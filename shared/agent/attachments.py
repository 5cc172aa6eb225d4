"""Texts of the code that stand below an answer as they are, such as a digest: never retyped by the model, and in the answer's language."""

import re
from collections.abc import Callable
from threading import Lock
from typing import Final, TypeAlias

from shared.line.cards.card import Card, written

_NUMBER: Final = re.compile(r"\d[\d,.]*")
MakesCard: TypeAlias = Callable[[str, str], Card | None]
DrawsCard: TypeAlias = Callable[[str], Card | None]


class Attachments:
    """The attached texts of a turn, in order; safe to share between threads."""

    def __init__(self) -> None:
        self._texts: list[Callable[[str], str]] = []
        self._drawn: list[DrawsCard] = []
        self._cards: list[MakesCard] = []
        self._sources = 0
        self._lock = Lock()

    def number_sources(self, count: int) -> int:
        """Reserve numbers for the sources of a search; return how many sources of the turn have numbers already: 0, then 5 after five."""
        with self._lock:
            numbered, self._sources = self._sources, self._sources + count
            return numbered

    def add(self, text: Callable[[str], str]) -> None:
        """Attach a text, given as a function of the locale."""
        with self._lock:
            self._texts.append(text)

    def add_drawn(self, draw: DrawsCard) -> None:
        """Attach the words of a card, given as a function of the locale; where cards are drawn, the card stands in place of the words.

        The function is called when the answer is made, so that it draws what the turn has changed meanwhile; None: nothing is left to show.
        """

        def words(locale: str) -> str:
            card = draw(locale)
            return written(card) if card is not None else ""

        with self._lock:
            self._texts.append(words)
            self._drawn.append(draw)

    def drawn(self, locale: str) -> Card | None:
        """Return the last card whose words are attached."""
        with self._lock:
            drawn = [*self._drawn]
        cards = (draw(locale) for draw in reversed(drawn))
        return next((card for card in cards if card is not None), None)

    def add_card(self, card: MakesCard) -> None:
        """Offer a card that stands below the answer, given as a function of the answer's text and locale."""
        with self._lock:
            self._cards.append(card)

    def card(self, text: str, locale: str) -> Card | None:
        """Return the card of the last tool that has one for this answer."""
        with self._lock:
            cards = (card(text, locale) for card in reversed(self._cards))
            return next((card for card in cards if card is not None), None)

    def texts(self, locale: str) -> tuple[str, ...]:
        """Return the texts in a locale; equal texts count once.

        For example, a digest that the model has asked for twice stands below the answer once.
        """
        with self._lock:
            texts = [*self._texts]
        return tuple(dict.fromkeys(filter(None, (text(locale) for text in texts))))


def without_lines_of(attached: tuple[str, ...], text: str) -> str:
    """Return the model's text without the lines that the attached texts hold as well, whatever marks the lines begin with.

    For example, an answer that is the digest retyped becomes "".
    """
    lines = {_worded(line) for one in attached for line in one.split("\n")} - {""}
    return "\n".join(line for line in text.split("\n") if _worded(line) not in lines).strip()


def without_footnotes(footnotes: tuple[str, ...], text: str) -> str:
    """Return the model's text without the lines that repeat a footnote of one line, with whatever numbers.

    An earlier answer in the prompt may end with the same fixed line. For example, the line "(It used 49,900 tokens.)" goes where the
    footnote is "(It used 50,700 tokens.)". Lines of footnotes with sources, such as links, stay.
    """
    lines = {_unnumbered(one) for one in footnotes if "\n" not in one} - {""}
    if not lines:
        return text
    return "\n".join(line for line in text.split("\n") if _unnumbered(line) not in lines).strip()


def _unnumbered(line: str) -> str:
    return _NUMBER.sub("#", _worded(line))


def _worded(line: str) -> str:
    return line.strip(" \t*-•・:【】#_。.\uff1a")
