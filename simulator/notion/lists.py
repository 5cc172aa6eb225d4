"""The two databases of `make run`, a shopping list and a to-do list, and their view on the page."""

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


def add_default_databases(workspace: Workspace) -> None:
    """Add both databases and a person."""
    for name, columns in _COLUMNS.items():
        workspace.add_database(_TITLES[name], columns)
    workspace.add_person("ゆき")


def ids_by_name(workspace: Workspace) -> dict[str, str]:
    """Return `{"shopping_list": "...", "todo_list": "..."}`, by the titles of the databases."""
    ids_by_title = {item["title"][0]["plain_text"]: database_id for database_id, item in workspace.databases.items()}
    return {name: ids_by_title[title] for name, title in _TITLES.items()}


def lists_view(workspace: Workspace) -> list[JsonObject]:
    """Return `[{"title", "pages": [{"page_id", "title", "is_done", "values", "blocks"}]}]`, newest pages last."""
    return [_database(workspace, database) for database in workspace.databases.values()]


def _database(workspace: Workspace, database: JsonObject) -> JsonObject:
    source_ids = {item["id"] for item in database["data_sources"]}
    pages = [
        page
        for page in workspace.pages.values()
        if page["parent"]["data_source_id"] in source_ids and not page["in_trash"]
    ]
    return {"title": database["title"][0]["plain_text"], "pages": [_page(workspace, page) for page in pages]}


def _page(workspace: Workspace, page: JsonObject) -> JsonObject:
    values = [(name, _plain_text(value)) for name, value in page["properties"].items() if value["type"] != "title"]
    title = next(value for value in page["properties"].values() if value["type"] == "title")
    checkboxes = [value["checkbox"] for value in page["properties"].values() if value["type"] == "checkbox"]
    return {
        "page_id": page["id"],
        "title": _plain_text(title),
        "is_done": bool(checkboxes and checkboxes[0]),
        "values": [f"{name}: {words}" for name, words in values if words],
        "blocks": len(workspace.blocks.get(page["id"], [])),
    }


def _plain_text(value: JsonObject) -> str:
    inner = value[value["type"]]
    match value["type"]:
        case "title" | "rich_text":
            return "".join(item["plain_text"] for item in inner)
        case "select" | "status":
            return str(inner["name"]) if inner else ""
        case "multi_select" | "people":
            return ", ".join(item["name"] for item in inner)
        case "date":
            return " - ".join(item for item in (inner["start"], inner["end"]) if item) if inner else ""
        case "checkbox":
            return ""
        case _:
            return "" if inner is None else str(inner)
