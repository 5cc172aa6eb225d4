"""Which use case an event belongs to; every event type that has none is acknowledged."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from shared import logs
from shared.bus.envelope import Envelope
from shared.clock import Clock
from shared.line.commands import Command
from shared.line.events import LineEvent, MessageContent, parse_event
from shared.line.postback_data import deferral_id_in, question_id_in


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatch:
    """Hands an event to its use case, with the time at which its reply token began to live, as near as anybody knows."""

    clock: Clock = field(repr=False)
    answer: Callable[[LineEvent, MessageContent, int], str]
    press: Callable[[LineEvent, str, int], str]
    command_of: Callable[[LineEvent, MessageContent], Command | None]
    command: Callable[[LineEvent, MessageContent, Command, int], str]
    confirm: Callable[[LineEvent, str, int], str]
    greet: Callable[[LineEvent, int], str]
    edit: Callable[[LineEvent, MessageContent], str]
    erase: Callable[[LineEvent], str]

    def __call__(self, event: Mapping[str, object], envelope: Envelope) -> str:
        """Return what came of the event.  Raises: UnusableIdError, and whatever the use case raises."""
        parsed = parse_event(event)
        received_ms = self.clock.now_ms() if envelope.published_ms is None else envelope.published_ms
        facts = {
            "type": parsed.type,
            "webhook_event_id": parsed.webhook_event_id,
            "conversation_id": logs.pseudonym(parsed.conversation_id),
        }
        with logs.bound(**facts):
            match parsed:
                case LineEvent(type="message", message=MessageContent() as content):
                    return self._message(parsed, content, received_ms)
                case LineEvent(type="follow" | "join"):
                    return self.greet(parsed, received_ms)
                case LineEvent(type="postback"):
                    return self._postback(parsed, received_ms)
                case LineEvent(type="messageEdited", message=MessageContent() as content):
                    return self.edit(parsed, content)
                case LineEvent(type="unfollow" | "leave"):
                    return self.erase(parsed)
                case _:
                    return "ignored"

    def _message(self, event: LineEvent, content: MessageContent, received_ms: int) -> str:
        """In standby mode another channel speaks, and a command is meant for that one."""
        command = self.command_of(event, content) if event.reply_token is not None else None
        if command is None:
            return self.answer(event, content, received_ms)
        logs.info("command_received", command=command.value)
        return self.command(event, content, command, received_ms)

    def _postback(self, event: LineEvent, received_ms: int) -> str:
        deferral_id, question_id = deferral_id_in(event.postback_data), question_id_in(event.postback_data)
        if event.reply_token is None:
            return "not_answerable"
        if deferral_id is not None:
            return self.press(event, deferral_id, received_ms)
        return "ignored" if question_id is None else self.confirm(event, question_id, received_ms)
