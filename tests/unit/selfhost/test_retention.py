"""What is deleted after its days, as on Google Cloud."""

import re
from contextlib import closing
from pathlib import Path

from selfhost.retention import Retention, retention_days
from shared.adapters.memory import FixedClock
from shared.adapters.sqlite import Database, SqliteObjectStore

ROOT = Path(__file__).parents[3]
DAY_S = 86_400


def test_every_prefix_has_the_days_of_the_buckets_rules() -> None:
    history = (ROOT / "infra/terraform/history.tf").read_text(encoding="utf-8")
    variables = (ROOT / "infra/terraform/variables.tf").read_text(encoding="utf-8")
    rules = dict(re.findall(r'^    "([a-z]+/)" *= (.+)$', history, re.MULTILINE))
    defaults = dict(re.findall(r"^    (\w+) *= optional\(number, (\d+)\)", variables, re.MULTILINE))

    def days(rule: str) -> int:
        if rule.isdigit():
            return int(rule)
        if rule == "max(1, var.bot.archive_days)":
            return int(defaults["archive_days"])
        return int(defaults[rule.removeprefix("var.retention.")])

    turns = rules.pop("turns/")  # for ever, while entries are
    assert "var.retention.entries_days == 0" in turns
    expected = {prefix: days(rule) for prefix, rule in rules.items()}
    assert {expected.pop(prefix) for prefix in ("entries/", "expenses/", "polls/")} == {0}
    assert retention_days(archive_days=365) == expected


def test_objects_go_after_their_days(tmp_path: Path) -> None:
    clock = FixedClock()
    with closing(Database(tmp_path)) as database:
        store = SqliteObjectStore(database, clock=clock)
        retention = Retention(store=store, days=retention_days(archive_days=0), clock=clock)
        for name in ("archive/U1/1", "entries/U1/1", "media/U1/1"):
            store.create(name, b"words")

        clock.move(DAY_S - 60)
        retention()
        clock.move(120)
        retention()  # within the hour
        assert len(store.list("")) == 3
        clock.move(3_600)
        retention()
        assert [one.name for one in store.list("")] == ["entries/U1/1", "media/U1/1"]
        clock.move(90 * DAY_S)
        retention()

        assert [one.name for one in store.list("")] == ["entries/U1/1"]
