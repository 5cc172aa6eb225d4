"""Texts that cost code which reads a run twice the square of their length, and the functions that read people's and models' texts.

As a program it runs each function over all texts in a process of its own; the kernel ends it by SIGPROF where one text takes more
processor time than allowed.
"""

import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

from shared.adapters.written_calls import written_calls
from shared.agent.links import links_in
from shared.agent.receipts import is_blank, without_receipt_symbols
from shared.agent.transcript import placeholder, words
from shared.conversation.receipt_lines import compared_texts
from shared.errors import AizuchiError
from shared.knowledge.classification import split_hints
from shared.knowledge.entry_file import read_entry
from shared.knowledge.numbers import Numbers
from shared.knowledge.schema import one_line
from shared.knowledge.snippets import snippet
from shared.line.addressing import without_address
from shared.line.artifacts import without_artifacts
from shared.line.bubbles import bubbles
from shared.line.commands import parse_command
from shared.line.display_names import sanitised
from shared.line.events import MessageContent
from shared.line.graphemes import split_at_graphemes
from shared.line.ids import mask_ids
from shared.line.json_text import MAX_DEPTH, parse_json
from shared.line.language import language_of
from shared.line.markdown import plain_text
from shared.line.message_text import describe
from shared.line.readable import readable
from shared.search.folding import fold, loosen, without_okurigana
from shared.search.literal_runs import Runs
from shared.search.needles import needles_of
from shared.search.ranking import Passage, rank
from shared.tools.notion.blocks import blocks_of

# Quadratic code needs more for a run of this length, linear code a fifth at most: bubbles of flags took 0.65 s, brackets 1.2 s, dots 15 s.
LENGTH: Final = 12_500
ALLOWED_S: Final = 0.5
DONE: Final = "done"
_LONGER: Final = 80_000  # for functions that only normalise: sorting this many marks takes 5 s
_REPEATED: Final = (
    *("a", "漢", "あア", "aあア가ก", "ー", "~", "~~ ", "*", "**a", "*a ", "_", "_a ", "`", "` ", "``` \n", "~~~\n"),
    *("[", "![", "[a](", "](a", "[[a](b)", "[]", "[a\n", "(", ")", "（", "<", "<a@a", "<https:", "|", "|a|b|\n|-|-|\n", "a|"),
    *("\\", '"', '"\\', '\\"', "#", " #", "- ", "- a\n", "- - -\n", "1. ", ">", "\u200d", "\u200b", "\u202e", "\u0301", "\u0301\u0316"),
    *("\ufe0f", "\uff9e\u0316", "👨\u200d", "❤\ufe0f", "🇯", "\U000e0041", " ", "\u3000", "\t", "\n", " \n", "\r\n", "ก ", "ำ", "\x00"),
    *("https://", "https://!", "https:", "http", "\ud800", "\udc00", ".", "!", "?”", "。", "、", ",", "”", "…", "Mr.", "a\n\n"),
    *("\u2800", "\u2800a", "\u2800✓", "\u3164", "\u115f", "\uffa0", "\u00ad", "\u034f", "\u061c", "\u2028", "\u2060"),
    *("\ufeff", "✓", "✓ ", "\ufe0e"),
    *("ﷺ", "ﷺa", "㌖", "ΐ", "@", "U", "C", "C0", "U\u200b", "0", "０", "0,", "0-", "0 ", "2026-", "$0"),
)  # fmt: skip


def _texts(length: int) -> Mapping[str, str]:
    runs = {repr(unit): (unit * (length // len(unit) + 1))[:length] for unit in _REPEATED}
    half = length // 2
    return runs | {
        "letters that show nothing": "\u2800"
        * (2 * length),  # at the length of the others, quadratic code took just what is allowed
        "a space in the middle": "a" * half + " " + "a" * half,
        "spaces before a letter": " " * length + "a",
        "hyphens before a letter": "-" * length + "a",
        "tildes before a backtick": "~" * length + "`",
        "nested brackets": "[" * half + "]" * half,
        "ever longer backticks": " ".join("`" * count for count in range(1, int(length**0.5))),
        "ever deeper items": "".join(f"{'  ' * depth}- a\n" for depth in range(int(length**0.5))),
    }


def _without_address(text: str) -> str:
    mentionees = [{"isSelf": True, "index": index, "length": 1} for index in range(20)]
    fields = {"text": text, "mention": {"mentionees": mentionees}}
    return without_address(MessageContent(line_message_id="1", type="text", fields=fields), bot_names=("Aizuchi",))


def _parse_json(text: str) -> None:
    with suppress(ValueError):
        parse_json(b"[" * (MAX_DEPTH + 1) + text.encode(errors="surrogatepass"))


def _read_entry(text: str) -> None:
    with suppress(ValueError, AizuchiError):
        read_entry("ideas/a.md", text.encode(errors="replace"))


FUNCTIONS: Final[Mapping[str, Callable[[str], object]]] = {
    "bubbles": bubbles,
    "plain_text": plain_text,
    "mask_ids": mask_ids,
    "split_at_graphemes": split_at_graphemes,
    "sanitised": sanitised,
    "describe": lambda text: describe("file", {"fileName": text}),
    "without_address": _without_address,
    "parse_command": parse_command,
    "fold": fold,
    "loosen": lambda text: without_okurigana(loosen(text)),
    "rank": lambda text: rank([[Passage(folded=text)]], [text[:300]]),
    "runs": Runs.of,
    "snippet": lambda text: snippet(text[:5_000], [text]),
    "without_receipt_symbols": without_receipt_symbols,
    "without_artifacts": without_artifacts,
    "readable": readable,
    "blocks_of": blocks_of,
    "numbers": Numbers.of,
    "parse_json": _parse_json,
    "words": words,
    "placeholder": placeholder,
    "is_blank": is_blank,
    "links_in": lambda text: list(links_in(text)),
    "language_of": lambda text: language_of([text], default="en"),
    "compared_texts": compared_texts,
    "needles_of": needles_of,
    "split_hints": split_hints,
    "one_line": one_line,
    "read_entry": _read_entry,
    "written_calls": lambda text: written_calls(text, ("reply",)),
}
_NORMALISING: Final = frozenset({"fold", "parse_command"})


def run(name: str) -> None:
    """Call the function with every text; the last line on stdout that begins with its name tells the text in hand, or `done`."""
    for description, text in _texts(_LONGER if name in _NORMALISING else LENGTH).items():
        _tell(name, description)
        signal.setitimer(signal.ITIMER_PROF, ALLOWED_S)
        FUNCTIONS[name](text)
        signal.setitimer(signal.ITIMER_PROF, 0)
    _tell(name, DONE)


def _tell(name: str, what: str) -> None:
    sys.stdout.write(f"{name}\t{what}\n")
    sys.stdout.flush()


def run_each() -> None:
    """Run every function, each in a fork of this process, because imports take longer than most of them."""
    for name in FUNCTIONS:
        if os.fork() == 0:
            run(name)
            os._exit(0)
        os.wait()


if __name__ == "__main__":
    run_each()
