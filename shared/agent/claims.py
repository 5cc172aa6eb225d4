# ruff: noqa: RUF001, RUF002 - the punctuation of four languages
"""Claims of a reply without the matching call: 「リマインドしますね」 in a turn that sets no reminder."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from shared.agent.claim_words import (
    ADMISSION,
    ANYTHING_ELSE,
    DONE,
    FINISHED,
    NO_CLAIM,
    NO_PROMISE,
    PROMISED,
    QUESTION,
    Claim,
)
from shared.late_patterns import late

_ALL: Final = frozenset(Claim)
_NONE: Final[frozenset[Claim]] = frozenset()
_BACKED_BY: Final[Mapping[str, frozenset[Claim]]] = {
    "append_block": frozenset({Claim.NOTE}),
    "call_person": _NONE,
    "cancel_reminder": frozenset({Claim.DELETION}),
    "classify_and_capture": frozenset({Claim.NOTE}),
    "create_page": frozenset({Claim.NOTE}),
    "create_reminder": frozenset({Claim.REMINDER, Claim.NOTE}),
    "delete_entry": frozenset({Claim.DELETION}),
    "generate_digest": _NONE,
    "get_entry": _NONE,
    "list_entries": _NONE,
    "list_own_facts": _NONE,
    "list_reminders": frozenset({Claim.REMINDER}),
    "propose_translation": _NONE,
    "read_link": _NONE,
    "recall": _NONE,
    "reply": _NONE,
    "search_database": _NONE,
    "search_entries": _NONE,
    "skip": _NONE,
    "watch_video": _NONE,
    "web_search": _NONE,
}
"""The claims that a call makes true; any other tool, for example one of a tool server, makes all of them true."""
_READ: Final = 2_000
"""Characters of a message that are read; what people see of most replies has 500."""
_QUOTED: Final = late(re.compile, r"「[^」]*」|『[^』]*』|“[^”]*”|\"[^\"\n]*\"|《[^》]*》")
_THAI_END: Final = late(re.compile, r"(ค่ะ|ครับ|คะ|จ้า|แล้ว) +")
"""The end of a clause in Thai, which writes no full stops."""
_COMMA: Final = late(re.compile, "[，,、]")
_SENTENCE: Final = late(re.compile, r"[^。！!？?\n.]+(?:\.(?!\s|$)[^。！!？?\n.]*)*[。！!？?.]*")


def unbacked_claims(message: str, called: Collection[str]) -> frozenset[Claim]:
    """Return the deeds that the message claims and that none of the `called` tools can have done.

    For example, "I've set a reminder" claims a reminder. Questions, quoted words, deeds of earlier turns and of other people, and
    promises that wait for something from the person are no claims.
    """
    claims = frozenset(_claims(message))
    return claims.difference(*(_BACKED_BY.get(tool, _ALL) for tool in called)) if claims else claims


def is_claimed_done(message: str) -> bool:
    """Whether the message calls a change done, and says nothing of a failure: 「完了にしました」, but not 「変更できませんでした」."""
    text = _QUOTED.sub("“”", message[:_READ])
    if ADMISSION.search(text) is not None:
        return False
    statements = (_without_question(one.strip()) for one in _SENTENCE.findall(_THAI_END.sub(r"\1\n", text)))
    return any(
        NO_CLAIM.search(statement) is None and any(pattern.search(statement) for pattern in (FINISHED, *DONE.values()))
        for statement in statements
    )


def _claims(message: str) -> Iterator[Claim]:
    text = _THAI_END.sub(r"\1\n", _QUOTED.sub("“”", message[:_READ]))
    sentences = [one.strip() for one in _SENTENCE.findall(text) if one.strip()]
    for statement in map(_without_question, sentences):
        if NO_CLAIM.search(statement) is None:
            yield from (claim for claim, pattern in DONE.items() if pattern.search(statement))
    if not sentences or _asks_for_detail(sentences[-1]):
        return
    for sentence in sentences:
        if all(pattern.search(sentence) is None for pattern in (QUESTION, NO_CLAIM, NO_PROMISE)):
            yield from (claim for claim, pattern in PROMISED.items() if pattern.search(sentence))


def _without_question(sentence: str) -> str:
    """Return the sentence without its question: 「記下了，還有其他的嗎？」 becomes 「記下了」, and a question alone becomes ""."""
    while sentence and QUESTION.search(sentence) is not None:
        sentence = "，".join(_COMMA.split(sentence)[:-1])
    return sentence


def _asks_for_detail(sentence: str) -> bool:
    """Whether the last sentence asks for what the promise needs: 「何時がいいですか？」, but not 「他に何かありますか？」."""
    return QUESTION.search(sentence) is not None and ANYTHING_ELSE.search(sentence) is None
