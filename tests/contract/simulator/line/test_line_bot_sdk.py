"""Requests of line-bot-sdk over HTTP, and answers that the SDK can read."""

from collections.abc import Iterator
from http import HTTPStatus

import pytest
from linebot.v3 import messaging
from linebot.v3.messaging import (
    ApiClient,
    Configuration,
    MarkMessagesAsReadByTokenRequest,
    Message,
    MessageAction,
    MessagingApi,
    MessagingApiBlob,
    PushMessageRequest,
    QuickReply,
    QuickReplyItem,
    ReplyMessageRequest,
    ShowLoadingAnimationRequest,
    TextMessage,
    TextMessageV2,
    UserMentionTarget,
)
from linebot.v3.messaging import MentionSubstitutionObject as Mention
from linebot.v3.messaging.exceptions import ApiException, NotFoundException, ServiceException, UnauthorizedException
from urllib3.exceptions import ProtocolError, ReadTimeoutError

from simulator.line.harness import ACCESS_TOKEN, LineHarness
from simulator.line.media import Media
from simulator.line.switches import Fault
from tests.support.serving import Served

KEY = "123e4567-e89b-12d3-a456-426655440000"


@pytest.fixture
def client(api: Served) -> Iterator[ApiClient]:
    with ApiClient(Configuration(host=api.url, access_token=ACCESS_TOKEN)) as api_client:
        yield api_client


@pytest.fixture
def bot(client: ApiClient) -> MessagingApi:
    return MessagingApi(client)


def a_reply(reply_token: str, *messages: Message) -> ReplyMessageRequest:
    return ReplyMessageRequest(reply_token=reply_token, messages=list(messages or [TextMessage(text="hi")]))


def test_a_reply_is_sent_and_read(line: LineHarness, bot: MessagingApi) -> None:
    item = QuickReplyItem(action=MessageAction(label="yes", text="yes"))
    request = a_reply(line.receive_text(), TextMessage(text="well?", quick_reply=QuickReply(items=[item])))

    response = bot.reply_message(request, _request_timeout=5)

    shown = list(line.platform.chat(line.user_id).messages)[-1]
    assert [sent.id for sent in response.sent_messages] == [shown.line_message_id]
    assert response.sent_messages[0].quote_token == shown.quote_token
    assert shown.content["quickReply"]["items"][0]["action"]["label"] == "yes"


def test_a_used_token_is_an_api_exception(line: LineHarness, bot: MessagingApi) -> None:
    token = line.receive_text()
    bot.reply_message(a_reply(token))

    with pytest.raises(ApiException) as caught:
        bot.reply_message(a_reply(token))

    assert caught.value.status == HTTPStatus.BAD_REQUEST
    assert "Invalid reply token" in caught.value.body
    assert caught.value.headers["x-line-request-id"]


def test_a_mention_of_a_member_is_sent_to_a_group(line: LineHarness, bot: MessagingApi) -> None:
    group = line.platform.create_group("Lunch", (line.user_id,))
    line.do(lambda: line.platform.join(group.chat_id))
    event = line.do(lambda: line.platform.say(line.user_id, group.chat_id, "who?"))
    you = Mention(mentionee=UserMentionTarget(user_id=line.user_id))

    bot.reply_message(a_reply(str(event.reply_token), TextMessageV2(text="{you}!", substitution={"you": you})))

    assert list(line.platform.chat(group.chat_id).messages)[-1].content["text"] == "{you}!"


def test_a_retried_push_is_a_conflict_that_names_the_accepted_request(line: LineHarness, bot: MessagingApi) -> None:
    request = PushMessageRequest(to=line.user_id, messages=[TextMessage(text="news")])
    accepted = bot.push_message_with_http_info(request, x_line_retry_key=KEY)

    with pytest.raises(ApiException) as caught:
        bot.push_message(request, x_line_retry_key=KEY)

    assert caught.value.status == HTTPStatus.CONFLICT
    assert caught.value.headers["x-line-accepted-request-id"] == accepted.headers["x-line-request-id"]


def test_loading_and_read_marks_are_accepted(line: LineHarness, bot: MessagingApi) -> None:
    line.receive_text()
    [message] = line.platform.chat(line.user_id).messages

    loading = bot.show_loading_animation_with_http_info(
        ShowLoadingAnimationRequest(chat_id=line.user_id, loading_seconds=20)
    )
    bot.mark_messages_as_read_by_token(MarkMessagesAsReadByTokenRequest(mark_as_read_token=message.mark_as_read_token))

    assert loading.status_code == HTTPStatus.ACCEPTED
    assert [message.is_read for message in line.platform.chat(line.user_id).messages] == [True]


def test_profiles_groups_and_the_account_are_read(line: LineHarness, bot: MessagingApi) -> None:
    group = line.platform.create_group("Lunch", (line.user_id,))
    line.do(lambda: line.platform.join(group.chat_id))

    assert bot.get_profile(line.user_id).display_name == "あなた"
    assert bot.get_group_member_profile(group.chat_id, line.user_id).user_id == line.user_id
    assert bot.get_group_summary(group.chat_id).group_name == "Lunch"
    assert bot.get_group_member_count(group.chat_id).count == 1
    assert bot.get_bot_info().user_id == line.platform.account.user_id
    assert bot.get_message_quota().value == 200
    assert bot.get_message_quota_consumption().total_usage == 0
    assert bot.get_webhook_endpoint().endpoint == "https://bot.test/webhook"
    bot.leave_group(group.chat_id)
    with pytest.raises(NotFoundException):
        bot.get_group_summary(group.chat_id)


def test_a_room_is_read_and_left(line: LineHarness, bot: MessagingApi) -> None:
    room = line.platform.create_room((line.user_id,))

    assert bot.get_room_member_profile(room.chat_id, line.user_id).user_id == line.user_id
    assert bot.get_room_member_count(room.chat_id).count == 1
    bot.leave_room(room.chat_id)
    assert not line.platform.chat(room.chat_id).bot_is_member


def test_content_is_read_with_its_status(line: LineHarness, client: ApiClient) -> None:
    blob = MessagingApiBlob(client)
    early = Media(content=b"moving", content_type="video/mp4", prepared_at_ms=line.clock.now_ms() + 1_000)
    sent = line.do(lambda: line.platform.send_video(line.user_id, line.user_id, early, duration_ms=1_000))

    preparing = blob.get_message_content_with_http_info(sent.line_message_id)
    status = blob.get_message_content_transcoding_by_message_id(sent.line_message_id).status
    line.clock.advance(s=1)
    ready = blob.get_message_content_with_http_info(sent.line_message_id)
    line.do(lambda: line.platform.unsend(line.user_id, str(sent.line_message_id)))

    assert (preparing.status_code, status) == (HTTPStatus.ACCEPTED, "processing")
    assert (ready.status_code, bytes(ready.data)) == (HTTPStatus.OK, b"moving")
    with pytest.raises(ApiException) as gone:
        blob.get_message_content(sent.line_message_id)
    assert gone.value.status == HTTPStatus.GONE


def test_the_webhook_is_tested(line: LineHarness, bot: MessagingApi) -> None:
    line.webhook.answers = [200]

    response = bot.test_webhook_endpoint(messaging.TestWebhookEndpointRequest())

    assert (response.success, response.status_code, response.reason) == (True, HTTPStatus.OK, "OK")


def test_a_wrong_access_token_is_unauthorized(api: Served) -> None:
    with ApiClient(Configuration(host=api.url, access_token="wrong")) as client, pytest.raises(UnauthorizedException):
        MessagingApi(client).get_bot_info()


def test_an_error_of_the_platform_is_a_service_exception(line: LineHarness, bot: MessagingApi) -> None:
    line.platform.faults.add(Fault(path="/v2/bot/message/reply", error_status=503))

    with pytest.raises(ServiceException):
        bot.reply_message(a_reply(line.receive_text()))


def test_an_answer_can_be_cut_off_after_the_effect(line: LineHarness, bot: MessagingApi) -> None:
    line.platform.faults.add(Fault(path="/v2/bot/message/reply", nth=1, answer="cut"))
    token = line.receive_text()

    with pytest.raises(ProtocolError):
        bot.reply_message(a_reply(token))
    with pytest.raises(ApiException, match="Invalid reply token"):
        bot.reply_message(a_reply(token))

    assert line.platform.replies_with_effect == 1
    assert [request.was_answered for request in line.platform.requests] == [False, True]


def test_an_answer_can_hang_after_the_effect(line: LineHarness, bot: MessagingApi) -> None:
    line.platform.faults.add(Fault(path="/v2/bot/message/reply", nth=1, answer="hang"))
    token = line.receive_text()

    with pytest.raises(ReadTimeoutError):
        bot.reply_message(a_reply(token), _request_timeout=3)

    assert line.platform.replies_with_effect == 1
