"""Dispatch: hand an event, or a tick, to the handler of its kind; an event without a handler is acknowledged."""

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import field
from typing import TYPE_CHECKING, Final

from shared import logs
from shared.bus.envelope import Envelope
from shared.bus.messages import TICK_TYPE, Tick
from shared.bus.notices import NOTICE_TYPE, HookNotice
from shared.bus.result import EventResult
from shared.clock import MINUTE_MS, Clock, Deadline
from shared.conversation.silences import SilencesRecord
from shared.frozen import frozen
from shared.handlers.admission import AdmissionHandler
from shared.handlers.command import CommandHandler
from shared.handlers.departure import DepartureHandler
from shared.handlers.edit import EditHandler
from shared.handlers.forgetting import Forgetting
from shared.handlers.greeting import GreetingHandler
from shared.handlers.intake import Intake
from shared.handlers.membership import MembershipHandler
from shared.handlers.message import MessageHandler
from shared.handlers.operator_chat import OperatorChat
from shared.handlers.tick import TickHandler
from shared.handlers.translation import TranslationHandler
from shared.handlers.unnamed import UnnamedHandler
from shared.handlers.unsend import UnsendHandler
from shared.line.commands import Command
from shared.line.events import LineEvent, MessageContent, parse_event, unnamed_reply_token
from shared.line.forwarding import Owned

if TYPE_CHECKING:
    from collections.abc import Callable

    from shared.handlers.calendar import CalendarHandler
    from shared.handlers.hooks import HooksHandler
    from shared.handlers.postback import PostbackHandler
    from shared.hooks.arrival import NoticeHandler

_FORGETTING: Final = frozenset({"unsend", "unfollow", "leave", "memberLeft"})


@frozen
class Dispatch:
    """Parses an event once, and calls the handler.

    `presses` builds the handler of presses, once. Without `hooks` and `notices`, notices are dropped, and `/hook` is a message, as
    `/calendar` is without `calendar`.
    """

    admission: AdmissionHandler
    forgetting: Forgetting
    intake: Intake
    message: MessageHandler
    command: CommandHandler
    operator_chat: OperatorChat
    presses: "Callable[[], PostbackHandler]"
    greeting: GreetingHandler
    membership: MembershipHandler
    edit: EditHandler
    departure: DepartureHandler
    unsend: UnsendHandler
    tick: TickHandler
    unnamed: UnnamedHandler
    owned: Owned = field(default_factory=Owned)
    hooks: "HooksHandler | None" = None
    notices: "NoticeHandler | None" = None
    calendar: "CalendarHandler | None" = None
    translation: TranslationHandler | None = None
    clock: Clock = field(repr=False)

    def __call__(
        self, event: Mapping[str, object] | Tick | HookNotice, envelope: Envelope, deadline: Deadline
    ) -> EventResult:
        """Return the result of the event.  Raises: UnusableIdError, and the errors of the handler."""
        received_ms = self.clock.now_ms() if envelope.published_ms is None else envelope.published_ms
        if isinstance(event, Tick):
            with logs.bound(type=TICK_TYPE):
                return self.tick(event, is_late=self.clock.now_ms() - received_ms > MINUTE_MS)
        if isinstance(event, HookNotice):
            with logs.bound(type=NOTICE_TYPE, conversation_id=logs.pseudonym(event.conversation_id)):
                return self.notices(event, received_ms) if self.notices is not None else EventResult.IGNORED
        unnamed = unnamed_reply_token(event, received_ms=received_ms)
        if unnamed is not None:
            return self.unnamed(unnamed, deadline) if self.admission.answers_unnamed() else EventResult.NOT_ADMITTED
        parsed = parse_event(event, received_ms=received_ms, deadline=deadline)
        with logs.bound(
            type=parsed.type,
            webhook_event_id=parsed.webhook_event_id,
            conversation_id=logs.pseudonym(parsed.conversation_id),
        ):
            return self._handle(parsed)

    def _handle(self, event: LineEvent) -> EventResult:
        """Handle the event: forgetting comes before admission, because every chat may forget; admission comes before anything else."""
        if event.type in _FORGETTING:
            return self._forget(event)
        if self._is_owned_elsewhere(event):
            return EventResult.OWNED_ELSEWHERE
        if self.forgetting.passes_admission(event):
            return self._handle_admitted(event, self._begin_silences(event))
        silences = self._begin_silences(event)  # beside the admission, so that it takes no round trip of its own
        refused = self.admission(event)
        return self._handle_admitted(event, silences) if refused is None else refused

    def _is_owned_elsewhere(self, event: LineEvent) -> bool:
        """Whether another system answers the event; commands stay the bot's."""
        is_command = event.message is not None and self.intake.command(event, event.message) is not None
        return not is_command and self.owned.owns(event)

    def _begin_silences(self, event: LineEvent) -> Future[SilencesRecord]:
        """Begin to read the chat's silences, which decide about a message."""
        conversation = self.message.conversations.of(event.conversation_id)
        if event.type != "message":
            return Future()
        return conversation.objects.reads.submit(conversation.silences.read)

    def _forget(self, event: LineEvent) -> EventResult:
        if event.type == "memberLeft":
            return self.membership.left(event)
        if event.type == "unsend":  # only if the subscription's filter is wrong
            return self.unsend.withdraw(event)
        return self.departure(event)

    def _handle_admitted(  # noqa: PLR0911 - one return a kind
        self, event: LineEvent, silences: Future[SilencesRecord]
    ) -> EventResult:
        match event:
            case LineEvent(type="message", message=MessageContent() as content):
                command = self.intake.command(event, content)
                if command is None or command is Command.CATCH_UP:  # the model answers a catch-up, like a question
                    return self.message(event, content, silences)
                return self._carry_out(event, content, command)
            case LineEvent(type="follow" | "join"):
                return self.greeting(event)
            case LineEvent(type="memberJoined"):
                return self.membership.joined(event)
            case LineEvent(type="postback"):
                return self.presses()(event)
            case LineEvent(type="messageEdited", message=MessageContent() as content):
                return self.edit(event, content)
            case _:
                return EventResult.IGNORED

    def _carry_out(self, event: LineEvent, content: MessageContent, command: Command) -> EventResult:
        """Carry out a command that the model does not read."""
        match command:
            case Command.HOOK if self.hooks is not None:
                return self.hooks.command(event, content, self.intake.written_words(event, content))
            case Command.CALENDAR if self.calendar is not None:
                return self.calendar.command(event, self.intake.calendar_words(event, content))
            case Command.TRANSLATE if self.translation is not None:
                return self.translation.command(event, content, self.intake.written_words(event, content))
            case Command.HANDOVER:
                return self.operator_chat(event, self.intake.handover_name(event, content))
            case _:
                return self.command(event, content, command)
