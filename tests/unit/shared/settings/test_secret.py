import threading
from pathlib import Path

import pytest

from shared.adapters.memory import FixedClock
from shared.settings.secret import FRESH_S, LEAST_S, FixedSecret, SecretFile


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "line-channel-secret" / "value"
    path.parent.mkdir()
    path.write_text("old\n")
    return path


def test_a_changed_file_is_used_after_a_minute(file: Path) -> None:
    clock = FixedClock()
    secret = SecretFile(file, clock=clock)
    file.write_text("new\n")

    clock.move(FRESH_S - 1)
    assert secret.value() == "old"
    clock.move(1)
    assert secret.value() == "new"


def test_a_refused_value_is_read_again_at_once_but_not_more_often_than_every_few_seconds(file: Path) -> None:
    clock = FixedClock()
    secret = SecretFile(file, clock=clock)
    file.write_text("new")

    assert not secret.read_again()
    clock.move(LEAST_S)
    assert secret.read_again()
    assert secret.value() == "new"
    file.write_text("newest")
    assert not secret.read_again()


@pytest.mark.parametrize("content", [None, b"", b" \n", b"\xff\xfe"])
def test_a_file_that_cannot_be_read_leaves_the_last_value(file: Path, content: bytes | None) -> None:
    clock = FixedClock()
    secret = SecretFile(file, clock=clock)
    if content is None:
        file.unlink()
    else:
        file.write_bytes(content)

    clock.move(FRESH_S)

    assert secret.value() == "old"
    assert not secret.read_again()


def test_a_slow_read_holds_up_no_other_thread(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = FixedClock()
    secret = SecretFile(file, clock=clock)
    begun, go_on = threading.Event(), threading.Event()

    def read_slowly(*_: object, **__: object) -> str:
        begun.set()
        assert go_on.wait(30)
        return "new"

    monkeypatch.setattr(Path, "read_text", read_slowly)
    clock.move(FRESH_S)
    reading = threading.Thread(target=secret.value)
    reading.start()
    assert begun.wait(30)

    assert secret.value() == "old"

    go_on.set()
    reading.join()
    assert secret.value() == "new"


def test_a_fixed_secret_never_changes_and_is_not_in_its_repr() -> None:
    secret = FixedSecret("hush")

    assert secret.value() == "hush"
    assert not secret.read_again()
    assert "hush" not in repr(secret)
