"""Notion's rules for property values and blocks, and their form in answers.

An unknown option is created by a select and refused by a status.
Source: Notion API reference, "Page properties", "Block", "Request limits"; docs/notion-facts.md.
"""

from __future__ import annotations

import datetime as dt
import re
import zoneinfo
from typing import TYPE_CHECKING, Any

from simulator.notion.errors import invalid_value, not_found, validation_error
from simulator.notion.workspace import JsonObject, Workspace, rich_text

if TYPE_CHECKING:
    from collections.abc import Mapping

TEXT_LIMIT = 2_000
ITEMS_LIMIT = 100
BLOCKS_LIMIT = 100
_SHORT_LIMITS = {"url": 2_000, "email": 200, "phone_number": 200}
_BLOCK_TYPES = frozenset({
    "paragraph", "heading_1", "heading_2", "heading_3", "bulleted_list_item", "numbered_list_item", "to_do", "quote", "code",
    "divider",
})  # fmt: skip
_LANGUAGES = frozenset(
    {"plain text", "python", "javascript", "typescript", "shell", "bash", "json", "yaml", "sql", "c++", "c#", "html"}
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?")


def property_values(workspace: Workspace, columns: JsonObject, properties: object) -> JsonObject:
    """Return the values in the form in which a page has them.  Raises: NotionError.

    For example, `{"Price": {"number": 3}}` becomes the value of the number property "Price".
    """
    if not isinstance(properties, dict):
        raise validation_error("body.properties should be an object.")
    unknown = [name for name in properties if name not in columns]
    if unknown:
        raise invalid_value(" ".join(f"{name} is not a property that exists." for name in unknown))
    return {name: _value(workspace, columns[name], value) for name, value in properties.items()}


def empty_value(column: JsonObject) -> JsonObject:
    """Return the value of an unset property."""
    type_ = column["type"]
    empty: Any = [] if type_ in {"title", "rich_text", "multi_select", "people", "relation"} else None
    return {"id": column["id"], "type": type_, type_: False if type_ == "checkbox" else empty}


def new_blocks(workspace: Workspace, children: object) -> list[JsonObject]:
    """Return the blocks in the form in which a page has them.  Raises: NotionError."""
    if not isinstance(children, list) or not children:
        raise validation_error("body.children should be a non-empty array.")
    if len(children) > BLOCKS_LIMIT:
        raise validation_error(f"body.children.length should be ≤ `{BLOCKS_LIMIT}`, instead was `{len(children)}`.")
    return [_block(workspace, index, one) for index, one in enumerate(children)]


def _block(workspace: Workspace, index: int, child: object) -> JsonObject:
    where = f"body.children[{index}]"
    types = [item for item in _BLOCK_TYPES if isinstance(child, dict) and item in child]
    if not isinstance(child, dict) or len(types) != 1 or child.get("type", types[0]) != types[0]:
        raise validation_error(f"{where} should define exactly one block type.")
    type_ = types[0]
    inner = dict(child[type_])
    if type_ != "divider":
        inner["rich_text"] = _texts(f"{where}.{type_}.rich_text", inner.get("rich_text"))
    if type_ == "to_do":
        inner.setdefault("checked", False)
    if type_ == "code" and inner.get("language") not in _LANGUAGES:
        raise validation_error(
            f"{where}.code.language should be a known language, instead was `{inner.get('language')!r}`."
        )
    return {
        "object": "block",
        "id": workspace.new_id(),
        "created_time": workspace.now(),
        "created_by": {"object": "user", "id": workspace.bot_id},
        "has_children": False,
        "type": type_,
        type_: inner,
    }


def _texts(where: str, pieces: object) -> list[JsonObject]:
    if not isinstance(pieces, list):
        raise validation_error(f"{where} should be an array.")
    if len(pieces) > ITEMS_LIMIT:
        raise validation_error(f"{where}.length should be ≤ `{ITEMS_LIMIT}`, instead was `{len(pieces)}`.")
    result: list[JsonObject] = []
    for index, piece in enumerate(pieces):
        content = piece.get("text", {}).get("content") if isinstance(piece, dict) else None
        if not isinstance(content, str):
            raise validation_error(f"{where}[{index}].text.content should be a string.")
        length = len(content.encode("utf-16-le")) // 2
        if length > TEXT_LIMIT:
            raise validation_error(
                f"{where}[{index}].text.content.length should be ≤ `{TEXT_LIMIT}`, instead was `{length}`."
            )
        result += rich_text(content)
    return result


def _value(workspace: Workspace, column: JsonObject, body: object) -> JsonObject:
    name, type_ = column["name"], column["type"]
    if not isinstance(body, dict) or type_ not in body:
        raise invalid_value(f"{name} is expected to be {type_}.")
    inner = body[type_]
    match type_:
        case "title" | "rich_text":
            result: Any = _texts(f"body.properties.{name}.{type_}", inner)
        case "select" | "status":
            result = None if inner is None else _option(workspace, column, inner)
        case "multi_select":
            result = [_option(workspace, column, item) for item in _list(column, inner)]
        case "people":
            result = [_user(workspace, item) for item in _list(column, inner)]
        case "relation":
            result = [_relation(workspace, column, item) for item in _list(column, inner)]
        case "date":
            result = None if inner is None else _date(column, inner)
        case _:
            result = _scalar(column, inner)
    return {"id": column["id"], "type": type_, type_: result}


def _scalar(column: JsonObject, value: object) -> object:
    name, type_ = column["name"], column["type"]
    match type_:
        case "checkbox" if isinstance(value, bool):
            return value
        case "number" if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
            return value
        case "url" | "email" | "phone_number" if value is None or (isinstance(value, str) and value):
            limit = _SHORT_LIMITS[type_]
            if value is not None and len(value) > limit:
                raise validation_error(
                    f"body.properties.{name}.{type_}.length should be ≤ `{limit}`, instead was `{len(value)}`."
                )
            return value
        case _:
            raise invalid_value(f"{name} is expected to be {type_}.")


def _list(column: JsonObject, items: object) -> list[Any]:
    if not isinstance(items, list):
        raise invalid_value(f"{column['name']} is expected to be {column['type']}.")
    if len(items) > ITEMS_LIMIT:
        raise validation_error(
            f"body.properties.{column['name']}.length should be ≤ `{ITEMS_LIMIT}`, instead was `{len(items)}`."
        )
    return items


def _option(workspace: Workspace, column: JsonObject, item_body: object) -> JsonObject:
    name = item_body.get("name") if isinstance(item_body, dict) else None
    if not isinstance(name, str) or not name:
        raise invalid_value(f"{column['name']} is expected to be {column['type']}.")
    options: list[JsonObject] = column[column["type"]]["options"]
    existing = next((item for item in options if item["name"] == name), None)
    if existing is not None:
        return existing
    if column["type"] == "status":
        raise invalid_value(f'Invalid status option. Status option "{name}" does not exist".')
    if "," in name:
        raise invalid_value(f"Invalid select option, commas not allowed: {name}")
    new_option = workspace.option(name)
    options.append(new_option)
    return new_option


def _user(workspace: Workspace, user: object) -> JsonObject:
    identity = user.get("id") if isinstance(user, dict) else None
    if identity not in workspace.users:
        raise not_found("user", str(identity))
    return workspace.users[str(identity)]


def _relation(workspace: Workspace, column: JsonObject, reference: object) -> JsonObject:
    identity = str(reference.get("id")) if isinstance(reference, dict) else ""
    page = workspace.pages.get(identity)
    if page is None:
        raise not_found("page", identity)
    if page["parent"]["data_source_id"] != column["relation"]["data_source_id"]:
        raise invalid_value(f"{column['name']} relates to pages of another data source.")
    return {"id": identity}


def _date(column: JsonObject, date: Mapping[str, Any]) -> JsonObject:
    where = f"body.properties.{column['name']}.date"
    result: JsonObject = {"start": date.get("start"), "end": date.get("end"), "time_zone": None}
    zone = date.get("time_zone")
    for name in ("start", "end"):
        value = result[name]
        if value is None and name == "end":
            continue
        if not isinstance(value, str) or not _DATE.fullmatch(value):
            raise validation_error(f"{where}.{name} should be a valid ISO 8601 date string, instead was `{value!r}`.")
        result[name] = _moment(value, zone, where)
    return result


def _moment(value: str, zone: object, where: str) -> str:
    """Return a date unchanged, and a time with an offset, by default UTC.

    For example, `2026-11-22T10:00` in the zone `Asia/Tokyo` gets `+09:00`.
    """
    if "T" not in value:
        return value
    moment = dt.datetime.fromisoformat(value)
    if moment.tzinfo is not None and zone is not None:
        raise validation_error(f"{where}: a time zone cannot be given together with an offset.")
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=zoneinfo.ZoneInfo(str(zone)) if zone else dt.UTC)
    return moment.isoformat(timespec="milliseconds")
