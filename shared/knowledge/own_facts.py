"""What entries hold of one person's words, as facts with their dates; and an entry without one of its facts."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain

from shared.knowledge.entry import Entry
from shared.knowledge.schema import FIELDS, Value, name_field
from shared.search.folding import fold


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A field or a note of an entry, when it was said, by LINE's timestamp, and the messages that it came from."""

    entry: Entry = field(repr=False)
    text: str = field(repr=False)
    said_ms: int
    message_ids: frozenset[str]


def facts_of(entry: Entry, is_own: Callable[[str], bool]) -> Iterator[Fact]:
    """Yield the fields and notes that came from the person's own messages; the name only if there is nothing else."""
    said_ms = {one.line_message_id: one.timestamp_ms for one in entry.provenance.sources}
    named = name_field(entry.category)
    pieces = [(name, _text(entry.fields.get(name)), ids) for name, ids in entry.field_message_ids.items()]
    pieces += [("", note.text, note.message_ids) for note in entry.notes]
    own = [(name, text, frozenset(filter(is_own, ids))) for name, text, ids in pieces if text]
    found = [(name, text, ids) for name, text, ids in own if ids]
    rest = [one for one in found if one[0] != named]
    for _, text, ids in rest or found:
        times = [said_ms[one] for one in ids if one in said_ms]
        if times:
            yield Fact(entry=entry, text=text, said_ms=max(times), message_ids=ids)


def without_fact(entry: Entry, fact: str, *, stamp: str) -> tuple[Entry | None, frozenset[str]]:
    """Return the entry without the fields and notes that hold the fact, and the messages behind these.

    None: its name holds the fact, or only its name remains. No message: the entry does not hold the fact; none holds a blank one.
    """
    wanted = fold(fact)
    if not wanted:
        return entry, frozenset()
    lost = {name for name in entry.field_message_ids if wanted in fold(_text(entry.fields.get(name)))}
    notes = tuple(note for note in entry.notes if wanted not in fold(note.text))
    gone = [entry.field_message_ids[name] for name in lost] + [
        note.message_ids for note in entry.notes if note not in notes
    ]
    ids = frozenset(chain.from_iterable(gone))
    named = name_field(entry.category)
    if named in lost or (ids and not notes and entry.field_message_ids.keys() - lost <= {named}):
        return None, ids
    defaults = {one.name: one.default for one in FIELDS[entry.category]}
    rest = replace(
        entry,
        updated_at=stamp,
        fields={name: defaults[name] if name in lost else value for name, value in entry.fields.items()},
        field_message_ids={name: own for name, own in entry.field_message_ids.items() if name not in lost},
        notes=notes,
    )
    return rest.with_sources(()), ids


def _text(value: Value | None) -> str:
    return ", ".join(value) if isinstance(value, tuple) else value or ""
