"""The knowledge toolset's reading half: list, read, search and sum up entries.  The writing half: knowledge.py."""

import zoneinfo
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, Final, Literal

from shared.agent.model import Json
from shared.agent.tools import Tool, ToolFault
from shared.conversation.provenance import Provenance
from shared.frozen import frozen
from shared.knowledge.catalog import Row, search_texts
from shared.knowledge.digest import digest
from shared.knowledge.entry import Entry
from shared.knowledge.entry_cards import results_card
from shared.knowledge.entry_editor import Occasion
from shared.knowledge.schema import FIELDS, Category
from shared.knowledge.search import SIMILAR_LIMIT, Match, clamp_limit, find_matches, list_rows
from shared.knowledge.shared_lists import without_items
from shared.knowledge.snippets import snippet
from shared.knowledge.staging import EntryOverlay
from shared.line.language import language_of
from shared.locales.language_file import LOCALES
from shared.search.folding import fold
from shared.search.needles import needles_of
from shared.tools.knowledge import entry_tool

if TYPE_CHECKING:
    from shared.knowledge.embeddings import EntryEmbeddings

_ATTACHED: Final = "This system puts the digest below your answer, in its language: reply with one short sentence, and repeat none of it."


@frozen
class KnowledgeQueryTools:
    """The tools that only read entries."""

    time_zone: zoneinfo.ZoneInfo = field(repr=False)
    locale: str
    embeddings: "EntryEmbeddings | None" = None

    def tools(self) -> tuple[Tool, ...]:
        """Return the tools in order of declaration."""
        return (
            entry_tool(
                "list_entries",
                "List entries from the knowledge base with optional filters. Use when the person asks to see, show, or list their entries.",
                _list,
                time_zone=self.time_zone,
                is_reading=True,
            ),
            entry_tool(
                "get_entry",
                "Get the full details of a specific entry. Use when the person asks about a specific person, project, idea, or task.",
                _get,
                time_zone=self.time_zone,
                is_reading=True,
            ),
            entry_tool(
                "search_entries",
                "Search for entries by keyword. Use when the person wants to find entries containing specific terms, or before you change "
                "an entry whose path you do not know. `entries` hold one of the queries as it stands; `similar` ones share words with it.",
                partial(_search, embeddings=self.embeddings),
                time_zone=self.time_zone,
                is_reading=True,
            ),
            entry_tool(
                "generate_digest",
                "Generate a daily digest or weekly review. Use when the person asks for their digest, summary, or review.",
                self._digest,
                time_zone=self.time_zone,
                is_reading=True,
            ),
        )

    def _digest(self, arguments: Json, overlay: EntryOverlay, occasion: Occasion) -> Json:
        """Attach the digest to the answer, in the answer's language and as the turn leaves it; the model reads it in the asker's."""
        kind: Literal["daily", "weekly"] = "daily" if arguments["type"] == "daily" else "weekly"
        rows = overlay.rows()
        summaries = {one: digest(rows, kind=kind, locale=one, now=occasion.now) for one in LOCALES}
        for summary in summaries.values():
            overlay.mark_shown(summary.provenance)

        def worded(locale: str) -> str:
            rows_now = overlay.rows()
            summary = (
                summaries[locale] if rows_now == rows else digest(rows_now, kind=kind, locale=locale, now=occasion.now)
            )
            return summary.text

        occasion.attach(worded)
        said = (message.text for message in occasion.possible.to_answer if message.type == "text")
        locale = language_of(said, default=self.locale)
        return {"type": kind, "content": summaries[locale].text, "shown": _ATTACHED}


def _list(arguments: Json, overlay: EntryOverlay, occasion: Occasion) -> Json:
    status = arguments.get("status")
    rows = without_items(overlay.rows())
    matching_rows = list_rows(rows, category=_category(arguments), status=str(status) if status else None)
    shown = matching_rows[: clamp_limit(arguments.get("limit"))]
    overlay.mark_shown(Provenance.union(row.provenance for row in shown))
    _attach_card(shown, occasion)
    return {"entries": [_summary_of(row) for row in shown], "total": len(matching_rows)}


def _get(arguments: Json, overlay: EntryOverlay, _: Occasion) -> Json | ToolFault:
    return {"entry": _details_of(overlay.show_entry(str(arguments["path"])))}


def _search(
    arguments: Json, overlay: EntryOverlay, occasion: Occasion, *, embeddings: "EntryEmbeddings | None"
) -> Json:
    queries, rows, category = _queries(arguments), overlay.rows(), _category(arguments)
    closest: Mapping[str, float] = {}
    if embeddings is not None:
        occasion.check_amendments()
        searched_rows = rows if category is None else tuple(row for row in rows if row.category is category)
        closest = embeddings.closest(overlay.conversation, searched_rows, queries)
    matches = find_matches(rows, queries, category=category, closest=closest)
    limit = clamp_limit(arguments.get("limit"))
    literal = [match for match in matches if match.is_literal]
    similar = [match for match in matches if not match.is_literal][: min(SIMILAR_LIMIT, limit)]
    shown = {match.row.path: match for match in (*literal[:limit], *similar)}
    entries = overlay.show_entries(list(shown))
    _attach_card([match.row for match in shown.values()], occasion)
    hits = [(shown[entry.path].is_literal, _hit_in(entry, shown[entry.path], queries)) for entry in entries]
    return {
        "entries": [hit for is_literal, hit in hits if is_literal and hit is not None],
        "total": len(literal),
        "similar": [hit for is_literal, hit in hits if not is_literal and hit is not None],
    }


def _attach_card(rows: Sequence[Row], occasion: Occasion) -> None:
    """Offer what was found as a card below an answer that names it."""
    listed_ms = round(occasion.now.timestamp() * 1_000)
    occasion.attach_card(lambda text, locale: results_card(rows, text, locale=locale, listed_ms=listed_ms))


def _queries(arguments: Json) -> list[str]:
    alternatives = arguments.get("alternatives")
    return [str(arguments["query"]), *(map(str, alternatives) if isinstance(alternatives, list) else ())]


def _hit_in(entry: Entry, match: Match, queries: Sequence[str]) -> Json | None:
    """Return the hit with the entry's own words; None if the entry has changed since the catalog was written and no longer matches.

    For example: `{"path": "people/ann.md", "name": "Ann", ..., "matchedField": "content", "snippet": "... allergic to nuts ..."}`.
    """
    text = search_texts(entry).get(match.matched_field, "")
    folded = fold(text)
    if not folded or (match.is_literal and not any(one in folded for one in map(fold, queries) if one)):
        return None
    words_shown = queries if match.is_literal else [one.text.strip() for query in queries for one in needles_of(query)]
    return {
        "path": entry.path,
        "name": entry.name,
        "category": entry.category.value,
        "matchedField": match.matched_field,
        "snippet": snippet(text, words_shown),
    }


def _summary_of(row: Row) -> Json:
    return {
        "path": row.path,
        "name": row.name,
        "category": row.category.value,
        **row.shown,
        "updated_at": row.updated_at,
    }


def _details_of(entry: Entry) -> Json:
    fields = {one.name: entry.fields[one.name] for one in FIELDS[entry.category]}
    return {
        "path": entry.path,
        "category": entry.category.value,
        "id": entry.id,
        "name": entry.name,
        **{name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()},
        "created_at": entry.created_at,
        "updated_at": entry.updated_at,
        "source_channel": entry.source_channel,
        "confidence": entry.confidence,
        "content": entry.content,
    }


def _category(arguments: Json) -> Category | None:
    value = arguments.get("category")
    return Category(str(value)) if value else None
