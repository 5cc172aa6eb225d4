"""What LINE was reported or is documented to answer, each with its public source."""

from dataclasses import dataclass, field
from typing import Any, Final

DOCS: Final = "developers.line.biz"
GITHUB: Final = "github.com"
INVALID: Final = "A message (messages[0]) in the request body is invalid"
USER: Final = "U" + "0" * 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """A request and LINE's answer to it. `{user}`, `{group}` and `{token}` in a request stand for those of the test."""

    what: str
    source: str
    request: str
    body: Any = None
    status: int = 400
    message: str | None = None
    details: list[tuple[str, str]] | None = None
    content: str | None = None
    headers: dict[str, str] = field(default_factory=dict)


def push(*messages: dict[str, Any], to: object = "{user}") -> dict[str, Any]:
    return {"to": to, "messages": list(messages)}


def text(value: object = "hi", **more: object) -> dict[str, Any]:
    return {"type": "text", "text": value, **more}


def flex(**bubble: object) -> dict[str, Any]:
    return {"type": "flex", "altText": "card", "contents": {"type": "bubble", **bubble}}


def box(*contents: object) -> dict[str, Any]:
    return {"type": "box", "layout": "vertical", "contents": list(contents)}


def carousel(*columns: dict[str, Any]) -> dict[str, Any]:
    return {"type": "template", "altText": "choose", "template": {"type": "carousel", "columns": list(columns)}}


def buttons(*actions: dict[str, Any]) -> dict[str, Any]:
    template = {"type": "buttons", "text": "well?", "actions": list(actions)}
    return {"type": "template", "altText": "choose", "template": template}


def column(count: int, **more: object) -> dict[str, Any]:
    actions = [{"type": "message", "label": str(number), "text": str(number)} for number in range(count)]
    return {"text": "well?", "actions": actions, **more}


def item(**action: object) -> dict[str, Any]:
    return {"type": "action", "action": action}


def quick(*items: dict[str, Any]) -> dict[str, Any]:
    return text(quickReply={"items": list(items)})


def imagemap(**changes: object) -> dict[str, Any]:
    area = {"x": 0, "y": 0, "width": 10, "height": 10}
    actions = [{"type": "uri", "linkUri": "https://example.com", "area": area}]
    base = {"baseUrl": "https://example.com/i", "baseSize": {"width": 1040, "height": 1040}, "actions": actions}
    return {"type": "imagemap", "altText": "map", **base, **changes}


def one_error(message: str, path: str) -> dict[str, Any]:
    return {"message": "The request body has 1 error(s)", "details": [(message, path)]}


def in_message(message: str, path: str) -> dict[str, Any]:
    return {"message": INVALID, "details": [(message, path)]}


PUSH: Final = "POST /v2/bot/message/push"
REPLY: Final = "POST /v2/bot/message/reply"
LOADING: Final = "POST /v2/bot/chat/loading/start"
WEBHOOK: Final = "PUT /v2/bot/channel/webhook/endpoint"
MENU: Final = "POST /v2/bot/richmenu/validate"
REFERENCE: Final = f"{DOCS}/en/reference/messaging-api"
VALUES: Final = "text, textV2, sticker, image, video, audio, location, imagemap, template, flex, coupon"

BEHAVIOURS: Final = (
    Behaviour(
        what="an empty text",
        source=f"{REFERENCE}/#error-responses",
        request=PUSH,
        body=push(text("")),
        **one_error("May not be empty", "messages[0].text"),
    ),
    Behaviour(
        what="an unknown type of message",
        source=f"{REFERENCE}/#error-responses",
        request=PUSH,
        body=push({"type": "fax"}),
        **one_error(f"Must be one of the following values: [{VALUES}]", "messages[0].type"),
    ),
    Behaviour(
        what="two errors in one answer",
        source=f"{GITHUB}/bottenderjs/messaging-apis/pull/171",
        request=PUSH,
        body=push(text(""), {"type": "fax"}),
        message="The request body has 2 error(s)",
    ),
    Behaviour(
        what="a recipient that is no id: the property in quotes",
        source=f"{GITHUB}/line/line-bot-sdk-python/issues/729",
        request=PUSH,
        body=push(text(), to="kutemukan"),
        message="The property, 'to', in the request body is invalid (line: -, column: -)",
    ),
    Behaviour(
        what="an empty recipient",
        source=f"{REFERENCE}/#error-responses",
        request=PUSH,
        body=push(text(), to=""),
        **one_error("May not be empty", "to"),
    ),
    Behaviour(
        what="a wrong recipient among several",
        source=f"{REFERENCE}/#send-multicast-message",
        request="POST /v2/bot/message/multicast",
        body={"to": ["{user}", "nobody"], "messages": [text()]},
        message="The property, 'to[1]', in the request body is invalid (line: -, column: -)",
    ),
    Behaviour(
        what="no messages",
        source=f"{REFERENCE}/#send-push-message",
        request=PUSH,
        body=push(),
        **one_error("Size must be between 1 and 5", "messages"),
    ),
    Behaviour(
        what="six messages",
        source=f"{REFERENCE}/#send-push-message",
        request=PUSH,
        body=push(*[text()] * 6),
        **one_error("Size must be between 1 and 5", "messages"),
    ),
    Behaviour(
        what="a text that is too long",
        source=f"{REFERENCE}/#text-message",
        request=PUSH,
        body=push(text("x" * 5_001)),
        **one_error("Length must be between 0 and 5000", "messages[0].text"),
    ),
    Behaviour(
        what="a reply without a token, as of an unfollow event",
        source=f"{GITHUB}/cofacts/rumors-line-bot/issues/157",
        request=REPLY,
        body={"messages": [text()]},
        **one_error("May not be empty", "replyToken"),
    ),
    Behaviour(
        what="a reply token that is spent or unknown",
        source=f"{REFERENCE}/#error-messages",
        request=REPLY,
        body={"replyToken": "0" * 32, "messages": [text()]},
        message="Invalid reply token",
    ),
    Behaviour(
        what="a reply with a retry key",
        source=f"{DOCS}/en/docs/messaging-api/retrying-api-request/",
        request=REPLY,
        body={"replyToken": "0" * 32, "messages": [text()]},
        headers={"X-Line-Retry-Key": "123e4567-e89b-12d3-a456-426655440000"},
        message="X-Line-Retry-Key is not supported for this API",
    ),
    Behaviour(
        what="an image without its URLs",
        source=f"{REFERENCE}/#image-message",
        request=PUSH,
        body=push({"type": "image", "originalContentUrl": "", "previewImageUrl": ""}),
        message="The request body has 2 error(s)",
        details=[
            ("May not be empty", "messages[0].originalContentUrl"),
            ("May not be empty", "messages[0].previewImageUrl"),
        ],
    ),
    Behaviour(
        what="a quick reply's message action without a text",
        source=f"{GITHUB}/line/line-bot-sdk-python/issues/728",
        request=PUSH,
        body=push(quick(item(type="message", label="Accept"), item(type="message", label="Decline"))),
        message="The request body has 2 error(s)",
        details=[
            ("must be specified", "messages[0].quickReply.items[0].action.text"),
            ("must be specified", "messages[0].quickReply.items[1].action.text"),
        ],
    ),
    Behaviour(
        what="a quick reply's action without a label",
        source=f"{GITHUB}/line/line-bot-sdk-java/pull/258",
        request=PUSH,
        body=push(quick(item(type="location", label=""))),
        **one_error("`label` must be specified", "messages[0].quickReply.items[0].action"),
    ),
    Behaviour(
        what="a quick reply's item without a type",
        source=f"{REFERENCE}/#items-object",
        request=PUSH,
        body=push(quick({"action": {"type": "message", "label": "a", "text": "a"}})),
        **one_error("must be specified", "messages[0].quickReply.items[0].type"),
    ),
    Behaviour(
        what="fourteen quick replies",
        source=f"{REFERENCE}/#quick-reply",
        request=PUSH,
        body=push(quick(*[item(type="message", label="a", text="a")] * 14)),
        **one_error("Size must be between 1 and 13", "messages[0].quickReply.items"),
    ),
    Behaviour(
        what="a template's action with a blank label",
        source=f"{GITHUB}/openclaw/openclaw/issues/113365",
        request=PUSH,
        body=push(carousel({"text": "well?", "actions": [{"type": "message", "label": "", "text": "a"}]})),
        **in_message("must be non-empty text", "template/columns/0/actions/0/label"),
    ),
    Behaviour(
        what="a carousel's column without actions",
        source=f"{GITHUB}/openclaw/openclaw/issues/113365",
        request=PUSH,
        body=push(carousel(column(0))),
        message=INVALID,
    ),
    Behaviour(
        what="a carousel whose columns differ in actions",
        source=f"{GITHUB}/line/line-bot-sdk-python/issues/38",
        request=PUSH,
        body=push(carousel(column(3), column(1))),
        message=INVALID,
    ),
    Behaviour(
        what="a carousel whose columns differ in titles",
        source=f"{GITHUB}/bottenderjs/messaging-apis/issues/283",
        request=PUSH,
        body=push(carousel(column(1, title="t"), column(1))),
        message=INVALID,
    ),
    Behaviour(
        what="a carousel whose columns differ in images",
        source=f"{GITHUB}/openclaw/openclaw/issues/113365",
        request=PUSH,
        body=push(carousel(column(1, thumbnailImageUrl="https://example.com/a.png"), column(1))),
        message=INVALID,
    ),
    Behaviour(
        what="properties of a column that are null",
        source=f"{GITHUB}/line/line-bot-sdk-python/issues/38",
        request=PUSH,
        body=push(carousel(column(1, title=None, thumbnailImageUrl=None))),
        status=200,
    ),
    Behaviour(
        what="a carousel's image over http",
        source=f"{GITHUB}/line/line-bot-sdk-php/issues/55",
        request="POST /v2/bot/message/validate/push",
        body=push(carousel(column(1, thumbnailImageUrl="http://example.com/a.png"))),
        message=INVALID,
    ),
    Behaviour(
        what="Flex: a spacer",
        source=f"{GITHUB}/line/line-bot-sdk-go/issues/657",
        request=PUSH,
        body=push(flex(footer=box({"type": "separator"}, {"type": "separator"}, {"type": "spacer", "size": "sm"}))),
        **in_message("invalid property", "/footer/contents/2"),
    ),
    Behaviour(
        what="Flex: an unknown field",
        source=f"{GITHUB}/line/line-bot-sdk-python/issues/111",
        request=PUSH,
        body=push(flex(styles={"type": "bubbleStyle", "footer": {"backgroundColor": "#000000"}})),
        **in_message("unknown field", "/styles/type"),
    ),
    Behaviour(
        what="Flex: an image whose URL is no https",
        source=f"{GITHUB}/line/line-bot-sdk-python/issues/314",
        request=PUSH,
        body=push(flex(hero={"type": "image", "url": "x"})),
        **in_message("invalid uri scheme", "/hero/url"),
    ),
    Behaviour(
        what="Flex: an empty text",
        source=f"{GITHUB}/openclaw/openclaw/issues/113365",
        request=PUSH,
        body=push(flex(body=box(text("")))),
        **in_message("must be non-empty text", "/body/contents/0/text"),
    ),
    Behaviour(
        what="Flex: a background colour of a block, as LINE's own example",
        source=f"{GITHUB}/line/line-bot-sdk-python/issues/111",
        request=PUSH,
        body=push(flex(styles={"footer": {"backgroundColor": "#000000"}}, footer=box(text()))),
        status=200,
    ),
    Behaviour(
        what="an imagemap's width is 1040",
        source=f"{REFERENCE}/#imagemap-message",
        request=PUSH,
        body=push(imagemap(baseSize={"width": 800, "height": 800})),
        message="The request body has 1 error(s)",
    ),
    Behaviour(
        what="an imagemap's video without anything",
        source=f"{REFERENCE}/#imagemap-message",
        request=PUSH,
        body=push(imagemap(video={})),
        message="The request body has 7 error(s)",
    ),
    Behaviour(
        what="loading for 63 seconds: two errors",
        source=f"{REFERENCE}/#display-a-loading-indicator",
        request=LOADING,
        body={"chatId": "{user}", "loadingSeconds": 63},
        message="The request body has 2 error(s)",
        details=[("Must be between 5 and 60", "loadingSeconds"), ("must be a multiple of five", "loadingSeconds")],
    ),
    Behaviour(
        what="loading in a group",
        source=f"{REFERENCE}/#display-a-loading-indicator",
        request=LOADING,
        body={"chatId": "{group}"},
        **one_error(
            "Only user id is acceptable, please confirm if there are any group/room ids or illegal ids.", "chatId"
        ),
    ),
    Behaviour(
        what="a webhook that is no URL",
        source=f"{GITHUB}/line/line-bot-sdk-go/blob/v7.21.0/linebot/webhook_test.go",
        request=WEBHOOK,
        body={"endpoint": "not a URL"},
        message="Invalid webhook endpoint URL",
    ),
    Behaviour(
        what="a webhook of more than 500 characters",
        source=f"{GITHUB}/line/line-bot-sdk-go/blob/v7.21.0/linebot/webhook_test.go",
        request=WEBHOOK,
        body={"endpoint": "https://example.com/" + "x" * 500},
        **one_error("Size must be between 0 and 500", "endpoint"),
    ),
    Behaviour(
        what="a property of the body that comes twice",
        source=f"{DOCS}/en/news/2022/12/06/messaging-api-updated/",
        request=PUSH,
        content='{"to": "u", "to": "v", "messages": []}',
        message="The request body could not be parsed as JSON (line: -, column: -)",
        details=[("Duplicate field 'to'", "")],
    ),
    Behaviour(
        what="a property of a message that comes twice",
        source=f"{DOCS}/en/news/2022/12/06/messaging-api-updated/",
        request=PUSH,
        content='{"to": "u", "messages": [{"type": "text", "text": "a"}, {"type": "text", "type": "text"}]}',
        message="The property, 'messages[1]', in the request body is invalid (line: -, column: -)",
        details=[("Duplicate field 'type'", "")],
    ),
    Behaviour(
        what="a body that is no JSON",
        source=f"{REFERENCE}/#error-messages",
        request=PUSH,
        content='{"to": ',
        message="The request body could not be parsed as JSON (line: 1, column: 8)",
    ),
    Behaviour(
        what="a body of another type",
        source=f"{REFERENCE}/#error-messages",
        request=PUSH,
        content="to=u",
        headers={"Content-Type": "text/plain"},
        status=415,
        message="The content type, text/plain, is not supported",
    ),
    Behaviour(
        what="a wrong token",
        source=f"{REFERENCE}/#error-messages",
        request="GET /v2/bot/info",
        headers={"Authorization": "Bearer wrong"},
        status=401,
        message="Authentication failed due to the following reason: invalid token. "
        "Confirm that the access token in the authorization header is valid.",
    ),
    Behaviour(
        what="the followers of an account that is not verified",
        source=f"{REFERENCE}/#error-messages",
        request="GET /v2/bot/followers/ids",
        status=403,
        message="Access to this API is not available for your account",
    ),
    Behaviour(
        what="the profile of somebody unknown",
        source=f"{REFERENCE}/#error-messages",
        request=f"GET /v2/bot/profile/{USER}",
        status=404,
        message="Not found",
    ),
    Behaviour(
        what="a push to a group without the account",
        source=f"{REFERENCE}/#send-push-message",
        request=PUSH,
        body=push(text(), to="C" + "0" * 32),
        message="Failed to send messages",
    ),
    Behaviour(
        what="the rich menu of a person who has none",
        source=f"{REFERENCE}/#get-rich-menu-id-of-user",
        request="GET /v2/bot/user/{user}/richmenu",
        status=404,
        message="the user has no richmenu",
    ),
    Behaviour(
        what="a rich menu without `selected`",
        source=f"{REFERENCE}/#rich-menu-object",
        request=MENU,
        body={"size": {"width": 2500, "height": 843}, "name": "m", "chatBarText": "Menu", "areas": []},
        **one_error("must be specified", "selected"),
    ),
    Behaviour(
        what="a rich menu of 800 pixels",
        source=f"{REFERENCE}/#rich-menu-object",
        request=MENU,
        body={
            "size": {"width": 800, "height": 270},
            "selected": False,
            "name": "m",
            "chatBarText": "Menu",
            "areas": [],
        },
        status=200,
    ),
    Behaviour(
        what="an alias of an unknown menu",
        source=f"{REFERENCE}/#create-rich-menu-alias",
        request="POST /v2/bot/richmenu/alias",
        body={"richMenuAliasId": "main", "richMenuId": "richmenu-unknown"},
        message="richmenu not found",
    ),
    Behaviour(
        what="mark-as-read with a token of nobody",
        source=f"{DOCS}/en/docs/messaging-api/mark-as-read/",
        request="POST /v2/bot/chat/markAsRead",
        body={"markAsReadToken": "x"},
        message="The request body has 1 error(s)",
    ),
    Behaviour(
        what="a carousel's title that is too long",
        source=f"{GITHUB}/zaoldyeck/cross-platform-chatbot/pull/1",
        request=PUSH,
        body=push(carousel(column(1, title="t"), column(1, title="t" * 41))),
        **in_message("must not be longer than 40 characters", "template/columns/1/title"),
    ),
    Behaviour(
        what="a template's link that is too long",
        source=f"{GITHUB}/cofacts/rumors-line-bot/issues/125",
        request=PUSH,
        body=push(buttons({"type": "uri", "label": "a", "uri": "https://example.com/" + "x" * 1_000})),
        **in_message("size must be between 0 and 1000", "template/actions/0/uri"),
    ),
    Behaviour(
        what="a template without an alternative text",
        source=f"{GITHUB}/line/line-bot-sdk-python/issues/226",
        request=PUSH,
        body=push({"type": "template", "template": {"type": "carousel", "columns": [column(1)]}}),
        **one_error("May not be empty", "messages[0].altText"),
    ),
    Behaviour(
        what="a method that an operation does not have",
        source=f"{GITHUB}/line/line-bot-sdk-go/pull/356",
        request="GET /v2/bot/channel/webhook/test",
        status=405,
        message="The request method, 'GET', is not supported",
    ),
    Behaviour(
        what="a multicast to 501 people",
        source=f"{REFERENCE}/#send-multicast-message",
        request="POST /v2/bot/message/multicast",
        body=push(text(), to=["{user}"] * 501),
        **one_error("Size must be between 1 and 500", "to"),
    ),
    Behaviour(
        what="two aggregation units",
        source=f"{REFERENCE}/#send-push-message",
        request=PUSH,
        body={**push(text()), "customAggregationUnits": ["a", "b"]},
        **one_error("Size must be between 0 and 1", "customAggregationUnits"),
    ),
    Behaviour(
        what="the content of an unknown message",
        source=f"{REFERENCE}/#get-content",
        request="GET /v2/bot/message/123456/content",
        status=404,
        message="Not found",
    ),
    Behaviour(
        what="the summary of a group without the account",
        source=f"{REFERENCE}/#get-group-summary",
        request=f"GET /v2/bot/group/C{'0' * 32}/summary",
        status=404,
        message="Not found",
    ),
    Behaviour(
        what="the profile of somebody who is no member",
        source=f"{REFERENCE}/#get-group-member-profile",
        request=f"GET /v2/bot/group/{{group}}/member/{USER}",
        status=404,
        message="Not found",
    ),
    Behaviour(
        what="the ids of a group's members for an account that is not verified",
        source=f"{REFERENCE}/#get-group-member-user-ids",
        request="GET /v2/bot/group/{group}/members/ids",
        status=403,
        message="Access to this API is not available for your account",
    ),
    Behaviour(
        what="a day that is none",
        source=f"{REFERENCE}/#error-messages",
        request="GET /v2/bot/insight/message/delivery?date=2025",
        message="The value for the 'date' parameter is invalid",
    ),
)
