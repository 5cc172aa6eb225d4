import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from simulator.trace import logs
from simulator.trace.logs import LogFile, LogFollower


def line(name: str) -> bytes:
    return json.dumps({"message": name}).encode() + b"\n"


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def names(log: LogFile) -> list[object]:
    return [told["message"] for told in log.new_lines()]


def test_each_appended_line_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "webhook.log"
    log = LogFile(path)
    assert names(log) == []

    append(path, line("event_published") + line("webhook_received"))

    assert names(log) == ["event_published", "webhook_received"]
    assert names(log) == []


def test_lines_of_an_earlier_run_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "webhook.log"
    append(path, line("earlier"))
    log = LogFile(path)

    append(path, line("later"))

    assert names(log) == ["later"]


def test_an_unfinished_line_is_read_once_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "webhook.log"
    log = LogFile(path)
    whole = json.dumps({"message": "取消"}, ensure_ascii=False).encode() + b"\n"

    for cut in range(len(whole) - 1):
        append(path, whole[cut : cut + 1])
        assert names(log) == []
    append(path, whole[-1:])

    assert names(log) == ["取消"]


@pytest.mark.parametrize(
    "odd",
    [
        b" * Serving Flask app\n",
        b"\n",
        b"12\n",
        b'["a"]\n',
        b"\xff\xfe\n",
        b'{"message": "cut\n',
        b"[" * 100_000 + b"\n",
    ],
)
def test_lines_other_than_objects_are_skipped(tmp_path: Path, odd: bytes) -> None:
    path = tmp_path / "webhook.log"
    log = LogFile(path)

    append(path, line("before") + odd + line("after"))

    assert names(log) == ["before", "after"]


def test_a_truncated_file_is_read_from_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "webhook.log"
    log = LogFile(path)
    append(path, line("a_rather_long_name") + b'{"unfinished')
    assert names(log) == ["a_rather_long_name"]

    path.write_bytes(line("short"))

    assert names(log) == ["short"]


def test_a_replaced_file_is_read_from_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "webhook.log"
    log = LogFile(path)
    append(path, line("old"))
    assert names(log) == ["old"]

    (tmp_path / "next.log").write_bytes(line("new_one") + line("new_two"))
    path.replace(tmp_path / "webhook.log.1")
    assert names(log) == []
    (tmp_path / "next.log").replace(path)

    assert names(log) == ["new_one", "new_two"]


def test_long_input_is_read_in_portions_and_an_endless_line_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "READ_BYTES", 64)
    monkeypatch.setattr(logs, "LINE_BYTES", 128)
    path = tmp_path / "webhook.log"
    log = LogFile(path)

    append(path, line("first") + b"x" * 1_000 + b"\n" + line("last"))

    told = [name for _ in range(20) for name in names(log)]
    assert told == ["first", "last"]


def test_the_follower_reports_each_part_until_it_is_stopped(tmp_path: Path) -> None:
    told: list[tuple[str, object]] = []

    async def run() -> None:
        heard = asyncio.Event()

        def hear(part: str, said: Mapping[str, object]) -> None:
            told.append((part, said["message"]))
            heard.set()

        paths = {"webhook": tmp_path / "webhook.log", "unsend": tmp_path / "unsend.log"}
        follower = LogFollower({"webhook": paths["webhook"], "unsend": paths["unsend"]}, hear, poll_s=0.001)
        follower.start()
        append(paths["unsend"], line("message_withdrawn"))
        async with asyncio.timeout(30):
            await heard.wait()
        await follower.stop()
        await follower.stop()
        append(paths["webhook"], line("event_published"))
        await asyncio.sleep(0.02)

    asyncio.run(run())

    assert told == [("unsend", "message_withdrawn")]
