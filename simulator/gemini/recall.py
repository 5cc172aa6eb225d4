"""Finds in earlier messages what somebody asks to be reminded of: their last words, or a fact such as `my name is Yuki`.

Relies on the patterns in `phrases`. Of several statements the latest counts. In a group, only what the same person said.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.gemini.conversation import Message
    from simulator.gemini.phrases import Phrases

_QUESTION_MARK = re.compile(r"[?\uff1f]")


def last_words(messages: tuple[Message, ...], phrases: Phrases) -> str | None:
    """What the asker said before; repeated questions for it are passed over. None where there is nothing."""
    asker = messages[-1]
    for message in reversed(messages[:-1]):
        is_same_question = re.fullmatch(phrases.asks_what_was_said, message.words.casefold(), re.DOTALL)
        if message.words and not is_same_question and _same_person(message, asker):
            return message.words
    return None


def asked_key(words: str, phrases: Phrases) -> str | None:
    """The thing that a question asks after, as it was worded: `favorite color`; None where it is no such question."""
    for pattern in phrases.questions:
        asked = re.fullmatch(pattern, words, re.IGNORECASE | re.DOTALL)
        if asked:
            return asked["key"].strip() or None
    return None


def stated_value(key: str, messages: tuple[Message, ...], phrases: Phrases) -> str | None:
    """What the asker said that `key` is; for a name nobody stated, the name that the chat shows."""
    asker = messages[-1]
    wanted = _canonical(key, phrases)
    for message in reversed(messages[:-1]):
        if _QUESTION_MARK.search(message.words) or not _same_person(message, asker):
            continue
        for pattern in phrases.statements:
            for stated in reversed(list(re.finditer(pattern, message.words, re.IGNORECASE))):
                found = stated.groupdict().get("key") or phrases.name_key
                if _canonical(found, phrases) == wanted:
                    return stated["value"].strip()
    return asker.speaker if wanted == phrases.name_key else None


def _same_person(message: Message, asker: Message) -> bool:
    return message.speaker is None or asker.speaker is None or message.speaker == asker.speaker


def _canonical(key: str, phrases: Phrases) -> str:
    whole = phrases.same_keys.get(key, key).casefold()
    return " ".join(word for word in (phrases.same_keys.get(word, word) for word in whole.split()) if word)
