"""Shared lists: an item is an entry of the category `items`, and a list is all items with the list's name.

A list has no object of its own, so two people who tick two items at once write two objects, and a withdrawal takes one item.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import field
from hashlib import sha256
from typing import Final

from shared.frozen import frozen
from shared.knowledge.catalog import Row
from shared.knowledge.schema import DONE, LIST, Category
from shared.search.folding import fold

LIST_NAME_UTF16: Final = 40
UNNAMED: Final = "List"
"""The name of a list without a name, as any word for a list."""
_LIST_WORDS: Final = "|".join(map(fold, ("リスト", "一覧", "清單", "清单", "列表")))
_FRAME: Final = re.compile(
    rf"^(?:the|my|our)\b|-?\blist$|[の的]?(?:{_LIST_WORDS})$|^(?:{fold('รายการ')}|{fold('ลิสต์')})"
)
"""What people leave out of the name of a list, or put around it: 「買い物」, 「買い物リスト」 and 「買い物のリスト」 are the same list."""


@frozen
class SharedList:
    """A list by name, with the rows of the items in the order of their addition.

    The name is empty where nobody named the list, or where the naming message was withdrawn.
    """

    name: str = field(repr=False)
    rows: tuple[Row, ...] = field(repr=False)

    @property
    def open_rows(self) -> tuple[Row, ...]:
        """The items that are not ticked."""
        return tuple(row for row in self.rows if not is_ticked(row.status))

    @property
    def done_rows(self) -> tuple[Row, ...]:
        """The items that are ticked."""
        return tuple(row for row in self.rows if is_ticked(row.status))


def is_ticked(status: str | None) -> bool:
    """Whether an item of this status is ticked: only such an item may be cleared."""
    return status == DONE


def without_items(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Return the rows of entries that stand on no shared list."""
    return tuple(row for row in rows if row.category is not Category.ITEMS)


def lists_in(rows: Iterable[Row]) -> tuple[SharedList, ...]:
    """Return the lists of a chat, the newest change first."""
    rows_by_key: dict[str, list[Row]] = {}
    for row in sorted((row for row in rows if row.category is Category.ITEMS), key=_by_age):
        rows_by_key.setdefault(key_of_list(row.shown.get(LIST, "")), []).append(row)
    lists = [SharedList(name=group[0].shown.get(LIST, ""), rows=tuple(group)) for group in rows_by_key.values()]
    return tuple(sorted(lists, key=_by_change, reverse=True))


def key_of_list(name: str) -> str:
    """Return the name without case, width and the word for a list: 「買い物リスト」 gives 「買い物」, "My list" nothing."""
    folded = fold(name).strip()
    stripped = _FRAME.sub("", folded).strip()
    while stripped != folded:
        folded, stripped = stripped, _FRAME.sub("", stripped).strip()
    return folded


def handle_of_list(name: str) -> str:
    """Return a short name for the list in the data of buttons, which holds no words."""
    return sha256(key_of_list(name).encode()).hexdigest()[:16]


def list_meant(lists: Sequence[SharedList], name: str) -> SharedList | None:
    """Return the list of the name, else the only list with the name within a longer name; without a name, the only list.

    For example, "shop" means "Shopping", unless there is a list "Shop" or "Workshop". Of several lists, a mere word for a list, such as
    "the list" or 「リスト」, means the list without a name.
    """
    key = key_of_list(name)
    same = [one for one in lists if key_of_list(one.name) == key] if name else []
    matches = same or [one for one in lists if key in key_of_list(one.name)]
    return matches[0] if len(matches) == 1 else None


def reference_to(shared_list: SharedList, lists: Sequence[SharedList]) -> str:
    """Return the name of the list for a call: empty for the only list, if without a name."""
    return shared_list.name or (UNNAMED if any(one is not shared_list for one in lists) else "")


def _by_age(row: Row) -> tuple[str, str]:
    return row.created_at, row.path


def _by_change(shared_list: SharedList) -> tuple[str, str]:
    return max((row.updated_at, row.path) for row in shared_list.rows)
