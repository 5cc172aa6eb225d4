"""What the asker said earlier in the chat: the last words, or a fact such as `my name is Yuki`.

The latest statement of a fact counts. In a group, only the asker's messages count: after "my name is Yuki" by Yuki and "my name is Ken" by
Ken, for example, Yuki's question "what is my name" is answered by "Yuki".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.gemini.default_model.phrases import Phrases
    from simulator.gemini.default_model.transcript import Message

_QUESTION_MARK = re.compile(r"[?\uff1f]")


def last_words(messages: tuple[Message, ...], phrases: Phrases) -> str | None:
    """Return the asker's words before the question; repetitions of the question are skipped."""
    asker = messages[-1]
    for message in reversed(messages[:-1]):
        is_same_question = re.fullmatch(phrases.asks_what_was_said, message.words.casefold(), re.DOTALL)
        if message.words and not is_same_question and _is_same_person(message, asker):
            return message.words
    return None


def key_asked_for(words: str, phrases: Phrases) -> str | None:
    """Return the name of the fact in question, e.g. `name` for "what is my name?"; None for any other sentence."""
    question = re.fullmatch(phrases.question, words, re.IGNORECASE | re.DOTALL)
    return (question["key"].strip() or None) if question else None


def value_of(key: str, messages: tuple[Message, ...], phrases: Phrases) -> str | None:
    """Return the value stated by the asker for the key."""
    asker = messages[-1]
    for message in reversed(messages[:-1]):
        if _QUESTION_MARK.search(message.words) or not _is_same_person(message, asker):
            continue
        for statement in reversed(list(re.finditer(phrases.statement, message.words, re.IGNORECASE))):
            if statement["key"].casefold() == key.casefold():
                return statement["value"].strip()
    return None


def _is_same_person(message: Message, asker: Message) -> bool:
    return message.speaker is None or asker.speaker is None or message.speaker == asker.speaker
