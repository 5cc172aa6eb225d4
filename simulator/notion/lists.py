"""The two databases that `make run` has: a shopping list and a to-do list, and how the page shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.notion.workspace import JsonObject, Workspace

SHOPPING_LIST = "shopping_list"
TODO_LIST = "todo_list"
_TITLES = {SHOPPING_LIST: "買い物リスト", TODO_LIST: "やることリスト"}
_COLUMNS: dict[str, dict[str, JsonObject]] = {
    SHOPPING_LIST: {
        "品名": {"title": {}},
        "購入済み": {"checkbox": {}},
        "数量": {"number": {"format": "number"}},
        "店": {"select": {"options": ["スーパー", "ドラッグストア", "その他"]}},
    },
    TODO_LIST: {
        "タスク": {"title": {}},
        "完了": {"checkbox": {}},
        "状態": {"status": {"options": ["未着手", "進行中", "完了"]}},
        "期限": {"date": {}},
        "タグ": {"multi_select": {"options": ["家", "仕事"]}},
        "メモ": {"rich_text": {}},
        "担当": {"people": {}},
    },
}


def furnish(workspace: Workspace) -> None:
    """The workspace has both databases and one person."""
    for name, columns in _COLUMNS.items():
        workspace.add_database(_TITLES[name], columns)
    workspace.add_person("ゆき")


def ids_by_name(workspace: Workspace) -> dict[str, str]:
    """`{"shopping_list": "...", "todo_list": "..."}`, by the titles."""
    named = {one["title"][0]["plain_text"]: database_id for database_id, one in workspace.databases.items()}
    return {name: named[title] for name, title in _TITLES.items()}


def shown(workspace: Workspace) -> list[JsonObject]:
    """`[{"title", "columns", "pages": [{"page_id", "title", "is_done", "values"}]}]`, newest pages last."""
    return [_database(workspace, database) for database in workspace.databases.values()]


def _database(workspace: Workspace, database: JsonObject) -> JsonObject:
    source_ids = {one["id"] for one in database["data_sources"]}
    pages = [
        page
        for page in workspace.pages.values()
        if page["parent"]["data_source_id"] in source_ids and not page["in_trash"]
    ]
    return {"title": database["title"][0]["plain_text"], "pages": [_page(workspace, page) for page in pages]}


def _page(workspace: Workspace, page: JsonObject) -> JsonObject:
    values = [(name, _words(value)) for name, value in page["properties"].items() if value["type"] != "title"]
    title = next(value for value in page["properties"].values() if value["type"] == "title")
    checkboxes = [value["checkbox"] for value in page["properties"].values() if value["type"] == "checkbox"]
    return {
        "page_id": page["id"],
        "title": _words(title),
        "is_done": bool(checkboxes and checkboxes[0]),
        "values": [f"{name}: {words}" for name, words in values if words],
        "blocks": len(workspace.blocks.get(page["id"], [])),
    }


def _words(value: JsonObject) -> str:
    inner = value[value["type"]]
    match value["type"]:
        case "title" | "rich_text":
            return "".join(one["plain_text"] for one in inner)
        case "select" | "status":
            return str(inner["name"]) if inner else ""
        case "multi_select" | "people":
            return ", ".join(one["name"] for one in inner)
        case "date":
            return " - ".join(one for one in (inner["start"], inner["end"]) if one) if inner else ""
        case "checkbox":
            return ""
        case _:
            return "" if inner is None else str(inner)
