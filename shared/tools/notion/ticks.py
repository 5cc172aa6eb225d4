"""Ticks: changes of a page that only say "done".  A tick needs no tap if a person's own words say so."""

from typing import Final

from shared.search.folding import fold
from shared.tools.notion.plain_values import plain
from shared.tools.notion.port import Page, PropertyValues

_DONE: Final = frozenset(
    map(
        fold,
        (
            "Done",
            "Complete",
            "Completed",
            "Finished",
            "完了",
            "完了済み",
            "済",
            "済み",
            "完成",
            "已完成",
            "เสร็จ",
            "เสร็จแล้ว",
            "เสร็จสิ้น",
        ),
    )
)


def is_tick(page: Page, values: PropertyValues) -> bool:
    """Whether the values only tick the page: check the only checkbox, or set a single status or select to a word for "done".

    For example, `{"Status": {"status": {"name": "Done"}}}` is a tick; with a date in addition, the change is no tick.
    """
    if len(values) != 1:
        return False
    value = next(iter(values.values()))
    type_ = next(iter(value))
    new = plain({"type": type_, **value})
    if type_ == "checkbox":
        return new is True and sum(one.get("type") == "checkbox" for one in page.properties.values()) == 1
    return type_ in {"status", "select"} and isinstance(new, str) and fold(new) in _DONE
