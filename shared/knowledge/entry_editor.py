"""File a thought, and change, move and delete entries, all on the turn's overlay."""

import datetime as dt
import zoneinfo
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from typing import Final

from shared.agent.attachments import DrawsCard, MakesCard
from shared.agent.grounding import Asked
from shared.agent.overlay import StagingFault
from shared.conversation.provenance import Source
from shared.frozen import frozen
from shared.knowledge.classification import Classification
from shared.knowledge.entry import NAME_LIMIT, Entry
from shared.knowledge.entry_file import free_slug, slug_of
from shared.knowledge.provenance import PossibleSources
from shared.knowledge.schema import (
    DONE,
    FIELDS,
    LINE_LIMIT,
    TEXT_LIMIT,
    Category,
    InvalidValueError,
    Value,
    fields_of,
    is_cut,
    name_field,
    one_line,
    plain_text,
)
from shared.knowledge.staging import EntryOverlay, Placement
from shared.line.utf16 import utf16_length
from shared.search.folding import fold

CONTENT_LIMIT: Final = 2 * TEXT_LIMIT
_LAST_TOUCHED: Final = "last_touched"
_WORDED_KINDS: Final = frozenset({"line", "text", "names"})
_READ_ONLY_FIELDS: Final = frozenset(
    {
        "id",
        "path",
        "category",
        "created_at",
        "updated_at",
        "confidence",
        "source_channel",
        "revision",
        "version",
        "provenance",
        "message_ids",
    }
)


@frozen
class Occasion:
    """The moment of a filing, and the sources in the prompt that the filed words may come from.

    `check_amendments` is called before a model is asked, and raises PromptAmendedError. `needs_tap`: a deletion or replacement waits for a
    person's tap. `is_ordered` says whether an addition may be done at once, because an author orders the addition by the given rule.
    `outside_in` returns the sources outside the chat whose words the given texts repeat, as in `Provenance`. `attach` puts a
    text of the code below the answer, as a function of the answer's locale, `attach_drawn` a card with its words,
    and `attach_card` a card. `prepared` returns what the tool
    prepared for the filing, or None.
    """

    now: dt.datetime
    possible: PossibleSources = field(default_factory=PossibleSources, repr=False)
    check_amendments: Callable[[], None] = field(default=lambda: None, repr=False)
    needs_tap: bool = False
    is_ordered: Callable[[Callable[[Asked], bool]], bool] = field(default=lambda _: True, repr=False)
    outside_in: Callable[[Iterable[str]], frozenset[str]] = field(default=lambda _: frozenset(), repr=False)
    attach: Callable[[Callable[[str], str]], None] = field(default=lambda _: None, repr=False)
    attach_card: Callable[[MakesCard], None] = field(default=lambda _: None, repr=False)
    attach_drawn: Callable[[DrawsCard], None] = field(default=lambda _: None, repr=False)
    prepared: Callable[[], object] = field(default=lambda: None, repr=False)

    @classmethod
    def at(cls, now_ms: int, zone: zoneinfo.ZoneInfo, *, possible: PossibleSources) -> "Occasion":
        return cls(now=dt.datetime.fromtimestamp(now_ms / 1_000, tz=zone), possible=possible)

    @property
    def stamp(self) -> str:
        """The moment in the bot's time zone, to the second: for example `2026-11-23T09:00:00+09:00`."""
        return self.now.isoformat(timespec="seconds")

    @property
    def today(self) -> str:
        """The date in the bot's time zone."""
        return self.now.date().isoformat()

    def sources_of(self, value: Value) -> tuple[Source, ...]:
        """Return the messages that the value, or any item of a list, may repeat."""
        return tuple(dict.fromkeys(one for piece in _pieces(value) or ("",) for one in self.possible.of(piece)))


@frozen
class EntryEditor:
    """Changes entries.  A thought classified with less confidence than `threshold` is filed in the inbox."""

    new_id: Callable[[], str] = field(repr=False)
    threshold: float

    def capture(  # noqa: PLR0913 - what is filed
        self,
        overlay: EntryOverlay,
        text: str,
        classification: Classification,
        occasion: Occasion,
        *,
        is_named: bool = False,
        may_repeat: bool = True,
    ) -> Entry:
        """Return the new entry, staged.  A category named by the person (`is_named`) needs no confidence.

        Without `may_repeat`, an entry of the same words is not filed a second time. Raises: StagingFault, EntryExistsError.
        """
        original = plain_text(text)
        sources = occasion.sources_of(text)
        is_sure = is_named or classification.confidence >= self.threshold
        category = classification.category if is_sure else Category.INBOX
        values = dict(classification.values) if is_sure else {
            "suggested_name": classification.name, "original_text": original, "suggested_category": classification.category.value,
        }  # fmt: skip
        values |= {"name": classification.name} if is_sure else {}
        values |= {_LAST_TOUCHED: occasion.today} if category is Category.PEOPLE else {}
        words = {
            name: (*sources, *sources_in_entries(overlay, value, occasion))
            for name, value in values.items()
            if name != _LAST_TOUCHED
        }
        stamp = "" if is_sure else f"{occasion.now:%Y%m%d%H%M%S}-"
        with overlay.together():
            blank = Entry(
                category=category,
                slug=_free_slug(overlay, category, f"{stamp}{slug_of(classification.name)}"),
                id=self.new_id(),
                created_at=occasion.stamp,
                updated_at=occasion.stamp,
                confidence=classification.confidence,
                fields={entry_field.name: entry_field.default for entry_field in FIELDS[category]},
            )
            entry = blank.with_values(values, words).at_slug(blank.slug)
            origins = (*sources, *sources_in_entries(overlay, original, occasion))
            entry = entry.with_note(original, origins) if is_sure else entry
            if not may_repeat:
                _check_repeated(overlay, entry)
            entry = entry.from_outside(occasion.outside_in((original, *_words_of(values))))
            overlay.stage({entry.path: entry}, placement=Placement(path=entry.path, confidence=entry.confidence))
        return entry

    def update(
        self, overlay: EntryOverlay, path: str, updates: Mapping[str, object], occasion: Occasion
    ) -> tuple[Entry, bool]:
        """Return the entry, and whether the updates change the entry and are staged; `content` replaces the body, `note` adds a dated line.

        For example, `{"note": "called Sato"}` adds the line `2026-11-23: called Sato`, and `{"status": "done"}` changes nothing of a
        done entry. Raises: StagingFault.
        """
        with overlay.together():
            entry = overlay.show_entry(path)
            checked = check_updates(entry.category, updates)
            values = {name: value for name, value in checked.items() if value != entry.fields.get(name)}
            sources = {
                name: _sources_of_pieces(overlay, entry, name, value, occasion) for name, value in values.items()
            }
            changed = replace(entry.with_items(values, sources), updated_at=occasion.stamp)
            if "content" in updates:
                changed = replace(changed, notes=()).with_sources(())
                for text in _paragraphs(_whole_text(updates["content"])):
                    changed = changed.with_note(text, _sources_of_paragraph(overlay, entry, text, occasion))
            if updates.get("note"):
                text = _whole_text(updates["note"])
                origins = (
                    *occasion.sources_of(text),
                    *_sources_of_old_notes(entry, text, occasion),
                    *(
                        source
                        for name in entry.field_message_ids
                        for source in _sources_of_old_value(entry, name, text, occasion)
                    ),
                    *sources_in_entries(overlay, text, occasion, except_path=path),
                )
                changed = changed.with_note(f"{occasion.today}: {text}", origins)
            if utf16_length(changed.content) > CONTENT_LIMIT:
                raise StagingFault("The entry's content is full; file the rest as an entry of its own.")
            if (changed.fields, changed.notes) == (entry.fields, entry.notes):
                return entry, False
            changed = changed.from_outside(occasion.outside_in(_words_of(updates)))
            overlay.stage({path: changed})
            return changed, True

    def move(self, overlay: EntryOverlay, path: str, target: Category, occasion: Occasion) -> Entry:
        """Return the entry in the new category, staged; id, body and the values of all fields stay.  Raises: StagingFault."""
        with overlay.together():
            entry = overlay.show_entry(path)
            if entry.category is target:
                raise StagingFault(f"The entry is in {target} already.")
            moved = entry.in_category(target, slug=_free_slug(overlay, target, slug_of(entry.name)))
            moved = replace(moved, updated_at=occasion.stamp)
            overlay.stage(
                {moved.path: moved, path: None}, placement=Placement(path=moved.path, confidence=moved.confidence)
            )
            return moved

    @staticmethod
    def delete(overlay: EntryOverlay, path: str) -> Entry:
        """Return the entry, with the deletion staged.  Raises: StagingFault."""
        with overlay.together():
            entry = overlay.show_entry(path)
            overlay.stage({path: None})
            return entry


class EntryExistsError(Exception):
    """The chat already has an entry of the same words."""

    def __init__(self, entry: Entry) -> None:
        super().__init__("the entry exists")
        self.entry = entry


def _check_repeated(overlay: EntryOverlay, entry: Entry) -> None:
    """Raises: EntryExistsError, where the chat has an entry of the same category and words; a done errand may come again."""
    paths = [
        row.path
        for row in overlay.rows()
        if row.category is entry.category and row.status != DONE and fold(row.name) == fold(entry.name)
    ]
    for existing in overlay.show_entries(paths):
        if _said_texts(existing) == _said_texts(entry):
            raise EntryExistsError(existing)


def _said_texts(entry: Entry) -> tuple[str, ...]:
    """Return the entry's words without the day of the filing."""
    return replace(entry, fields={**entry.fields, _LAST_TOUCHED: None}).texts


def _free_slug(overlay: EntryOverlay, category: Category, slug: str) -> str:
    return free_slug(slug, lambda candidate: overlay.is_taken(f"{category}/{candidate}.md"))


def _words_of(values: Mapping[str, object]) -> tuple[str, ...]:
    """Return the texts of the values, each item of a list alone."""
    pieces = (value if isinstance(value, list | tuple) else (value,) for value in values.values())
    return tuple(piece for items in pieces for piece in items if isinstance(piece, str) and piece)


def takes_words(entry: Entry, updates: Mapping[str, object]) -> bool:
    """Whether the updates remove words of the entry, as a deletion does: a body, a name or an item that the updates do not repeat.

    For example `{"content": "x"}` does, and `{"note": "x"}` does not; nor does a status or a date, which holds no words.
    """

    def is_repeated(old: str, new: object) -> bool:
        return fold(old).strip() in fold(" ".join(map(str, new)) if isinstance(new, list | tuple) else str(new or ""))

    content = updates.get("content", entry.content)
    if not all(is_repeated(note.text, content) for note in entry.notes):
        return True
    kinds = {name: one.kind for name, one in fields_of(entry.category).items()}
    worded = (name for name in updates.keys() & kinds.keys() if kinds[name] in _WORDED_KINDS)
    return not all(is_repeated(text, updates[name]) for name in worded for text in _texts_of(entry.fields.get(name)))


def _texts_of(value: Value) -> tuple[str, ...]:
    texts = (value,) if isinstance(value, str) else value or ()
    return tuple(one for one in texts if one.strip())


def with_replacement(entry: Entry, updates: Mapping[str, object]) -> dict[str, object]:
    """Return the updates, with `replace` as the new value of the one field, or the body, that holds the old words.

    For example, in a body "milk, eggs", `{"replace": {"old": "milk", "new": "oat milk"}}` becomes `{"content": "oat milk, eggs"}`. An
    empty `new` removes the words. Raises: StagingFault, unless the entry holds the old words exactly once.
    """
    if "replace" not in updates:
        return dict(updates)
    match updates["replace"]:
        case {"old": str(old), "new": str(new)} if old:
            pass
        case _:
            raise StagingFault("replace must be an object with two texts, old and new.", may_retry=True)
    places = [
        (schema_field.name, text.count(old))
        for schema_field in FIELDS[entry.category]
        if schema_field.kind in _WORDED_KINDS
        for text in _texts_of(entry.fields.get(schema_field.name))
    ]
    places = [(name, count) for name, count in (*places, ("content", entry.content.count(old))) if count]
    if sum(count for _, count in places) != 1:
        reason = (
            f"they stand in {', '.join(dict.fromkeys(name for name, _ in places))}"
            if places
            else "it does not hold them"
        )
        raise StagingFault(
            f"The entry must hold the old words exactly once, but {reason}. Give more of the words around them as they stand, or the "
            "field by its name.",
            may_retry=True,
        )
    field_name = places[0][0]
    if field_name in updates:
        raise StagingFault(f"replace and {field_name} cannot change the same words at once.", may_retry=True)
    value = entry.content if field_name == "content" else entry.fields[field_name]
    pieces = value if isinstance(value, tuple) else (str(value or ""),)
    changed = [piece.replace(old, new) for piece in pieces]
    changed_value: object = [piece for piece in changed if piece.strip()] if isinstance(value, tuple) else changed[0]
    return {**{name: value for name, value in updates.items() if name != "replace"}, field_name: changed_value}


def check_updates(category: Category, updates: Mapping[str, object]) -> dict[str, Value]:
    """Return the values of the fields in stored form: a due date `2026-12-24T09:00` becomes `2026-12-24`, for example.

    Raises: StagingFault, where entries of the category take no such value.
    """
    entry_fields = fields_of(category)
    values: dict[str, Value] = {}
    for name, value in updates.items():
        if name in _READ_ONLY_FIELDS:
            raise StagingFault(f"{name} cannot be changed.", may_retry=True)
        if name in {"content", "note"}:
            if not isinstance(value, str):
                raise StagingFault(f"{name} must be a text.", may_retry=True)
            continue
        if name not in entry_fields:
            raise StagingFault(
                f"{category} entries have no field {name[:40]}; they have: {', '.join(entry_fields)}, content, note.",
                may_retry=True,
            )
        try:
            values[name] = entry_fields[name].check(value)
        except InvalidValueError as cause:
            raise StagingFault(f"{cause}.", may_retry=True) from cause
        if name != name_field(category) and is_cut(entry_fields[name], value):
            raise StagingFault(
                f"{name} takes at most {LINE_LIMIT} characters; put the rest into a note.", may_retry=True
            )
    for name in {"name", "suggested_name"} & values.keys():
        values[name] = one_line(str(values[name]), limit=NAME_LIMIT)
        if not values[name]:
            raise StagingFault(f"{name} cannot be empty.", may_retry=True)
    return values


def _whole_text(value: object) -> str:
    """Return the text without control characters, and uncut: an entry without room for the whole text must stay unchanged."""
    return plain_text(str(value), limit=2 * len(str(value)))


def _paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a body, each to get its own sources; a body with blank paragraphs stays whole."""
    paragraphs = text.split("\n\n")
    return paragraphs if all(one.strip() for one in paragraphs) else [text] if text else []


def _pieces(value: Value) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else (value or "",)


def _sources_of_pieces(
    overlay: EntryOverlay, entry: Entry, name: str, value: Value, occasion: Occasion
) -> list[tuple[Source, ...]]:
    """Return the messages behind each item of a new value; an old item keeps its messages, unless a message says the item again."""
    old = entry.fields.get(name)
    ids_of_old = dict(zip(old, entry.ids_of_items(name), strict=True)) if isinstance(old, tuple) else {}
    return [
        _sources_by_id(entry, ids_of_old[piece])
        if piece in ids_of_old and not occasion.possible.is_said(piece)
        else (
            *occasion.sources_of(piece),
            *_sources_of_old_value(entry, name, piece, occasion),
            *sources_in_entries(overlay, piece, occasion, except_path=entry.path),
        )
        for piece in _pieces(value) or ("",)
    ]


def _sources_of_old_value(entry: Entry, name: str, new: str, occasion: Occasion) -> tuple[Source, ...]:
    """Return the messages behind the old pieces of a field that a new text repeats, in words of no message to answer."""
    if occasion.possible.is_said(new):
        return ()
    old = zip(_pieces(entry.fields.get(name)), entry.ids_of_items(name), strict=True)
    repeated_ids = (ids for piece, ids in old if occasion.possible.repeats_unsaid(piece, new))
    return _sources_by_id(entry, (one for ids in repeated_ids for one in ids))


def sources_in_entries(
    overlay: EntryOverlay, value: Value, occasion: Occasion, *, except_path: str | None = None
) -> tuple[Source, ...]:
    """Return the messages behind other entries that the value repeats, for example by the name of a linked entry."""
    rows = (row for row in overlay.rows() if row.path != except_path)
    return occasion.possible.of_entries(value, rows, read_ids=overlay.provenance.message_ids)


def _sources_of_paragraph(overlay: EntryOverlay, entry: Entry, text: str, occasion: Occasion) -> tuple[Source, ...]:
    """Return the messages behind a paragraph of a new body; a paragraph of the old body keeps its messages."""
    unchanged_notes = [note for note in entry.notes if note.text == text]
    if unchanged_notes:
        return _sources_by_id(entry, (one for note in unchanged_notes for one in note.message_ids))
    return (
        *occasion.sources_of(text),
        *_sources_of_old_notes(entry, text, occasion),
        *sources_in_entries(overlay, text, occasion, except_path=entry.path),
    )


def _sources_of_old_notes(entry: Entry, text: str, occasion: Occasion) -> tuple[Source, ...]:
    repeated_notes = (note for note in entry.notes if occasion.possible.repeats_unsaid(note.text, text))
    return _sources_by_id(entry, (one for note in repeated_notes for one in note.message_ids))


def _sources_by_id(entry: Entry, line_message_ids: Iterable[str]) -> tuple[Source, ...]:
    wanted_ids = frozenset(line_message_ids)
    return tuple(one for one in entry.provenance.sources if one.line_message_id in wanted_ids)
