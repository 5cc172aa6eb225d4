"""Rich menus for all people at once: replace a menu by another, unlink a menu, or unlink all menus.

Source: Messaging API reference, "Replace or unlink the linked rich menus in batches", "Get the status of rich menu batch control";
developers.line.biz, news of 2023-05-17: the progress is available for 14 days.
"""

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from .calls import Answer, Call
from .channel import Channel
from .errors import bad_request, not_found
from .messages import JsonObject
from .problems import Problems
from .rich_menu_batches import Batch

OPERATIONS: Final = 1_000
PROGRESS_MS: Final = 14 * 24 * 60 * 60_000
_NEEDED: Final[Mapping[str, tuple[str, ...]]] = {"link": ("from", "to"), "unlink": ("from",), "unlinkAll": ()}
_RESUME_KEY: Final = re.compile(r"[a-zA-Z0-9_-]{1,100}")


async def start(channel: Channel, call: Call) -> Answer:
    """Carry out the operations, each on the links from before the batch."""
    operations = _checked_operations(channel, call)
    before = dict(channel.rich_menus.linked)
    for operation in operations:
        for user_id, rich_menu_id in before.items():
            if operation["type"] == "unlinkAll" or operation.get("from") == rich_menu_id:
                _apply(channel, user_id, operation)
    channel.rich_menu_batches[call.request_id] = Batch(accepted_ms=call.at_ms)
    channel.notify_listeners()
    return Answer(status=HTTPStatus.ACCEPTED)


async def validate(channel: Channel, call: Call) -> Answer:
    """Check the operations."""
    _checked_operations(channel, call)
    return Answer()


async def progress(channel: Channel, call: Call) -> Answer:
    """Return the phase of the request id's batch, for example `{"phase": "ongoing", ...}`: 404 for an unknown id, and after 14 days."""
    batch = channel.rich_menu_batches.get(call.query.get("requestId", ""))
    if batch is None or call.at_ms - batch.accepted_ms >= PROGRESS_MS:
        raise not_found()
    return Answer(body=batch.view(call.at_ms))


def _apply(channel: Channel, user_id: str, operation: JsonObject) -> None:
    if operation["type"] == "link":
        channel.rich_menus.linked[user_id] = operation["to"]
    else:
        channel.rich_menus.linked.pop(user_id, None)


def _checked_operations(channel: Channel, call: Call) -> list[JsonObject]:
    body, problems = call.json(), Problems()
    operations = problems.items(body, "operations", "", least=1, most=OPERATIONS)
    for index, operation in enumerate(operations):
        path = f"operations[{index}]"
        kind = problems.choice(operation, "type", path, of=tuple(_NEEDED))
        for name in _NEEDED.get(kind or "", ()):
            problems.text(operation, name, path, most=100)
    key = body.get("resumeRequestKey")
    if key is not None and (not isinstance(key, str) or not _RESUME_KEY.fullmatch(key)):
        problems.add("The resume request key is invalid", "resumeRequestKey")
    problems.raise_any()
    if len(operations) > 1 and any(operation["type"] == "unlinkAll" for operation in operations):
        raise bad_request("unlinkAll can't be combined with other operations")
    menus = channel.rich_menus.menus
    if any(operation[name] not in menus for operation in operations for name in _NEEDED[operation["type"]]):
        raise bad_request("richmenu not found")
    if any(operation["type"] == "link" and menus[operation["to"]].image is None for operation in operations):
        raise bad_request("must upload richmenu image before applying it to user")
    return operations
