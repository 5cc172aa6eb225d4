"""The control API over HTTP: `POST /simulator/{action}`, and reads and waits for tests.  `openapi.json` describes the API."""

import asyncio
from dataclasses import asdict
from http import HTTPStatus
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from ..answers import answer, refusal
from ..errors import ImpossibleActionError, LineError
from ..json_body import MalformedJsonError, parse_json, read_body
from ..messages import JsonObject, Message
from ..platform import LinePlatform
from .actions import Action
from .catalog import ACTIONS
from .fields import OBJECT, MalformedBodyError, check_body, number
from .openapi import document
from .recording import Recorder, RecordingError, Replay

BODY_BYTES: Final = 16 * 1024 * 1024
SHOWN: Final = 500
MOST_WAIT_S: Final = 60
_CONTEXT: Final = frozenset({"user_id", "chat_id"})
_WAIT_FIELDS: Final = {"timeout_s": number(least=0, most=MOST_WAIT_S)}
_REPLAY_FIELDS: Final = {"recording": OBJECT, "wait_s": number(least=0, most=MOST_WAIT_S)}


def control_routes(platform: LinePlatform) -> list[BaseRoute]:
    """Return the routes of the control API. Every action through a route is recorded."""
    control = _Control(platform)
    return [
        Route("/simulator/openapi.json", control.openapi),
        Route("/simulator/requests", control.requests),
        Route("/simulator/deliveries", control.deliveries),
        Route("/simulator/bot_messages", control.bot_messages),
        Route("/simulator/recording", control.recording),
        Route("/simulator/replay", control.replay, methods=["POST"]),
        Route("/simulator/wait", control.wait, methods=["POST"]),
        Route("/simulator/{action}", control.act, methods=["POST"]),
    ]


class _Control:
    def __init__(self, platform: LinePlatform) -> None:
        self._platform = platform
        self._recorder = Recorder(platform)

    async def openapi(self, _request: Request) -> Response:
        return answer(document())

    async def requests(self, _request: Request) -> Response:
        """Return the bot's newest requests, oldest first."""
        shown = [asdict(request) for request in self._platform.requests[-SHOWN:]]
        return answer({"requests": [{**one, "body": None if "oauth" in one["path"] else one["body"]} for one in shown]})

    async def deliveries(self, _request: Request) -> Response:
        """Return the newest deliveries to the webhook, oldest first, with body and signature."""
        shown = self._platform.deliveries[-SHOWN:]
        return answer({"deliveries": [{**asdict(one), "is_accepted": one.is_accepted} for one in shown]})

    async def bot_messages(self, request: Request) -> Response:
        """Wait at most `wait_s` for `count` messages of the bot in the chat after the message `after`; return the messages."""
        try:
            count, wait_s = int(request.query_params.get("count", "1")), float(request.query_params.get("wait_s", "5"))
        except ValueError:
            return refusal("count and wait_s have to be numbers", HTTPStatus.BAD_REQUEST)
        chat_id, after = request.query_params.get("chat_id") or self._first_person(), request.query_params.get("after")
        if not 0 <= wait_s <= MOST_WAIT_S or chat_id not in self._platform.chats:
            return refusal(f"there is no such chat, or wait_s is not from 0 to {MOST_WAIT_S}", HTTPStatus.BAD_REQUEST)
        woken = asyncio.Event()
        stop = self._platform.listen(woken.set)
        try:
            async with asyncio.timeout(wait_s):
                while len(self._bot_messages_after(chat_id, after)) < count:
                    woken.clear()
                    await woken.wait()
        except TimeoutError:
            pass
        finally:
            stop()
        return answer({"messages": self._bot_messages_after(chat_id, after)})

    async def recording(self, _request: Request) -> Response:
        return answer(self._recorder.recording())

    async def replay(self, request: Request) -> Response:
        """Play a recording, either the body of `/simulator/recording` or a field: 409 for an impossible step."""
        try:
            body_fields = await _json_of(request)
            is_recording = isinstance(body_fields, dict) and "steps" in body_fields
            body = check_body(
                {"recording": body_fields} if is_recording else body_fields, _REPLAY_FIELDS, ("recording",)
            )
            replay = Replay(self._platform, self._recorder)
            return answer(await replay.play(body["recording"], wait_s=body.get("wait_s", 5)))
        except RecordingError as error:
            return refusal(str(error), HTTPStatus.CONFLICT)
        except MalformedBodyError as error:
            return refusal(str(error), HTTPStatus.BAD_REQUEST)

    async def wait(self, request: Request) -> Response:
        """Wait until no delivery is under way.  Returns: `{"is_settled"}`."""
        try:
            body = check_body(await _json_of(request), _WAIT_FIELDS, ())
        except MalformedBodyError as error:
            return refusal(str(error), HTTPStatus.BAD_REQUEST)
        settled = asyncio.create_task(self._platform.wait_until_settled())
        done, _ = await asyncio.wait({settled}, timeout=body.get("timeout_s", 5))
        settled.cancel()
        return answer({"is_settled": bool(done)})

    async def act(self, request: Request) -> Response:
        """Carry out an action: 409 for an impossible action, 400 for a malformed body.

        Only JSON is accepted: a foreign web page's form cannot send JSON, and so cannot act for the person.
        """
        action = ACTIONS.get(request.path_params["action"])
        if action is None:
            return refusal("there is no such action", HTTPStatus.NOT_FOUND)
        if request.headers.get("content-type", "").partition(";")[0] != "application/json":
            return refusal("the body has to be JSON", HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        try:
            body_fields = await _json_of(request)
            if isinstance(body_fields, dict):  # the page sends person and chat with every action
                body_fields = {
                    name: value for name, value in body_fields.items() if name in action.fields or name not in _CONTEXT
                }
                body_fields = self._with_defaults(action, body_fields)
            body = check_body(body_fields, action.fields, action.required)
            return answer(self._carry_out(action, body))
        except ImpossibleActionError as error:
            return refusal(str(error), HTTPStatus.CONFLICT)
        except LineError as error:  # the same answer as to the bot
            return answer(error.body(), error.status)
        except MalformedBodyError as error:
            return refusal(f"malformed: {error}", HTTPStatus.BAD_REQUEST)

    def _with_defaults(self, action: Action, body_fields: JsonObject) -> JsonObject:
        """Let the first person act by default, and in that person's 1:1 chat by default."""
        if "user_id" not in action.required:
            return body_fields
        user_id = body_fields.get("user_id", self._first_person())
        defaults = {"user_id": user_id, "chat_id": user_id}
        return {name: defaults[name] for name in defaults if name in action.required} | body_fields

    def _first_person(self) -> str:
        return next(iter(self._platform.people), "")

    def _carry_out(self, action: Action, body: JsonObject) -> JsonObject:
        result = action.run(self._platform, body)
        if action.is_recorded:
            self._recorder.note(action.name, body, result)
        elif action.name == "reset":
            self._recorder.restart()
        return result

    def _bot_messages_after(self, chat_id: str, after: str | None) -> list[JsonObject]:
        messages = list(self._platform.chats[chat_id].messages) if chat_id in self._platform.chats else []
        ids = [message.line_message_id for message in messages]
        since = ids.index(after) + 1 if after in ids else 0
        bot = self._platform.account.user_id
        return [self._message_fields(message) for message in messages[since:] if message.sender_id == bot]

    def _message_fields(self, message: Message) -> JsonObject:
        """Return a message of the bot with the time, the endpoint and, for a reply, the answered event."""
        origin = self._platform.sent_messages.find(message.line_message_id)
        return {
            "line_message_id": message.line_message_id,
            "content": message.content,
            "timestamp_ms": message.timestamp_ms,
            "kind": origin.kind if origin else None,
            "reply_token": origin.reply_token if origin else None,
            "webhook_event_id": origin.webhook_event_id if origin else None,
        }


async def _json_of(request: Request) -> Any:  # noqa: ANN401 - any JSON
    content = await read_body(request, most_bytes=BODY_BYTES + 1)
    if len(content) > BODY_BYTES:
        raise MalformedBodyError("the body is too large")
    try:
        return parse_json(content or b"{}")
    except MalformedJsonError as error:
        raise MalformedBodyError(str(error)) from error
