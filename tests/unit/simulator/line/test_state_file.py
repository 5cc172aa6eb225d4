import json
from pathlib import Path

import pytest

from simulator.line.harness import LineHarness
from simulator.line.messages import DeliveryState


def test_chats_people_and_account_survive_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "state" / "line.json"
    with LineHarness(state_path=path) as line:
        line.reply(line.receive_text("remember me"), "I will")
        line.do(lambda: line.platform.send_sticker(line.user_id, line.user_id))
        account, chats, people = line.platform.account, line.platform.chats, line.platform.people

    with LineHarness(state_path=path) as restarted:
        assert restarted.platform.account == account
        assert restarted.platform.chats == chats
        assert restarted.platform.people == people
        restarted.receive_text("again")
        assert restarted.webhook.payloads[0]["destination"] == account.user_id


def test_an_old_message_can_be_unsent_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "line.json"
    with LineHarness(state_path=path) as line:
        said = line.do(lambda: line.platform.say(line.user_id, line.user_id, "my pin is 4711"))

    with LineHarness(state_path=path) as restarted:
        restarted.do(lambda: restarted.platform.unsend(restarted.user_id, str(said.line_message_id)))

    assert "4711" not in path.read_text(encoding="utf-8")


def test_a_delivery_under_way_at_the_end_counts_as_failed(tmp_path: Path) -> None:
    path = tmp_path / "line.json"
    with LineHarness(state_path=path) as line:
        line.receive_text()
        state = json.loads(path.read_text(encoding="utf-8"))
    state["chats"][0]["entries"][0]["delivery"] = "sending"
    path.write_text(json.dumps(state), encoding="utf-8")

    with LineHarness(state_path=path) as restarted:
        [message] = restarted.platform.chat(restarted.user_id).messages
        assert message.delivery is DeliveryState.FAILED


def test_a_file_of_another_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "line.json"
    path.write_text('{"version": 2}', encoding="utf-8")

    with pytest.raises(ValueError, match="written by version 2"):
        LineHarness(state_path=path)
