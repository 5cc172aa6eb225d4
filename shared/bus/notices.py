"""A hook's notice on the events topic.  Schema: schemas/events/notice.json."""

import json
from collections.abc import Mapping
from dataclasses import field
from typing import Final

from shared import logs
from shared.bus.messages import TRACEPARENT, BusMessage
from shared.errors import UnusableEventError
from shared.frozen import frozen
from shared.line.ids import checked_conversation_id, checked_id

NOTICE_TYPE: Final = "notice"
NOTIFY_PATH: Final = "/hooks/notify"
"""Where the webhook takes notices, below its own address."""
LONGEST_UTF16: Final = 1_000
"""UTF-16 units of a notice, as LINE Notify took.  Source: LINE Notify API document, "message: 1000 characters max"."""


@frozen
class HookNotice:
    """What a hook was sent: the text, and whether a picture or sticker came along, which is not passed on.

    `id` is the request's own: two deliveries of one message have the same. `mark` is that of the token (`HookAddress`).
    """

    id: str
    hook_id: str
    conversation_id: str = field(repr=False)
    mark: str
    text: str = field(repr=False)
    has_picture: bool = False

    @classmethod
    def of(cls, message: Mapping[str, object]) -> "HookNotice":
        """Return the notice in a message's data, `{"type": "notice", "notice": {...}}`.

        Raises: UnusableEventError, UnusableIdError; a redelivery would not help.
        """
        fields = message.get("notice")
        if not isinstance(fields, dict):
            raise UnusableEventError("the message's data holds no notice")
        text = fields.get("text")
        return cls(
            id=checked_id(fields.get("id")),
            hook_id=checked_id(fields.get("hook_id")),
            conversation_id=checked_conversation_id(fields.get("conversation_id")),
            mark=checked_id(fields.get("mark")),
            text=text if isinstance(text, str) else "",
            has_picture=fields.get("has_picture") is True,
        )

    @property
    def data(self) -> dict[str, object]:
        """The data of its message, as `of` reads it."""
        notice: dict[str, object] = {
            "id": self.id,
            "hook_id": self.hook_id,
            "conversation_id": self.conversation_id,
            "mark": self.mark,
            "text": self.text,
            "has_picture": self.has_picture,
        }
        return {"type": NOTICE_TYPE, "notice": notice}

    def message(self, *, traceparent: str | None = None) -> BusMessage:
        """Return the message to publish."""
        attributes = {"type": NOTICE_TYPE, "conversation_id": self.conversation_id, "is_redelivery": "false"}
        if traceparent is not None and logs.is_traceparent(traceparent):
            attributes[TRACEPARENT] = traceparent
        return BusMessage(data=json.dumps(self.data).encode("ascii"), attributes=attributes)
