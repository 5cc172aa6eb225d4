"""Which use case an event belongs to; every event type that has none is acknowledged."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from shared import logs
from shared.bus.envelope import Envelope
from shared.conversation.late import pressed_deferral
from shared.line.events import LineEvent, MessageContent, parse_event


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatch:
    """Hands an event to its use case."""

    answer: Callable[[LineEvent, MessageContent, int | None], str]
    press: Callable[[LineEvent, str, int | None], str]
    greet: Callable[[LineEvent, int | None], str]
    edit: Callable[[LineEvent, MessageContent], str]
    erase: Callable[[LineEvent], str]

    def __call__(self, event: Mapping[str, object], envelope: Envelope) -> str:
        """Return what came of the event.  Raises: UnusableIdError, and whatever the use case raises."""
        parsed = parse_event(event)
        facts = {
            "type": parsed.type,
            "webhook_event_id": parsed.webhook_event_id,
            "conversation_id": logs.pseudonym(parsed.conversation_id),
        }
        with logs.bound(**facts):
            match parsed:
                case LineEvent(type="message", message=MessageContent() as content):
                    return self.answer(parsed, content, envelope.published_ms)
                case LineEvent(type="follow" | "join"):
                    return self.greet(parsed, envelope.published_ms)
                case LineEvent(type="postback"):
                    pressed = pressed_deferral(parsed.postback_data)
                    return "ignored" if pressed is None else self.press(parsed, pressed, envelope.published_ms)
                case LineEvent(type="messageEdited", message=MessageContent() as content):
                    return self.edit(parsed, content)
                case LineEvent(type="unfollow" | "leave"):
                    return self.erase(parsed)
                case _:
                    return "ignored"
