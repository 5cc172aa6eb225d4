"""Which messages a text came from, so that it is removed when one of them is withdrawn.

The model passes on what people said, literally or rephrased, and does not tell which message said it. No source may be missed: where no
message is provably the only source, all that the turn answers count.
"""

from collections.abc import Sequence

from shared.conversation.literal_runs import Runs, fold, shares_run
from shared.conversation.records import MessageRecord
from shared.knowledge.entry import Source
from shared.knowledge.numbers import Numbers


def sources_of(
    text: str, *, to_answer: Sequence[MessageRecord], earlier: Sequence[MessageRecord]
) -> tuple[Source, ...]:
    """Return the messages that the text may repeat.

    Of the messages to answer: the one that holds the whole text, else all of them. Of the earlier ones: those that share a long run of
    characters with it, or a number that no message to answer says, because people say 「今の覚えておいて」 after the words themselves.
    """
    wanted = fold(text)
    holders = [one for one in to_answer if wanted and wanted in fold(one.text)]
    answered = {one.line_message_id for one in to_answer}
    runs, numbers = Runs.of(text), Numbers.of(wanted)
    explained = frozenset(number for one in to_answer for number in Numbers.of(fold(one.text)).said)
    shared = [
        one
        for one in earlier
        if one.line_message_id not in answered
        and (Numbers.of(fold(one.text)).prove(numbers, explained=explained) or runs.shares(one.text))
    ]
    return tuple(
        Source(line_message_id=one.line_message_id, timestamp_ms=one.words_ms)
        for one in (*(holders[:1] or to_answer), *shared)
    )


def repeats(old: str, new: str) -> bool:
    """Whether the new text holds the old one, a long run of it, or a number of it."""
    one, other = fold(old), fold(new)
    return bool(one) and (one in other or Numbers.of(one).share(Numbers.of(other)) or shares_run(old, new))
