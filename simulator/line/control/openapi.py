"""The OpenAPI document of the control API, written from the actions; `openapi.json` next to the module is a copy."""

import json
from pathlib import Path
from typing import Final

from ..messages import JsonObject
from .actions import Action
from .catalog import ACTIONS

FILE: Final = Path(__file__).parent / "openapi.json"
_MESSAGE: Final = {"type": "object", "properties": {"message": {"type": "string"}}}
_ANY: Final[JsonObject] = {"type": "object"}
_JSON: Final = "application/json"


def document() -> JsonObject:
    """Return the document."""
    return {
        "openapi": "3.0.3",
        "info": {
            "title": "LINE simulator: control",
            "version": "1",
            "description": "Actions of people in the chats of a local stand-in of LINE, and faults, for tests of bots.",
        },
        "paths": {
            "/simulator/state": _read("All people, chats and messages, as the page shows them."),
            "/simulator/requests": _read("The bot's newest requests to the API, oldest first."),
            "/simulator/deliveries": _read(
                "The newest deliveries to the webhook, oldest first, with body and signature."
            ),
            "/simulator/bot_messages": _read(
                "The messages of the bot in a chat, each with `content`, `timestamp_ms`, `kind` (reply, push, …), `reply_token` and the "
                "`webhook_event_id` of the answered event; waits for `count` messages.",
                chat_id=({"type": "string", "description": "Default: the first person's."}, False),
                after=({"type": "string", "description": "Only messages after the message with the id."}, False),
                count=({"type": "integer", "default": 1}, False),
                wait_s=({"type": "number", "default": 5, "maximum": 60}, False),
            ),
            "/simulator/recording": _read("All actions and messages since the start or the last reset, for a replay."),
            "/simulator/replay": _write_operation(
                "replay",
                "Play a recording, in a field or as it is; says whether the bot said the same.",
                {"recording": _ANY, "wait_s": {"type": "number", "minimum": 0, "maximum": 60}},
                ("recording",),
            ),
            "/simulator/wait": _write_operation(
                "wait",
                "Wait until no delivery to the webhook is under way.",
                {"timeout_s": {"type": "number", "minimum": 0, "maximum": 60}},
                (),
            ),
            **{f"/simulator/{name}": _action(action) for name, action in ACTIONS.items()},
        },
    }


def _action(action: Action) -> JsonObject:
    """Describe an action. The first person and the person's 1:1 chat are the defaults."""
    has_defaults = "user_id" in action.required
    required = tuple(name for name in action.required if not (has_defaults and name in {"user_id", "chat_id"}))
    return _write_operation(action.name, action.summary, dict(action.fields), required)


def _write_operation(name: str, summary: str, fields: JsonObject, required: tuple[str, ...]) -> JsonObject:
    schema = {"type": "object", "properties": fields, "additionalProperties": False}
    if required:
        schema["required"] = list(required)
    return {
        "post": {
            "operationId": name,
            "summary": summary,
            "requestBody": {"required": True, "content": {_JSON: {"schema": schema}}},
            "responses": {
                "200": _answer("Done.", _ANY),
                "400": _answer("The body is malformed.", _MESSAGE),
                "409": _answer("The action is impossible at present.", _MESSAGE),
            },
        }
    }


def _read(summary: str, **query: tuple[JsonObject, bool]) -> JsonObject:
    parameters = [
        {"name": name, "in": "query", "required": required, "schema": schema}
        for name, (schema, required) in query.items()
    ]
    operation: JsonObject = {"summary": summary, "responses": {"200": _answer("As it is.", _ANY)}}
    return {"get": operation | ({"parameters": parameters} if parameters else {})}


def _answer(description: str, schema: JsonObject) -> JsonObject:
    return {"description": description, "content": {_JSON: {"schema": schema}}}


if __name__ == "__main__":
    FILE.write_text(json.dumps(document(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
