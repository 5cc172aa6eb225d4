"""The guide of the toolset of shared lists."""

from collections.abc import Iterable
from typing import Final

_GUIDE: Final = """\
# Shared lists
- `add_to_list`: when somebody puts things on a list of this chat (「買い物リストに牛乳と卵」, "we also need bread", 清單加上鹽,
  จดนมลงรายการซื้อของ), each thing one of `items`. Pass the list as people call it; leave it out where they name none. What they have to
  do, without a list, is filed instead.
- `show_list`: when somebody asks for a list, or what is on it (「買うものは」).
- `clear_list`: when somebody asks to clear what is ticked or bought; it never deletes what is open.
- The index names the items of each list with their handles. Ticked (「牛乳買った」): `update_entry` with status done. Taken off again:
  `delete_entry`.
Example: 「買い物リストに牛乳と卵」 -> add_to_list(list: "買い物", items: ["牛乳", "卵"]) and reply(message) in one step."""


def lists_guide(databases: Iterable[str]) -> str:
    """Return the guide; `databases` are those of Notion, which stay the lists that they are."""
    names = ", ".join(databases)
    return (
        f"{_GUIDE}\nLists that are databases in Notion stay there ({names}): use the functions for Notion."
        if names
        else _GUIDE
    )
