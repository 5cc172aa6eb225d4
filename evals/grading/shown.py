"""What people saw: the model's words apart from the lines that the code wrote below these words.

A line of the code begins with ✓ (a receipt) or ☐ (a proposal that waits for a tap).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

_RECEIPT: Final = re.compile(r"\s*[✓✔]")
_PROPOSAL: Final = re.compile(r"\s*☐")
_SENTENCE: Final = re.compile(r"(?<=[。！？!?\n])|(?<=\.)\s+(?=[A-Z\"“])|(?<=ค่ะ|คะ\s)\s*|(?<=ครับ)\s*")

_QUESTION: Final = re.compile(
    r"[?？]|(?:です|ます|でしょう|しょう)か[。\s]*$|[嗎呢][。\s]*$|(?:ไหม|มั้ย|อะไร|ไหน|กี่โมง|หรือเปล่า|เมื่อไหร่)(?:คะ|ค่ะ|ครับ)?\s*$"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A reply in three parts.  `words` is the model's text; `receipts` and `proposals` are lines of the code."""

    words: str = field(repr=False)
    receipts: tuple[str, ...] = field(default=(), repr=False)
    proposals: tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, replies: Sequence[str]) -> "Shown":
        r"""Split bubbles: `Shown.of(["OK\n✓ Filed: “milk”"])` has the words "OK" and one receipt, for example."""
        lines = [line for reply in replies for line in reply.split("\n")]
        return cls(
            words="\n".join(line for line in lines if not _is_of_code(line)).strip(),
            receipts=tuple(line.strip() for line in lines if _RECEIPT.match(line)),
            proposals=tuple(line.strip() for line in lines if _PROPOSAL.match(line)),
        )


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text in any of the four languages, without blank ones."""
    yield from (part.strip() for part in _SENTENCE.split(text) if part and part.strip())


def is_question(words: str) -> bool:
    """Whether a text asks something back, with or without a question mark: `is_question("どの会議ですか。")` is true, for example."""
    return any(_QUESTION.search(sentence) for sentence in sentences(words))


def _is_of_code(line: str) -> bool:
    return _RECEIPT.match(line) is not None or _PROPOSAL.match(line) is not None
