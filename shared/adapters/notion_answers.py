"""Notion's answers as values of the port.  An answer in a form of its own is a fault in words, for example an error object in a 200.

Source: Notion API reference, "Status codes" and "Data source"; docs/notion-facts.md.
"""

import datetime as dt
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from shared.adapters.provider_words import provider_word
from shared.tools.notion.blocks import text_of
from shared.tools.notion.port import Block, NotionRefusedError, NotionUnavailableError, Page, Property, Schema

WITHOUT_EFFECT: Final = frozenset({409, 429, 529})
SERVER_ERRORS: Final = 500
_LONGEST_TEXT: Final = 500
_UNREADABLE: Final = "Notion gave no readable answer"
_FOR_THE_MODEL: Final = frozenset({"validation_error", "object_not_found", "conflict_error"})


def fault_in(answer: object, *, is_write: bool) -> NotionRefusedError | NotionUnavailableError | None:
    """Return the fault of an answer with status 200: no object, or an error object such as `{"object": "error", "status": 503}`."""
    if not isinstance(answer, Mapping):
        return NotionUnavailableError(_UNREADABLE, may_have_effect=is_write)
    if answer.get("object") != "error":
        return None
    status = answer.get("status")
    return refusal(
        status if isinstance(status, int) else SERVER_ERRORS,
        code=str(answer.get("code")),
        text=str(answer.get("message")),
        is_write=is_write,
    )


def refusal(status: int, *, code: str, text: str, is_write: bool) -> NotionRefusedError | NotionUnavailableError:
    """Return the port's error for a status: 429 may be retried, a 503 after a write may have had an effect."""
    if status in WITHOUT_EFFECT or status >= SERVER_ERRORS:
        may_have_effect = is_write and status not in WITHOUT_EFFECT
        return NotionUnavailableError(f"Notion answered {status}", may_have_effect=may_have_effect)
    return NotionRefusedError(
        f"Notion refused: {status} {provider_word(code)}", explanation=_text_for_model(code, text)
    )


@contextmanager
def readable(*, is_write: bool) -> Iterator[None]:
    """Raise NotionUnavailableError where an answer lacks what a value needs, such as a page's id."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError) as cause:
        raise NotionUnavailableError(_UNREADABLE, may_have_effect=is_write) from cause


def page_of(page: Mapping[str, Any], own_id: str) -> Page:
    """Return a page; `own_id` is the id of the bot."""
    parent = page.get("parent") or {}
    return Page(
        page_id=page["id"],
        data_source_id=parent.get("data_source_id"),
        database_id=parent.get("database_id"),
        is_own=(page.get("created_by") or {}).get("id") == own_id,
        in_trash=bool(page.get("in_trash") or page.get("archived")),
        properties={
            name: value for name, value in (page.get("properties") or {}).items() if isinstance(value, Mapping)
        },
    )


def block_of(block: Mapping[str, Any], own_id: str) -> Block:
    """Return a block; `own_id` is the id of the bot."""
    created = dt.datetime.fromisoformat(block["created_time"])
    return Block(
        type=block["type"],
        text=text_of(block),
        created_ms=round(created.timestamp() * 1_000),
        is_own=(block.get("created_by") or {}).get("id") == own_id,
    )


def schema_of(data_source: Mapping[str, Any]) -> Schema:
    """Return the columns that can be read.  A column without a type is left out, an option without a name as well.

    Raises: NotionRefusedError for a source without a title column, which a page needs.
    """
    properties = data_source.get("properties")
    pairs = properties.items() if isinstance(properties, Mapping) else ()
    columns = {name: _column(name, column) for name, column in pairs if _has_type(column)}
    if not any(column.type == "title" for column in columns.values()):
        raise NotionRefusedError(
            "a data source has no title column",
            explanation="Notion shows no title column of this database; its operator has to look at it.",
        )
    return Schema(data_source_id=data_source["id"], properties=columns)


def _has_type(column: object) -> bool:
    return isinstance(column, Mapping) and isinstance(column.get("type"), str)


def _column(name: str, column: Mapping[str, Any]) -> Property:
    configuration = column.get(column["type"])
    configuration = configuration if isinstance(configuration, Mapping) else {}
    options = configuration.get("options")
    names = (one.get("name") for one in options if isinstance(one, Mapping)) if isinstance(options, list) else ()
    related_id = configuration.get("data_source_id") if column["type"] == "relation" else None
    return Property(
        name=name,
        type=column["type"],
        options=tuple(option for option in names if isinstance(option, str)),
        related_data_source_id=related_id,
    )


def _text_for_model(code: str, text: str) -> str:
    """Return a sentence for the model; only errors that the model can correct quote Notion's text."""
    if code in _FOR_THE_MODEL:
        return f"Notion refused it: {text[:_LONGEST_TEXT]}"
    return "Notion does not let this bot do that; its operator has to look at it."
