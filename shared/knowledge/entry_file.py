"""Entries as files, and the slugs in their names: Markdown under YAML front matter, for people and for other tools.

    ---
    id: 0f8c...
    name: 庭の工事
    status: active
    revision: '12.0'
    provenance:
      messages:
        member-8c0f...:
          '5123': 1763700000000
      outside: []
    message_ids: {slug: ['5123'], name: ['5123'], notes: [{lines: 1, ids: ['5123']}]}
    ---
    ## Notes

    来週の月曜から

Words of people and models can stand anywhere in a file, so every value is checked.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Annotated, Final

import msgspec

from shared.conversation.provenance import Provenance, Source
from shared.conversation.write_key import format_key, read_key
from shared.errors import CorruptRecordError, UnknownRecordVersionError
from shared.knowledge.entry import Entry, Note
from shared.knowledge.schema import FIELDS, NOTES_HEADING, Category, InvalidValueError, fields_of
from shared.line.graphemes import split_at_graphemes
from shared.storage.object_names import is_entry_path, is_slug

VERSION: Final = 1
LIMIT_BYTES: Final = 256 * 1024
SLUG_LIMIT: Final = 50
_SLUG_FALLBACK: Final = "entry"
_SLUG_SUFFIXES: Final = 9_998  # four digits, so that no chat has as many entries
_TRACES: Final = re.compile(r"^provenance:\s*\n((?:[ \t].*\n?)+)", re.MULTILINE)
_TRACE: Final = re.compile(r"^[ \t]+['\"]?([0-9A-Za-z_-]{1,64})['\"]?:\s*(\d{1,16})\s*$", re.MULTILINE)
_MessageId = Annotated[str, msgspec.Meta(pattern="^[0-9A-Za-z_-]{1,64}$")]


class _NoteLines(msgspec.Struct, forbid_unknown_fields=True):
    """A note of the body: the number of lines, and the messages behind the note."""

    lines: Annotated[int, msgspec.Meta(ge=1)]
    ids: tuple[_MessageId, ...] = ()


class _Provenance(msgspec.Struct):
    messages: dict[Annotated[str, msgspec.Meta(pattern="^[0-9a-z-]{0,64}$")], dict[_MessageId, int]]
    outside: frozenset[str] = frozenset()


class _FrontMatter(msgspec.Struct):
    """The front matter common to all entries."""

    id: str
    version: int
    created_at: str
    confidence: Annotated[float, msgspec.Meta(ge=0, le=1)]
    revision: str
    provenance: _Provenance
    updated_at: str = ""
    source_channel: str = "chat"
    message_ids: dict[str, object] = {}


_KNOWN: Final = frozenset(_FrontMatter.__struct_fields__).union(one.name for own in FIELDS.values() for one in own)


def format_entry(entry: Entry) -> str:
    """Return the text of the entry's object."""
    head: dict[str, object] = {
        "id": entry.id,
        **{one.name: entry.fields[one.name] for one in FIELDS[entry.category]},
        "created_at": entry.created_at,
        "updated_at": entry.updated_at,
        "source_channel": entry.source_channel,
        "confidence": entry.confidence,
        "version": VERSION,
        "revision": format_key(entry.revision),
        "provenance": {
            "messages": {
                by: dict(sorted(timestamps.items())) for by, timestamps in sorted(entry.provenance.messages.items())
            },
            "outside": sorted(entry.provenance.outside),
        },
        "message_ids": {
            "slug": list(entry.slug_message_ids),
            **{name: list(ids) for name, ids in entry.field_message_ids.items() if ids},
            **_items_of(entry),
            "notes": [{"lines": note.text.count("\n") + 1, "ids": list(note.message_ids)} for note in entry.notes],
        },
    }
    if isinstance(entry.unknown_fields, str):
        head |= msgspec.json.decode(entry.unknown_fields)
    body = f"{NOTES_HEADING[entry.category]}\n\n{entry.content}" if entry.notes else ""
    from shared.knowledge.front_matter import format_front_matter  # noqa: PLC0415 - only where an entry is written or read

    return format_front_matter(head, body) + "\n"


def _items_of(entry: Entry) -> dict[str, object]:
    items = {name: [list(ids) for ids in lists] for name, lists in entry.item_message_ids.items()}
    return {"items": items} if items else {}


def read_entry(path: str, data: bytes) -> Entry:
    """Read an entry.  Raises: CorruptRecordError, UnknownRecordVersionError."""
    try:
        values, body = _parse(data)
        head = msgspec.convert(values, _FrontMatter)
        category, slug = _split_path(path)
        unknown = {name: value for name, value in values.items() if name not in _KNOWN}
        fields = {one.name: one.check(values.get(one.name)) for one in FIELDS[category]}
        provenance = Provenance(messages=head.provenance.messages, outside=head.provenance.outside)
        every_id = [one.line_message_id for one in provenance.sources]
        lines = msgspec.convert(head.message_ids.get("notes", []), tuple[_NoteLines, ...])
        ids = {name: value for name, value in head.message_ids.items() if name in fields_of(category)}
        return Entry(
            category=category,
            slug=slug,
            id=head.id,
            created_at=head.created_at,
            updated_at=head.updated_at or head.created_at,
            confidence=head.confidence,
            source_channel=head.source_channel,
            fields=fields,
            field_message_ids=msgspec.convert(ids, dict[str, tuple[_MessageId, ...]]),
            item_message_ids=msgspec.convert(
                head.message_ids.get("items", {}), dict[str, tuple[tuple[_MessageId, ...], ...]]
            ),
            slug_message_ids=msgspec.convert(head.message_ids.get("slug", every_id), tuple[_MessageId, ...]),
            notes=_notes(body.removeprefix(NOTES_HEADING[category]).strip(), lines, every_id),
            provenance=provenance,
            revision=read_key(head.revision),
            unknown_fields=msgspec.json.encode(unknown).decode() if unknown else msgspec.UNSET,
        )
    except (msgspec.MsgspecError, InvalidValueError, ValueError, TypeError, RecursionError) as cause:
        raise CorruptRecordError("a stored entry cannot be read") from cause


def revision_of(data: bytes) -> tuple[int, int]:
    """Return the key of the write that made the Markdown object, or `(0, 0)`, the smallest key, where the object has none."""
    try:
        values, _ = _parse(data)
        return read_key(values.get("revision"))
    except (CorruptRecordError, UnknownRecordVersionError, ValueError, TypeError, RecursionError):
        return (0, 0)


def traces_in(data: bytes) -> Provenance:
    """Return the messages that the provenance of an object seems to name, even in an unreadable object."""
    traces = chain.from_iterable(map(_TRACE.findall, _TRACES.findall(data.decode("utf-8", "replace"))))
    return Provenance.of_sources(Source(line_message_id=own_id, timestamp_ms=int(at)) for own_id, at in traces)


def slug_of(name: str) -> str:
    """Return the name as a slug, never empty: NFKC, lower case, letters and digits of any script, and hyphens for everything else.

    For example, `slug_of("Sato's 2nd house")` is "sato-s-2nd-house", and `slug_of("庭の工事")` is 「庭の工事」.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).lower())
    hyphenated = "".join(one if unicodedata.category(one)[0] in "LMN" else "-" for one in folded)
    slug = "-".join(part for part in hyphenated.split("-") if part)
    pieces = split_at_graphemes(slug, limit_utf16=SLUG_LIMIT)
    slug = unicodedata.normalize("NFKC", pieces[0]).strip("-") if pieces else ""
    return slug if is_slug(slug) else _SLUG_FALLBACK


def free_slug(slug: str, is_taken: Callable[[str], bool]) -> str:
    """Return the slug, with the first free numeric suffix where the slug is taken: `garden-2` after `garden`, for example."""
    return next(one for one in slug_candidates(slug) if not is_taken(one))


def slug_candidates(slug: str) -> Iterator[str]:
    """Yield the slug, then the slug with numeric suffixes: for example `garden`, `garden-2`, `garden-3`."""
    yield slug
    yield from (f"{slug}-{number}" for number in range(2, _SLUG_SUFFIXES + 2))


def _parse(data: bytes) -> tuple[Mapping[str, object], str]:
    if len(data) > LIMIT_BYTES:
        raise CorruptRecordError(f"a stored entry is larger than {LIMIT_BYTES} bytes")
    from shared.knowledge.front_matter import read_front_matter  # noqa: PLC0415 - likewise

    values, body = read_front_matter(data.decode("utf-8").strip())
    version = values.get("version")
    if isinstance(version, int) and version > VERSION:
        raise UnknownRecordVersionError(f"a stored entry has version {version}; this release reads {VERSION}")
    return values, body


def _split_path(path: str) -> tuple[Category, str]:
    if not is_entry_path(path):
        raise ValueError("no path of an entry")
    category, _, file = path.partition("/")
    return Category(category), file.removesuffix(".md")


def _notes(body: str, lines: tuple[_NoteLines, ...], every_id: Sequence[str]) -> tuple[Note, ...]:
    """Divide the body into notes; a body edited by hand is a single note from all messages of the entry."""
    if not body:
        return ()
    remaining_lines = body.split("\n")
    notes: list[Note] = []
    for note_lines in lines:
        notes.append(Note(text="\n".join(remaining_lines[: note_lines.lines]), message_ids=note_lines.ids))
        remaining_lines = remaining_lines[note_lines.lines + 1 :]
    if "\n\n".join(note.text for note in notes) == body:
        return tuple(notes)
    return (Note(text=body, message_ids=tuple(every_id)),)
