"""line-bot-sdk's calls for sending to many, rich menus, statistics and tokens: the SDK's models read every answer."""

from collections.abc import Iterator

import pytest
from linebot.v3 import insight, oauth
from linebot.v3.messaging import (
    ApiClient,
    BroadcastRequest,
    Configuration,
    CreateRichMenuAliasRequest,
    FlexBox,
    FlexBubble,
    FlexMessage,
    FlexText,
    MessageAction,
    MessagingApi,
    MessagingApiBlob,
    MulticastRequest,
    NarrowcastRequest,
    PushMessageRequest,
    RichMenuArea,
    RichMenuBounds,
    RichMenuBulkLinkRequest,
    RichMenuBulkUnlinkRequest,
    RichMenuRequest,
    RichMenuSize,
    TextMessage,
    UpdateRichMenuAliasRequest,
    ValidateMessageRequest,
)
from linebot.v3.messaging.exceptions import ApiException, UnauthorizedException

from simulator.line.harness import ACCESS_TOKEN, CHANNEL_SECRET, LineHarness
from tests.support.serving import Served
from tests.unit.simulator.line.images import png

TODAY = "20260101"
MENU = RichMenuRequest(
    size=RichMenuSize(width=2500, height=843),
    selected=True,
    name="Main",
    chat_bar_text="Menu",
    areas=[
        RichMenuArea(
            bounds=RichMenuBounds(x=0, y=0, width=2500, height=843), action=MessageAction(label="menu", text="menu")
        )
    ],
)


@pytest.fixture
def client(api: Served) -> Iterator[ApiClient]:
    with ApiClient(Configuration(host=api.url, access_token=ACCESS_TOKEN)) as api_client:
        yield api_client


@pytest.fixture
def bot(client: ApiClient) -> MessagingApi:
    return MessagingApi(client)


def texts(line: LineHarness) -> list[str]:
    return [str(message.content.get("text")) for message in line.platform.chat(line.user_id).messages]


def test_messages_to_many_are_sent_and_counted(line: LineHarness, bot: MessagingApi, api: Served) -> None:
    one = [TextMessage(text="hi")]
    bot.broadcast(BroadcastRequest(messages=one))
    bot.multicast(MulticastRequest(to=[line.user_id], messages=one, custom_aggregation_units=["sale"]))
    sent = bot.narrowcast_with_http_info(NarrowcastRequest(messages=one))
    api.do(lambda: line.clock.advance(s=2 * 24 * 3_600))

    progress = bot.get_narrowcast_progress(sent.headers["x-line-request-id"])

    assert texts(line) == ["hi"] * 3
    assert (progress.phase, progress.target_count) == ("succeeded", 1)
    assert bot.get_number_of_sent_broadcast_messages(TODAY).success == 1
    assert bot.get_number_of_sent_multicast_messages(TODAY).success == 1
    assert bot.get_number_of_sent_push_messages(TODAY).success == 0
    assert bot.get_number_of_sent_reply_messages(TODAY).status == "ready"
    assert bot.get_aggregation_unit_usage().num_of_custom_aggregation_units == 1
    assert bot.get_aggregation_unit_name_list().custom_aggregation_units == ["sale"]


@pytest.mark.parametrize("way", ["reply", "push", "multicast", "narrowcast", "broadcast"])
def test_messages_are_validated(bot: MessagingApi, way: str) -> None:
    validate = getattr(bot, f"validate_{way}")

    validate(ValidateMessageRequest(messages=[TextMessage(text="hi")]))
    with pytest.raises(ApiException, match="Length must be"):
        validate(ValidateMessageRequest(messages=[TextMessage(text="x" * 5_001)]))


def test_a_flex_message_of_the_sdk_is_accepted(line: LineHarness, bot: MessagingApi) -> None:
    body = FlexBox(layout="vertical", contents=[FlexText(text="hi", size="xl", weight="bold")])
    card = FlexMessage(alt_text="card", contents=FlexBubble(body=body))

    bot.push_message(PushMessageRequest(to=line.user_id, messages=[card]))

    [shown] = line.platform.chat(line.user_id).messages
    assert shown.content["contents"]["body"]["contents"][0]["text"] == "hi"


def test_a_rich_menu_is_made_shown_and_removed(line: LineHarness, client: ApiClient, bot: MessagingApi) -> None:
    blob = MessagingApiBlob(client)
    bot.validate_rich_menu_object(MENU)
    rich_menu_id = bot.create_rich_menu(MENU).rich_menu_id
    blob.set_rich_menu_image(rich_menu_id, bytearray(png()), _headers={"Content-Type": "image/png"})
    bot.set_default_rich_menu(rich_menu_id)
    bot.link_rich_menu_id_to_user(line.user_id, rich_menu_id)
    bot.link_rich_menu_id_to_users(RichMenuBulkLinkRequest(rich_menu_id=rich_menu_id, user_ids=[line.user_id]))
    bot.create_rich_menu_alias(CreateRichMenuAliasRequest(rich_menu_alias_id="main", rich_menu_id=rich_menu_id))
    bot.update_rich_menu_alias("main", UpdateRichMenuAliasRequest(rich_menu_id=rich_menu_id))

    assert bytes(blob.get_rich_menu_image(rich_menu_id)) == png()
    assert bot.get_rich_menu(rich_menu_id).chat_bar_text == "Menu"
    assert [menu.rich_menu_id for menu in bot.get_rich_menu_list().richmenus] == [rich_menu_id]
    assert bot.get_default_rich_menu_id().rich_menu_id == rich_menu_id
    assert bot.get_rich_menu_id_of_user(line.user_id).rich_menu_id == rich_menu_id
    assert bot.get_rich_menu_alias("main").rich_menu_id == rich_menu_id
    assert [alias.rich_menu_alias_id for alias in bot.get_rich_menu_alias_list().aliases] == ["main"]

    bot.unlink_rich_menu_id_from_user(line.user_id)
    bot.unlink_rich_menu_id_from_users(RichMenuBulkUnlinkRequest(user_ids=[line.user_id]))
    bot.cancel_default_rich_menu()
    bot.delete_rich_menu_alias("main")
    bot.delete_rich_menu(rich_menu_id)
    assert bot.get_rich_menu_list().richmenus == []


def test_insight_is_read_by_the_sdk(line: LineHarness, api: Served, bot: MessagingApi) -> None:
    sent = bot.broadcast_with_http_info(BroadcastRequest(messages=[TextMessage(text="hi")]))
    api.do(lambda: line.clock.advance(s=2 * 24 * 3_600))
    configuration = insight.Configuration(host=api.url, access_token=ACCESS_TOKEN)

    with insight.ApiClient(configuration) as client:
        statistics = insight.Insight(client)
        assert statistics.get_number_of_followers(TODAY).followers == 1
        assert statistics.get_number_of_message_deliveries(TODAY).api_broadcast == 1
        assert statistics.get_friends_demographics().available is True
        assert statistics.get_message_event(sent.headers["x-line-request-id"]).overview.delivered == 1
        assert statistics.get_statistics_per_unit("sale", TODAY, "20260102").clicks == []


def test_tokens_are_issued_verified_and_revoked_by_the_sdk(line: LineHarness, api: Served) -> None:
    with oauth.ApiClient(oauth.Configuration(host=api.url)) as client:
        tokens = oauth.ChannelAccessToken(client)
        short = tokens.issue_channel_token("client_credentials", "1234567890", CHANNEL_SECRET)
        stateless = tokens.issue_stateless_channel_token_by_client_secret("1234567890", CHANNEL_SECRET)
        tokens.revoke_channel_token(short.access_token)

        assert tokens.verify_channel_token(stateless.access_token).client_id == "1234567890"
        assert tokens.verify_channel_token_by_jwt(stateless.access_token).expires_in == 900
    with ApiClient(Configuration(host=api.url, access_token=stateless.access_token)) as opened:
        assert len(MessagingApi(opened).issue_link_token(line.user_id).link_token) == 32
    with (
        ApiClient(Configuration(host=api.url, access_token=short.access_token)) as closed,
        pytest.raises(UnauthorizedException),
    ):
        MessagingApi(closed).get_bot_info()
