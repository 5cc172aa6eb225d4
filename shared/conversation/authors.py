"""Authors: who sent a message that has left memory and the archive, for as long as the snapshot names it.

Answers and recaps name the messages that their prompts held, also those that are kept nowhere. A person who takes back everything takes
back these, too.
"""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import replace

from shared.conversation.member_mark import mark_id
from shared.conversation.snapshot_records import Authors, SnapshotRecord


def with_authors(before: SnapshotRecord, after: SnapshotRecord, *, named: AbstractSet[str] | None) -> SnapshotRecord:
    """Return the bounded snapshot `after`, with the authors of the messages that it names and that only `before` held.

    `named`: what journalled answers name; None: unknown. A message that leaves here keeps its author until the next call, because a turn
    that is under way may name it.
    """
    held = {one.line_message_id for one in (*after.messages, *after.leaving.messages)}
    kept = after.named_ids.union(named) if named is not None else None
    authors = _selected(before.authors, lambda own_id, _: kept is None or own_id in kept)
    for message in before.messages:
        if message.line_message_id and message.line_message_id not in held and (by := mark_id(message.user_id)):
            authors.setdefault(by, {})[message.line_message_id] = message.timestamp_ms
    return replace(after, authors=authors)


def authors_after(timestamp_ms: int, authors: Authors) -> Authors:
    """Return the authors of the messages that were sent after this."""
    return _selected(authors, lambda _, sent_ms: sent_ms > timestamp_ms)


def _selected(authors: Authors, is_kept: Callable[[str, int], bool]) -> dict[str, dict[str, int]]:
    selected = {
        by: {own_id: sent_ms for own_id, sent_ms in ids.items() if is_kept(own_id, sent_ms)}
        for by, ids in authors.items()
    }
    return {by: ids for by, ids in selected.items() if ids}
