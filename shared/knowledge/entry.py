"""An entry as a value: fields, notes, and the messages behind each piece of the entry."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Final

from shared.conversation.provenance import IsWithdrawn, Provenance, Source
from shared.frozen import frozen
from shared.knowledge.schema import FIELDS, Category, Field, InvalidValueError, Value, fields_of, name_field, one_line
from shared.unknown_fields import Extensible

NAME_LIMIT: Final = 100


@frozen
class Note:
    """A paragraph of the body, and the messages behind the paragraph, all of them in the entry's provenance."""

    text: str = field(repr=False)
    message_ids: tuple[str, ...] = ()


@frozen
class Entry(Extensible):
    """`{category}/{slug}.md`, for example `projects/garden.md`.

    `provenance` has all messages behind the entry. `field_message_ids` has the messages behind each field of words, `item_message_ids` the
    messages behind each item of a list, once an update has added items, and `slug_message_ids` the messages behind the name from which the
    slug was made; the entry may have lost that name since. `revision`: the key of the write that made the object. Unknown fields stand in
    the front matter.
    """

    category: Category
    slug: str = field(repr=False)
    id: str
    created_at: str
    updated_at: str
    confidence: float
    fields: Mapping[str, Value] = field(repr=False)
    field_message_ids: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    item_message_ids: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict, repr=False)
    slug_message_ids: tuple[str, ...] = ()
    notes: tuple[Note, ...] = field(default=(), repr=False)
    provenance: Provenance = field(default_factory=Provenance)
    source_channel: str = "chat"
    revision: tuple[int, int] = (0, 0)

    @property
    def path(self) -> str:
        """The path below `entries/{conversation_id}/`."""
        return f"{self.category}/{self.slug}.md"

    @property
    def name(self) -> str:
        """The entry's name."""
        return str(self.fields[name_field(self.category)] or "")

    @property
    def status(self) -> str | None:
        """The entry's status; None in categories without a status."""
        value = self.fields.get("status")
        return value if isinstance(value, str) else None

    @property
    def content(self) -> str:
        """The body without the heading."""
        return "\n\n".join(note.text for note in self.notes)

    @property
    def texts(self) -> tuple[str, ...]:
        """The entry's words: the values of the fields, each item of a list, and the notes."""
        values = (self.fields[one.name] for one in FIELDS[self.category] if one.holds_words)
        pieces = (value if isinstance(value, tuple) else (value or "",) for value in values)
        return (*itertools.chain.from_iterable(pieces), *(note.text for note in self.notes))

    def with_values(self, values: Mapping[str, Value], sources: Mapping[str, tuple[Source, ...]]) -> "Entry":
        """Return the entry with the given fields; `sources` has the messages behind each field."""
        ids = {name: _ids(sources.get(name, ())) for name in values if fields_of(self.category)[name].holds_words}
        changed = replace(
            self,
            fields={**self.fields, **values},
            field_message_ids={**self.field_message_ids, **ids},
            item_message_ids={name: items for name, items in self.item_message_ids.items() if name not in values},
        )
        return changed.with_sources(one for name in ids for one in sources.get(name, ()))

    def with_items(self, values: Mapping[str, Value], sources: Mapping[str, Sequence[tuple[Source, ...]]]) -> "Entry":
        """Return the entry with the given fields; `sources` has the messages behind each item of a list, or behind a single value."""
        merged = {name: tuple(itertools.chain.from_iterable(items)) for name, items in sources.items()}
        lists = {
            name: tuple(map(_ids, sources[name]))
            for name, value in values.items()
            if isinstance(value, tuple) and value
        }
        changed = self.with_values(values, merged)
        return replace(changed, item_message_ids={**changed.item_message_ids, **lists})

    def ids_of_items(self, name: str) -> tuple[tuple[str, ...], ...]:
        """Return the messages behind each item of a list, or behind a single value.

        For example, `(("5123",), ("5123", "5124"))` for a list of two items. Where items have no messages of their own, each item has all
        messages of the field.
        """
        value = self.fields.get(name)
        count = len(value) if isinstance(value, tuple) else 1
        items = self.item_message_ids.get(name, ())
        return items if len(items) == count else (self.field_message_ids.get(name, ()),) * count

    def at_slug(self, slug: str) -> "Entry":
        """Return the entry at a slug made from the name; the slug gets the messages behind the name."""
        name_from = self.field_message_ids.get(name_field(self.category), ())
        return replace(self, slug=slug, slug_message_ids=name_from).with_sources(())

    def with_note(self, text: str, sources: tuple[Source, ...]) -> "Entry":
        """Return the entry with another paragraph."""
        return replace(self, notes=(*self.notes, Note(text=text, message_ids=_ids(sources)))).with_sources(sources)

    def with_sources(self, sources: Iterable[Source]) -> "Entry":
        """Return the entry with the given messages in the provenance, and without messages that no piece of the entry came from.

        An edited message counts with its older words, so the next withdrawal removes both.
        """
        provenance = self.provenance | Provenance.of_sources(sources)
        used_ids = frozenset(
            message_id
            for ids in (
                *self.field_message_ids.values(),
                self.slug_message_ids,
                *(note.message_ids for note in self.notes),
            )
            for message_id in ids
        )
        return replace(self, provenance=provenance.only_messages(used_ids))

    def from_outside(self, outside: frozenset[str]) -> "Entry":
        """Return the entry with more sources outside the chat: the entry's words may also stand in these sources."""
        return replace(self, provenance=replace(self.provenance, outside=self.provenance.outside | outside))

    def in_category(self, target: Category, *, slug: str) -> "Entry":
        """Return the entry in another category: fields of the target keep their values, and the other values become notes.

        For example, a project's next action becomes the note `next_action: call Sato` of an idea.
        """
        target_fields = fields_of(target)
        values: dict[str, Value] = {entry_field.name: entry_field.default for entry_field in FIELDS[target]}
        field_message_ids: dict[str, tuple[str, ...]] = {}
        remarks: list[Note] = []
        for entry_field in FIELDS[self.category]:
            value, ids = self.fields[entry_field.name], self.field_message_ids.get(entry_field.name, ())
            name = name_field(target) if entry_field.name == name_field(self.category) else entry_field.name
            if name in target_fields and _is_fit(target_fields[name], value):
                values[name] = value
                field_message_ids |= {name: ids} if ids else {}
            elif value not in {entry_field.default, "", ()} and entry_field.name != "suggested_category":
                remarks.append(Note(text=_remark(entry_field.name, value), message_ids=ids))
        moved = replace(
            self,
            category=target,
            fields=values,
            field_message_ids=field_message_ids,
            item_message_ids={
                name: items for name, items in self.item_message_ids.items() if name in field_message_ids
            },
            notes=(*self.notes, *remarks),
        )
        return moved.at_slug(slug)

    def without(self, is_withdrawn: IsWithdrawn) -> "Entry | None":
        """Return the entry without anything from withdrawn messages; unchanged if nothing is affected, None if nothing remains.

        A single withdrawn message removes a field, an item of a list or a note, because the piece may repeat each message behind it. If the
        entry loses its name, the remaining text gives a new name. If the slug repeats withdrawn words, the caller chooses another slug with
        `at_slug`. An item of a list without its name is nothing.
        """
        withdrawn = self._withdrawn(is_withdrawn)
        if not withdrawn:
            return self
        defaults = {one.name: one.default for one in FIELDS[self.category]}
        lists = {name: items for name in self.item_message_ids if (items := self._items_without(name, withdrawn))}
        emptied = {name for name, ids in self.field_message_ids.items() if not withdrawn.isdisjoint(ids)} - lists.keys()
        fields = {name: defaults[name] if name in emptied else value for name, value in self.fields.items()}
        field_message_ids = {name: ids for name, ids in self.field_message_ids.items() if name not in emptied}
        remainder = self.redacted(
            fields=fields | {name: tuple(item for item, _ in items) for name, items in lists.items()},
            field_message_ids=field_message_ids
            | {name: _united(ids for _, ids in items) for name, items in lists.items()},
            item_message_ids={name: tuple(ids for _, ids in items) for name, items in lists.items()},
            slug_message_ids=self.slug_message_ids if withdrawn.isdisjoint(self.slug_message_ids) else (),
            notes=tuple(note for note in self.notes if withdrawn.isdisjoint(note.message_ids)),
        ).with_sources(())
        if not remainder.provenance.messages:
            return None
        if remainder.name:
            return remainder
        return None if self.category is Category.ITEMS else _named_after_text(remainder)

    def has_withdrawn_path(self, is_withdrawn: IsWithdrawn) -> bool:
        """Whether the slug may repeat withdrawn words."""
        return not self._withdrawn(is_withdrawn).isdisjoint(self.slug_message_ids)

    def _items_without(self, name: str, withdrawn: frozenset[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return the items of a list with no withdrawn message behind them, each with its messages."""
        value = self.fields.get(name)
        items = zip(value, self.ids_of_items(name), strict=True) if isinstance(value, tuple) else ()
        return tuple((item, ids) for item, ids in items if withdrawn.isdisjoint(ids))

    def _withdrawn(self, is_withdrawn: IsWithdrawn) -> frozenset[str]:
        return self.provenance.withdrawn_ids(is_withdrawn)


def _named_after_text(entry: Entry) -> Entry | None:
    """Return the entry, named after the first text with a message behind it; None where no text has a message."""
    field_name = name_field(entry.category)
    for text, ids in _pieces(entry):
        if text and ids:
            return replace(
                entry,
                fields={**entry.fields, field_name: one_line(text, limit=NAME_LIMIT)},
                field_message_ids={**entry.field_message_ids, field_name: ids},
            )
    return None


def _pieces(entry: Entry) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, ids in entry.field_message_ids.items():
        value = entry.fields.get(name)
        yield (", ".join(value) if isinstance(value, tuple) else value or ""), ids
    yield from ((note.text, note.message_ids) for note in entry.notes)


def _is_fit(target: Field, value: Value) -> bool:
    try:
        return target.check(value) == value
    except InvalidValueError:
        return False


def _remark(name: str, value: Value) -> str:
    text = ", ".join(value) if isinstance(value, tuple) else str(value)
    return text if name == "original_text" else f"{name}: {text}"


def _united(ids: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(sorted(frozenset(itertools.chain.from_iterable(ids))))


def _ids(sources: Iterable[Source]) -> tuple[str, ...]:
    return tuple(sorted({one.line_message_id for one in sources}))
