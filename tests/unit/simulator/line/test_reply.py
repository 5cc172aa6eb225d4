import pytest

from simulator.line.harness import LineHarness


def test_a_reply_is_shown_and_returns_its_message_id(line: LineHarness) -> None:
    token = line.receive_text("hello")

    answer = line.reply(token, "hi", "there")

    shown = [message.content["text"] for message in line.platform.chat(line.user_id).messages]
    sent = answer.json()["sentMessages"]
    assert answer.status_code == 200
    assert shown == ["hello", "hi", "there"]
    assert [set(message) for message in sent] == [{"id", "quoteToken"}] * 2
    assert all(message["id"].isdecimal() for message in sent)
    assert answer.headers["x-line-request-id"]


def test_a_reply_token_is_valid_once(line: LineHarness) -> None:
    token = line.receive_text()
    line.reply(token, "one")

    again = line.reply(token, "two")

    assert again.status_code == 400
    assert again.json() == {"message": "Invalid reply token"}
    assert line.platform.replies_with_effect == 1


@pytest.mark.parametrize(("age_s", "status"), [(60, 200), (60.001, 400)])
def test_a_reply_token_lives_one_minute_from_its_receipt(line: LineHarness, age_s: float, status: int) -> None:
    token = line.receive_text()
    line.clock.advance(s=age_s)

    assert line.reply(token, "late").status_code == status


def test_a_redelivery_gives_the_token_another_minute(line: LineHarness) -> None:
    event = line.do(lambda: line.platform.say(line.user_id, line.user_id, "hello"))
    line.clock.advance(s=15 * 60)
    line.do(lambda: line.platform.courier.redeliver(event))
    line.clock.advance(s=59)

    assert line.reply(event.reply_token, "at last").status_code == 200


def test_a_redelivery_does_not_revive_a_token_twenty_minutes_after_the_event(line: LineHarness) -> None:
    event = line.do(lambda: line.platform.say(line.user_id, line.user_id, "hello"))
    line.clock.advance(s=20 * 60 + 1)
    line.do(lambda: line.platform.courier.redeliver(event))

    assert line.reply(event.reply_token, "too late").status_code == 400


def test_a_redelivery_does_not_revive_a_spent_token(line: LineHarness) -> None:
    event = line.do(lambda: line.platform.say(line.user_id, line.user_id, "hello"))
    line.reply(event.reply_token, "one")
    line.do(lambda: line.platform.courier.redeliver(event))

    assert line.reply(event.reply_token, "two").status_code == 400


def test_a_wrong_body_does_not_spend_the_token(line: LineHarness) -> None:
    token = line.receive_text()

    refused = line.reply(token, "")
    accepted = line.reply(token, "better")

    assert refused.json()["details"] == [{"message": "May not be empty", "property": "messages[0].text"}]
    assert accepted.status_code == 200


def test_a_reply_refuses_a_retry_key(line: LineHarness) -> None:
    token = line.receive_text()
    body = {"replyToken": token, "messages": [{"type": "text", "text": "hi"}]}

    answer = line.call(
        "POST",
        "/v2/bot/message/reply",
        json=body,
        headers={"X-Line-Retry-Key": "123e4567-e89b-12d3-a456-426655440000"},
    )

    assert answer.status_code == 400
    assert line.reply(token, "hi").status_code == 200


def test_a_reply_to_a_person_who_blocked_the_account_is_hidden(line: LineHarness) -> None:
    token = line.receive_text()
    line.do(lambda: line.platform.unfollow(line.user_id))

    answer = line.reply(token, "are you there?")

    assert answer.status_code == 200
    assert answer.json()["sentMessages"][0]["id"]
    assert [message.content["text"] for message in line.platform.chat(line.user_id).messages] == ["hello"]


def test_a_quote_token_is_valid_only_in_its_chat(line: LineHarness) -> None:
    other = line.platform.add_person("Hana")
    line.do(lambda: line.platform.say(other.user_id, other.user_id, "mine"))
    (hers,) = line.platform.chat(other.user_id).messages
    token = line.receive_text("yours")
    (own,) = line.platform.chat(line.user_id).messages

    def quoting(quote_token: str | None) -> int:
        message = {"type": "text", "text": "this one", "quoteToken": quote_token}
        body = {"replyToken": token, "messages": [message]}
        return line.call("POST", "/v2/bot/message/reply", json=body).status_code

    assert quoting(hers.quote_token) == 400
    assert quoting(own.quote_token) == 200
    assert list(line.platform.chat(line.user_id).messages)[-1].quoted_message_id == own.line_message_id


def test_a_reply_ends_the_loading_animation(line: LineHarness) -> None:
    token = line.receive_text()
    line.call("POST", "/v2/bot/chat/loading/start", json={"chatId": line.user_id, "loadingSeconds": 5})
    assert line.platform.chat(line.user_id).loading_until_ms == line.clock.now_ms() + 5_000

    line.reply(token, "done")

    assert line.platform.chat(line.user_id).loading_until_ms == 0
