"""A shopping list and a to-do list for tests, in memory."""

from shared.tools.notion.port import Property, Schema

SHOPPING = "11111111-1111-4111-8111-111111111111"
TODO = "22222222-2222-4222-8222-222222222222"


def schema(data_source_id: str, **columns: str | tuple[str, tuple[str, ...]]) -> Schema:
    """Return a schema: `schema(id, 名前="title", 状態=("status", ("未着手", "完了")))`."""
    properties = {
        name: Property(name=name, type=column)
        if isinstance(column, str)
        else Property(name=name, type=column[0], options=column[1])
        for name, column in columns.items()
    }
    return Schema(data_source_id=data_source_id, properties=properties)


def shopping_list() -> Schema:
    return schema(
        SHOPPING, 品名="title", 購入済み="checkbox", 数量="number", 店=("select", ("スーパー", "ドラッグストア"))
    )


def todo_list() -> Schema:
    return schema(
        TODO,
        タスク="title",
        状態=("status", ("未着手", "進行中", "完了")),
        期限="date",
        タグ=("multi_select", ("家", "仕事")),
        メモ="rich_text",
        資料="url",
        連絡先="email",
        電話="phone_number",
        計算="formula",
    )
