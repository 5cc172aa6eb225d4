"""`search_database`, `create_page`, `update_page` and `append_block` on pages of the configured databases.  Nothing deletes or archives."""

import copy
import datetime as dt
import hashlib
import json
import zoneinfo
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, Final

from shared import logs
from shared.agent.grounding import is_tick_grounded
from shared.agent.model import Json
from shared.agent.tools import NeedsTap, Tool, ToolFault, load_schema
from shared.agent.turn_context import TurnContext
from shared.clock import Deadline
from shared.conversation.provenance import NOTION
from shared.frozen import frozen
from shared.line.graphemes import split_at_graphemes
from shared.line.json_text import encodable
from shared.tools.idempotency import IdempotentWrites
from shared.tools.notion.blocks import blocks_of
from shared.tools.notion.databases import Databases, ReferenceLookup
from shared.tools.notion.filters import filter_of
from shared.tools.notion.known_properties import KnownProperties
from shared.tools.notion.plain_values import plain, title_of
from shared.tools.notion.port import Notion, NotionRefusedError, NotionUnavailableError, Page, PropertyValues, Schema
from shared.tools.notion.properties import PropertyWriter, UnfitValueError, describe, named_values, quote
from shared.tools.notion.ticks import is_tick
from shared.tools.notion.writes import block_append, page_creation, page_update

PAGES_SHOWN: Final = 50
MOST_CALLS: Final = 10
"""Calls of one tool in a turn."""
_VALUE_SHOWN_UTF16: Final = 300
_END: Final = 40  # characters by which the end of a text is recognised

_Run = Callable[[Json, TurnContext], Json | ToolFault | NeedsTap]


@frozen
class NotionTools:
    """The tools of a deployment, offered only in the chats with ids in `conversations`; None: in every chat."""

    databases: Databases
    properties: KnownProperties
    notion: Notion
    writes: IdempotentWrites
    time_zone: str
    conversations: frozenset[str] | None = field(repr=False)

    def tools(self) -> tuple[Tool, ...]:
        """Return the four tools."""
        names = quote(self.databases.ids)
        return (
            self._tool(
                "search_database",
                f"Find pages in a Notion database ({names}): lists, tasks and notes that people keep there. Use it before you change a "
                f"page, because it tells page_id and the properties that there are. It returns at most {PAGES_SHOWN} pages, the latest "
                "edited first; `has_more` says that there are others, so narrow the search.",
                self._search,
                reads=True,
                description_end=self.properties.words,
            ),
            self._tool(
                "create_page",
                f"Add a page (an item, a task) to a Notion database ({names}). One call for each item. Name "
                "properties as `search_database` does.",
                self._create,
            ),
            self._tool(
                "update_page",
                "Change properties of a Notion page, such as its status. Find its page_id with `search_database` first; never guess "
                "it. Pages are not deleted: mark them as done instead.",
                self._update,
            ),
            self._tool(
                "append_block",
                "Write text at the end of a Notion page: notes and details. Markdown headings, lists, to-dos, quotes and code keep "
                "their form.",
                self._append,
            ),
        )

    def _tool(
        self,
        name: str,
        description: str,
        run: _Run,
        *,
        reads: bool = False,
        description_end: Callable[[], str] | None = None,
    ) -> Tool:
        parameters: dict[str, Any] = copy.deepcopy(dict(load_schema(f"{name}.parameters")))
        if "database_name" in parameters["properties"]:
            parameters["properties"]["database_name"]["enum"] = list(self.databases.ids)
        # Gemini's documentation does not say whether objects without declared properties are taken, so only the text is declared
        declared = copy.deepcopy(parameters)
        for parameter in declared["properties"].values():
            if "anyOf" in parameter:
                parameter["type"] = parameter.pop("anyOf")[0]["type"]
        return Tool(
            name=name,
            description=description,
            parameters=parameters,
            declared=declared,
            response=load_schema(f"{name}.response"),
            run=_with_faults(run),
            is_reading=reads,
            outside=NOTION if reads else "",
            most_calls=MOST_CALLS,
            only_in=self.conversations,
            description_end=description_end,
        )

    def _search(self, arguments: Json, context: TurnContext) -> Json:
        name, deadline = str(arguments["database_name"]), context.deadline
        conditions = _object(arguments, "filter_conditions")
        query = str(arguments.get("query") or "").strip()
        writer = self._writer(context, deadline)

        def search(schema: Schema) -> Json:
            filter_ = filter_of(schema, writer, query=query, conditions=conditions)
            result = self.databases.api.query(schema.data_source_id, filter_, limit=PAGES_SHOWN, deadline=deadline)
            context.untrusted_input.record_titles({page.page_id: title_of(page.properties) for page in result.pages})
            return {
                "status": "success",
                "pages": [_summary_of(page) for page in result.pages],
                "has_more": result.has_more,
                "properties": describe(schema),
            }

        return self.databases.with_schema(name, deadline, search)

    def _create(self, arguments: Json, context: TurnContext) -> Json | ToolFault | NeedsTap:
        name, title, deadline = str(arguments["database_name"]), str(arguments["title"]), context.deadline
        properties = _object(arguments, "properties")

        def convert(schema: Schema) -> tuple[Schema, Json, PropertyValues]:
            by_column = named_values(schema, properties)
            return (
                schema,
                by_column,
                self._writer(context, deadline).convert(schema, {**by_column, schema.title.name: title}),
            )

        schema, by_column, values = self.databases.with_schema(name, deadline, convert)
        if context.needs_tap:
            return NeedsTap(name=title)
        canonical = {"database_name": name, "title": title, "properties": by_column}
        return self.writes.carry_out(
            page_creation(self.notion, schema, values, canonical=canonical, deadline=deadline), context
        )

    def _update(self, arguments: Json, context: TurnContext) -> Json | ToolFault | NeedsTap:
        page_id, deadline = str(arguments["page_id"]), context.deadline
        properties = _object(arguments, "properties")
        if not properties:
            raise UnfitValueError("`properties` names nothing to change.")
        page, name = self._configured_page(page_id, deadline)

        def convert(schema: Schema) -> tuple[Json, PropertyValues]:
            by_column = named_values(schema, properties)
            return by_column, self._writer(context, deadline).convert(schema, by_column)

        by_column, values = self.databases.with_schema(name, deadline, convert)
        _check_ends(page.properties, values)
        title, state = title_of(page.properties), _state_of(page, values)
        if context.needs_tap and not self._is_ordered_tick(page, name, values, context):
            return NeedsTap(name=title, revision=state)
        canonical = {"page_id": page.page_id, "properties": by_column}
        write = page_update(
            self.notion,
            page,
            values,
            canonical=canonical,
            deadline=deadline,
            is_as_shown=context.confirms("update_page", arguments, state),
        )
        return self.writes.carry_out(write, context)

    def _append(self, arguments: Json, context: TurnContext) -> Json | ToolFault | NeedsTap:
        page, _ = self._configured_page(str(arguments["page_id"]), context.deadline)
        content = str(arguments["content"])
        if not blocks_of(content):
            raise UnfitValueError("`content` holds no text.")
        title, state = title_of(page.properties), _state_of(page, {})
        if context.needs_tap:
            return NeedsTap(name=title, revision=state)
        is_as_shown = context.confirms("append_block", arguments, state)
        write = block_append(self.notion, page, content, deadline=context.deadline, is_as_shown=is_as_shown)
        return self.writes.carry_out(write, context)

    def _is_ordered_tick(self, page: Page, database: str, values: PropertyValues, context: TurnContext) -> bool:
        """Whether a person's own words say that the page is done, and fit no other page found in the turn."""
        titles = dict(context.untrusted_input.titles)
        title = titles.pop(page.page_id, None)
        if title is None or not is_tick(page, values):
            return False
        other_titles = tuple(titles.values())
        return context.is_ordered(
            lambda asked: is_tick_grounded(asked, name=title, other_names=other_titles, place=database),
            zone=zoneinfo.ZoneInfo(self.time_zone),
        )

    def _configured_page(self, page_id: str, deadline: Deadline) -> tuple[Page, str]:
        """Return the page and the database's name.  Raises: UnfitValueError, if the page is in no configured database."""
        page = self.notion.page(page_id, deadline)
        name = self.databases.name_of(page, deadline) if page is not None and not page.in_trash else None
        if page is None or name is None:
            raise UnfitValueError(
                f"There is no page of this page_id in {quote(self.databases.ids)}. Find it with search_database."
            )
        return page, name

    def _writer(self, context: TurnContext, deadline: Deadline) -> PropertyWriter:
        now = dt.datetime.fromtimestamp(context.now_ms / 1_000, zoneinfo.ZoneInfo(self.time_zone))
        references = ReferenceLookup(databases=self.databases, deadline=deadline)
        return PropertyWriter(time_zone=self.time_zone, today=now.date(), references=references)


def _with_faults(run: _Run) -> _Run:
    """Return `run` with errors turned into faults for the model."""

    def run_to_fault(arguments: Json, context: TurnContext) -> Json | ToolFault | NeedsTap:
        try:
            return run(encodable(arguments), context)
        except UnfitValueError as unfit:
            return ToolFault(message=str(unfit), may_retry=True)
        except NotionRefusedError as refused:
            logs.warning("notion_refused", reason=str(refused))
            return ToolFault(message=refused.explanation, may_retry=False)
        except NotionUnavailableError as down:
            logs.warning("notion_unavailable", reason=str(down))
            return ToolFault(message="Notion did not answer in time; nothing was changed.", may_retry=True)

    return run_to_fault


def _object(arguments: Json, name: str) -> Json:
    """Return a JSON object: the parameter's value, or the object in a text such as `'{"Done": true}'`; without a value, an empty object.

    Raises: UnfitValueError, for example if the text is not valid JSON.
    """
    value = arguments.get(name)
    if isinstance(value, str):
        try:
            value = encodable({"value": json.loads(value)})["value"] if value.strip() else None
        except (ValueError, RecursionError) as cause:
            where = f" at character {cause.pos}: {cause.msg}" if isinstance(cause, json.JSONDecodeError) else ""
            raise UnfitValueError(f"`{name}` is not valid JSON{where}.") from cause
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise UnfitValueError(f'`{name}` must be a JSON object such as {{"property": "value"}}.')
    return value


def _summary_of(page: Page) -> Json:
    title = title_of(page.properties)
    values = {name: _short(plain(value)) for name, value in page.properties.items() if value.get("type") != "title"}
    return {
        "page_id": page.page_id,
        "title": _short(title),
        "properties": {name: value for name, value in values.items() if value not in (None, "", [])},
    }


def _check_ends(current: PropertyValues, replacement: PropertyValues) -> None:
    """Refuse to replace a long text by the shortened form shown to the model.  Raises: UnfitValueError."""
    for name, value in replacement.items():
        old, new = (plain({"type": next(iter(value)), **one}) for one in (current.get(name, {}), value))
        shown = str(_short(old))
        if not isinstance(old, str) or not isinstance(new, str) or shown == old:
            continue
        if new.startswith(shown[: len(shown) * 3 // 4]) and old[-_END:].strip() not in new:
            raise UnfitValueError(
                f"The text of `{name}` is longer than search_database shows, and its end would be lost. Leave it as it is; append_block "
                "adds to the page."
            )


def _state_of(page: Page, replacement: PropertyValues) -> str:
    """Return a digest of the page's title and of the values to be replaced, to compare what a person confirms with what was shown.

    A comment or a change of another property leaves the digest as before, because a confirmation shows neither.
    """
    values = [title_of(page.properties), *(plain(page.properties.get(name, {})) for name in sorted(replacement))]
    return hashlib.sha256(json.dumps(values, ensure_ascii=False, default=str).encode()).hexdigest()[:16]


def _short(value: object) -> object:
    if not isinstance(value, str):
        return value
    pieces = split_at_graphemes(value, limit_utf16=_VALUE_SHOWN_UTF16)
    return value if len(pieces) <= 1 else pieces[0] + "…"
