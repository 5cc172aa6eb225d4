"""A person's own words in entries, as facts with dates; and an entry without a given fact."""

from collections.abc import Callable, Iterator
from dataclasses import field, replace
from itertools import chain

from shared.frozen import frozen
from shared.knowledge.entry import Entry
from shared.knowledge.schema import FIELDS, LIST, Value, name_field
from shared.search.folding import fold


@frozen
class Fact:
    """A field or note of an entry, the time of its words by LINE's timestamp, and the messages behind the words."""

    entry: Entry = field(repr=False)
    text: str = field(repr=False)
    said_ms: int
    message_ids: frozenset[str]


def facts_of(entry: Entry, is_own: Callable[[str], bool]) -> Iterator[Fact]:
    """Yield the fields and notes from the person's own messages; the name only where there is nothing else."""
    said_ms = {one.line_message_id: one.timestamp_ms for one in entry.provenance.sources}
    name_key = name_field(entry.category)
    pieces = [(name, _text(entry.fields.get(name)), ids) for name, ids in entry.field_message_ids.items()]
    pieces += [("", note.text, note.message_ids) for note in entry.notes]
    own = [(name, text, frozenset(filter(is_own, ids))) for name, text, ids in pieces if text]
    own_pieces = [(name, text, ids) for name, text, ids in own if ids]
    named = [one for one in own_pieces if one[0] != LIST]  # of an item, the name says more than the list
    beyond_name = [one for one in named if one[0] != name_key]
    for _, text, ids in beyond_name or named or own_pieces:
        times = [said_ms[one] for one in ids if one in said_ms]
        if times:
            yield Fact(entry=entry, text=text, said_ms=max(times), message_ids=ids)


def without_fact(entry: Entry, fact: str, *, stamp: str) -> tuple[Entry | None, frozenset[str]]:
    """Return the entry without the fields and notes with the fact, and the messages behind the removed pieces.

    None: the name holds the fact, or only the name would remain. No messages: the entry does not hold the fact; a blank fact is in no
    entry. For example, without the fact "tea", an entry loses the note `Likes green tea`.
    """
    folded_fact = fold(fact)
    if not folded_fact:
        return entry, frozenset()
    emptied = {name for name in entry.field_message_ids if folded_fact in fold(_text(entry.fields.get(name)))}
    notes = tuple(note for note in entry.notes if folded_fact not in fold(note.text))
    removed_ids = [entry.field_message_ids[name] for name in emptied] + [
        note.message_ids for note in entry.notes if note not in notes
    ]
    ids = frozenset(chain.from_iterable(removed_ids))
    name_key = name_field(entry.category)
    if name_key in emptied or (ids and not notes and entry.field_message_ids.keys() - emptied <= {name_key}):
        return None, ids
    defaults = {one.name: one.default for one in FIELDS[entry.category]}
    remainder = replace(
        entry,
        updated_at=stamp,
        fields={name: defaults[name] if name in emptied else value for name, value in entry.fields.items()},
        field_message_ids={name: own for name, own in entry.field_message_ids.items() if name not in emptied},
        notes=notes,
    )
    return remainder.with_sources(()), ids


def _text(value: Value | None) -> str:
    return ", ".join(value) if isinstance(value, tuple) else value or ""
