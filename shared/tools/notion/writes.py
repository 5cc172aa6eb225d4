"""The three writes as the ledger carries them out: how each is done, and how it is found again after a death in between.

Notion takes no key that would make a write idempotent, so what was done is looked for: a page by its title, its properties and the minute
in which it was made; blocks by their words. Source: docs/notion-facts.md.
"""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from shared.agent.model import Json
from shared.agent.tools import ToolFault
from shared.clock import Deadline
from shared.tools.idempotency import UnknownEffectError, Write
from shared.tools.notion.blocks import batches, blocks_of, text_of
from shared.tools.notion.plain_values import holds, is_exact, title_of
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

# Notion tells times to the minute, and clocks differ
_SLACK_MS: Final = 120_000
_CANDIDATES: Final = 20
_BLOCKS_READ: Final = 1_000


def creating(notion: Notion, schema: Schema, values: PropertyValues, *, canonical: Json, deadline: Deadline) -> Write:
    """Return the write that makes one page."""

    def do() -> Json:
        with _fate():
            return _result(notion.create_page(schema.data_source_id, values, deadline))

    def find(started_ms: int, others: tuple[Mapping[str, object], ...]) -> Json | None:
        since = dt.datetime.fromtimestamp((started_ms - _SLACK_MS) / 1_000, tz=dt.UTC).isoformat()
        title = title_of({"title": {"type": "title", **values[schema.title.name]}})
        wanted = {
            "and": [
                {"property": schema.title.name, "title": {"equals": title}},
                {"timestamp": "created_time", "created_time": {"on_or_after": since}},
            ]
        }
        taken = {one.get("page_id") for one in others}
        found = notion.query(schema.data_source_id, wanted, limit=_CANDIDATES, deadline=deadline)
        ours = (
            page for page in found.pages if page.is_own and page.page_id not in taken and holds(page.properties, values)
        )
        return next((_result(page) for page in ours), None)

    return Write(tool="create_page", arguments=canonical, do=do, find=find)


def updating(pages: NotionPages, page: Page, values: PropertyValues, *, canonical: Json, deadline: Deadline) -> Write:
    """Return the write that changes properties of a page, read just before; to do it twice changes nothing more."""

    def do() -> Json:
        with _fate():
            return _result(pages.update_page(page.page_id, values, deadline))

    def find(_: int, __: tuple[Mapping[str, object], ...]) -> Json | None:
        return _result(page) if is_exact(values) and holds(page.properties, values) else None

    return Write(tool="update_page", arguments=canonical, do=do, find=find)


def appending(pages: NotionPages, page: Page, content: str, *, deadline: Deadline) -> Write:
    """Return the write that puts blocks at the end of a page, in as many requests as it takes."""
    blocks = blocks_of(content)
    result = {"status": "success", "page_id": page.page_id, "blocks": len(blocks)}
    done = 0  # how many of them stand there already

    def do() -> Json:
        for number, batch in enumerate(batches(blocks[done:])):
            with _fate(has_begun=done + number > 0):
                pages.append_blocks(page.page_id, batch, deadline)
        return result

    def find(started_ms: int, _: tuple[Mapping[str, object], ...]) -> Json | ToolFault | None:
        nonlocal done
        there = pages.blocks(page.page_id, limit=_BLOCKS_READ, deadline=deadline)
        if there is None:
            return ToolFault(
                message="The text may stand on the page already, and the page is too long to look. Tell the person to look at it.",
                may_retry=False,
            )
        done = _standing(blocks, [one for one in there if one.is_own and one.created_ms >= started_ms - _SLACK_MS])
        return result if done == len(blocks) else None

    return Write(tool="append_block", arguments={"page_id": page.page_id, "content": content}, do=do, find=find)


@contextmanager
def _fate(*, has_begun: bool = False) -> Iterator[None]:
    """A write whose answer never came, or of which a part is done, has an effect that has to be looked for."""
    try:
        yield
    except (NotionUnavailableError, NotionRefusedError) as cause:
        if has_begun or (isinstance(cause, NotionUnavailableError) and cause.may_have_effect):
            raise UnknownEffectError("Notion did not say whether all of it was done") from cause
        raise


def _standing(blocks: Sequence[Json], there: Sequence[Block]) -> int:
    """How many of the blocks, from the first on, stand there in one run at the end of it."""
    wanted = [(str(one["type"]), text_of(one)) for one in blocks]
    standing = [(one.type, one.text) for one in there]
    return next(
        (count for count in range(min(len(wanted), len(standing)), 0, -1) if standing[-count:] == wanted[:count]), 0
    )


def _result(page: Page) -> Json:
    return {"status": "success", "page_id": page.page_id}
