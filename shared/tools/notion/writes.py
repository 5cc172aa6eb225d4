"""The toolset's three writes, each with a way to find the effect after a worker died before storing the result.

Notion's API has no idempotency keys, so the effect itself is looked for: a page by its title, properties and minute of creation, blocks by
their text. Source: docs/notion-facts.md.
"""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from shared.agent.model import Json
from shared.agent.receipts import Deed, DeedKind
from shared.agent.tools import ToolFault
from shared.clock import Deadline
from shared.tools.idempotency import UnknownEffectError, Write
from shared.tools.notion.blocks import batches, blocks_of, text_of
from shared.tools.notion.plain_values import has_values, is_exact, plain, title_of
from shared.tools.notion.port import (
    Block,
    Notion,
    NotionPages,
    NotionRefusedError,
    NotionUnavailableError,
    Page,
    PropertyValues,
    Schema,
)

# Notion gives times to the minute, and clocks differ
_SLACK_MS: Final = 120_000
_CANDIDATES: Final = 20
_BLOCKS_READ: Final = 1_000
_TOLD: Final = frozenset({"date", "status"})
"""The types of properties that a receipt tells."""


def page_creation(
    notion: Notion, schema: Schema, values: PropertyValues, *, canonical: Json, deadline: Deadline
) -> Write:
    """Return the write for creating a page."""

    def do() -> Json:
        with _fate():
            return _result(notion.create_page(schema.data_source_id, values, deadline))

    def find(started_ms: int, other_results: tuple[Mapping[str, object], ...]) -> Json | None:
        since = dt.datetime.fromtimestamp((started_ms - _SLACK_MS) / 1_000, tz=dt.UTC).isoformat()
        title = title_of({"title": {"type": "title", **values[schema.title.name]}})
        filter_ = {
            "and": [
                {"property": schema.title.name, "title": {"equals": title}},
                {"timestamp": "created_time", "created_time": {"on_or_after": since}},
            ]
        }
        other_page_ids = {result.get("page_id") for result in other_results}
        result = notion.query(schema.data_source_id, filter_, limit=_CANDIDATES, deadline=deadline)
        matches = (
            page
            for page in result.pages
            if page.is_own and page.page_id not in other_page_ids and has_values(page.properties, values)
        )
        return next((_result(page) for page in matches), None)

    deed = _deed(DeedKind.PAGE_CREATED, str(canonical["title"]), values)
    return Write(tool="create_page", arguments=canonical, deed=deed, do=do, find=find)


def page_update(  # noqa: PLR0913 - what a write is made of
    pages: NotionPages, page: Page, values: PropertyValues, *, canonical: Json, deadline: Deadline, is_as_shown: bool
) -> Write:
    """Return the write for changing properties of a page that was read just before.  Repeated: changes nothing more."""

    def do() -> Json:
        with _fate():
            return _result(pages.update_page(page.page_id, values, deadline))

    def find(_: int, __: tuple[Mapping[str, object], ...]) -> Json | None:
        return _result(page) if is_exact(values) and has_values(page.properties, values) else None

    deed = _deed(DeedKind.PAGE_CHANGED, title_of(page.properties), values)
    return Write(tool="update_page", arguments=canonical, deed=deed, do=do, find=find, is_as_shown=is_as_shown)


def block_append(pages: NotionPages, page: Page, content: str, *, deadline: Deadline, is_as_shown: bool) -> Write:
    """Return the write for appending blocks to a page, in as many requests as needed."""
    blocks = blocks_of(content)
    result = {"status": "success", "page_id": page.page_id, "blocks": len(blocks)}
    done = 0  # blocks that the page has already

    def do() -> Json:
        for number, batch in enumerate(batches(blocks[done:])):
            with _fate(has_begun=done + number > 0):
                pages.append_blocks(page.page_id, batch, deadline)
        return result

    def find(started_ms: int, _: tuple[Mapping[str, object], ...]) -> Json | ToolFault | None:
        nonlocal done
        page_blocks = pages.blocks(page.page_id, limit=_BLOCKS_READ, deadline=deadline)
        if page_blocks is None:
            return ToolFault(
                message="The text may stand on the page already, and the page is too long to look. Tell the person to look at it.",
                may_retry=False,
            )
        done = _count_present(
            blocks, [block for block in page_blocks if block.is_own and block.created_ms >= started_ms - _SLACK_MS]
        )
        return result if done == len(blocks) else None

    return Write(
        tool="append_block",
        arguments={"page_id": page.page_id, "content": content},
        deed=Deed(kind=DeedKind.TEXT_APPENDED, name=title_of(page.properties)),
        do=do,
        find=find,
        is_as_shown=is_as_shown,
    )


@contextmanager
def _fate(*, has_begun: bool = False) -> Iterator[None]:
    """Raise UnknownEffectError for a write that was never answered or was done in part, so that the effect is looked for."""
    try:
        yield
    except (NotionUnavailableError, NotionRefusedError) as cause:
        if has_begun or (isinstance(cause, NotionUnavailableError) and cause.may_have_effect):
            raise UnknownEffectError("Notion did not confirm the whole write") from cause
        raise


def _count_present(blocks: Sequence[Json], page_blocks: Sequence[Block]) -> int:
    """Return how many of the first blocks stand at the end of the page.

    For example, 2 of the blocks A, B and C stand at the end of a page with X, A and B.
    """
    expected = [(str(block["type"]), text_of(block)) for block in blocks]
    present = [(block.type, block.text) for block in page_blocks]
    return next(
        (count for count in range(min(len(expected), len(present)), 0, -1) if present[-count:] == expected[:count]), 0
    )


def _result(page: Page) -> Json:
    return {"status": "success", "page_id": page.page_id}


def _deed(kind: DeedKind, name: str, values: PropertyValues) -> Deed:
    """Return the effect with what was understood: the dates and statuses among the values."""
    details = (plain({**value, "type": next(iter(value))}) for value in values.values() if not _TOLD.isdisjoint(value))
    return Deed(kind=kind, name=name, details=tuple(map(_told, filter(None, details))))


def _told(value: object) -> str:
    """Return a value for a receipt; a span of days in the form of ISO 8601, such as `2026-11-28/2026-11-30`."""
    return f"{value['start']}/{value['end']}" if isinstance(value, Mapping) else str(value)
