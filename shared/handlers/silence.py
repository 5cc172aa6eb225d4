"""Pauses and handovers: begun and ended by commands, or by a press of the button below a question.

In a 1:1 chat a command acts at once; in a group a member has to press a button first. A silence begins and ends at LINE's timestamp of the
command or the press, so LINE's clock alone decides which messages belong to it.
"""

import uuid
from dataclasses import field
from typing import Final, Literal

from shared import logs
from shared.bus.result import EventResult
from shared.clock import Clock
from shared.conversation.records import Offer
from shared.conversation.silences import SilenceChange, SilenceKind, SilencesRecord, Switch, ended, handover, pause
from shared.conversation.store import Conversation, Conversations
from shared.conversation.undo import stage_beyond_undo
from shared.errors import LineUnavailableError
from shared.frozen import frozen
from shared.line.display_names import Profiles, sanitised, someone
from shared.line.events import LineEvent, MessageContent
from shared.line.messaging import OutgoingMessage, PushApi, push_until_known
from shared.line.phrases import Phrase, Phrases
from shared.reminders.silence import release_reminders
from shared.turns.announcement import Announcer, Stage, phrased, stage_nothing
from shared.turns.attempt import PRESS_IN
from shared.turns.deferral import CONFIRMED_WITHIN_MS

NOTICE_S: Final = 10.0
_QUESTIONS: Final = {
    SilenceChange.PAUSE: Phrase.PAUSE_QUESTION,
    SilenceChange.RESUME: Phrase.RESUME_QUESTION,
}
_REFUSED: Final = "-refused"
_NOTICE_KEYS: Final = uuid.UUID("5c0e9d0b-7a83-5f0e-9a0f-3a3b2f6c8d11")


@frozen
class Operator:
    """The person who takes chats over; `user_id` None: nobody is told.  A handover ends by itself after `minutes`."""

    user_id: str | None = field(default=None, repr=False)
    minutes: int = 60

    def is_in(self, event: LineEvent) -> bool:
        """Whether the event comes from the operator's own 1:1 chat."""
        return event.is_one_on_one and self.user_id is not None and event.conversation_id == self.user_id


@frozen
class SilenceHandler:
    """Begins and ends silences, says so once, and tells the operator who waits for a person."""

    conversations: Conversations
    announcer: Announcer
    profiles: Profiles
    line: PushApi
    phrases: Phrases
    operator: Operator
    clock: Clock = field(repr=False)

    def command(self, event: LineEvent, content: MessageContent, change: SilenceChange) -> EventResult:
        """The command is carried out, or, in a group, asked about with a button; a withdrawn command asks nothing.

        Repeated: carried out once, said once. Raises: as an announcement does.
        """
        if event.is_one_on_one:
            return self.carry_out(event, change)
        conversation = self.conversations.of(event.conversation_id)
        if content.line_message_id in conversation.amendments.look().withdrawn:
            return EventResult.WITHDRAWN
        offer = Offer(silence=change, asked_by=content.line_message_id)
        until_ms = event.timestamp_ms + CONFIRMED_WITHIN_MS
        return self._say(event, _QUESTIONS[change], offer=offer, until_ms=until_ms)

    def carry_out(self, event: LineEvent, change: SilenceChange) -> EventResult:
        """The silence begins or ends at the event's timestamp, and the chat is told.

        Repeated: no further effect, also for an event that overtook an earlier one. Raises: StorageUnavailableError, TurnBusyError,
        LineUnavailableError; safe to deliver again.
        """
        conversation, at_ms = self.conversations.of(event.conversation_id), event.timestamp_ms
        logs.info("silence_changed", change=change.value)
        match change:
            case SilenceChange.PAUSE:
                conversation.silences.add(lambda _: pause(event.webhook_event_id, at_ms=at_ms))
                return self._say(event, Phrase.PAUSE_DONE, stage=stage_beyond_undo)
            case SilenceChange.RESUME:
                conversation.silences.add(lambda _: ended(event.webhook_event_id, *SilenceKind, at_ms=at_ms))
                release_reminders(conversation)
                return self._say(event, Phrase.RESUME_DONE, stage=stage_beyond_undo)
            case SilenceChange.HANDOVER:
                return self._hand_over(conversation, event)

    def refuse_press(self, event: LineEvent) -> EventResult:
        """Answer a press of another button in a silence: the chat is paused, or a person answers."""
        open_silence = self.conversations.of(event.conversation_id).silences.read().now(self.clock.now_ms())
        kind = open_silence.kind if open_silence is not None else SilenceKind.PAUSE
        return self._say(event, PRESS_IN[kind])

    def _hand_over(self, conversation: Conversation, event: LineEvent) -> EventResult:
        """Begin a handover, and tell the operator, once for each chat that waits, and the chat.

        Where LINE refuses the notice, no person would come: the chat is told so, and the bot goes on answering.
        """
        silences = conversation.silences.add(
            lambda _: handover(
                event.webhook_event_id, at_ms=event.timestamp_ms, minutes=self.operator.minutes, is_asked=True
            )
        )
        before = _handed_over_before(silences, event)
        waited_before = before is not None and before.is_asked  # then the operator has a notice
        fate = "accepted" if waited_before else self._notify_operator(conversation, event, silences)
        if fate == "refused" and before is None:
            end = ended(_refused_id(event), SilenceKind.HANDOVER, at_ms=event.timestamp_ms + 1)
            conversation.silences.add(lambda _: end)
            release_reminders(conversation)
            return self._say(event, Phrase.HANDOVER_REFUSED)
        minutes = str(self.operator.minutes)
        result = self._say(event, Phrase.HANDOVER_DONE, stage=stage_beyond_undo, minutes=minutes)
        if fate == "unknown":
            raise LineUnavailableError("it is not known whether LINE took the notice to the operator")
        return result

    def _notify_operator(
        self, conversation: Conversation, event: LineEvent, silences: SilencesRecord
    ) -> Literal["accepted", "refused", "unknown"]:
        """Push one notice to the operator, where there is one, and return its fate; a redelivery pushes under the same key.

        What LINE has refused stays refused, because the chat was told so.
        """
        if any(one.event_id == _refused_id(event) for one in silences.switches):
            return "refused"
        if self.operator.user_id is None:
            return "accepted"
        user_id = event.user_id or conversation.id
        name = sanitised(self.profiles.display_name(conversation.id, user_id) or "") or someone(user_id)
        text = self.phrases.text(Phrase.HANDOVER_NOTICE, name=name, chat=logs.pseudonym(conversation.id))
        fate = push_until_known(
            self.line,
            self.operator.user_id,
            [OutgoingMessage(text=text)],
            retry_key=str(uuid.uuid5(_NOTICE_KEYS, f"{conversation.id}/{event.webhook_event_id}")),
            deadline=event.deadline.within(NOTICE_S),
        )
        match fate.kind:
            case "accepted" | "already_accepted":
                logs.info("operator_notified")
                return "accepted"
            case "quota_spent" | "refused":
                logs.error("operator_not_notified", reason=fate.kind)
                return "refused"
            case _:
                return "unknown"

    def _say(
        self,
        event: LineEvent,
        which: Phrase,
        *,
        offer: Offer | None = None,
        stage: Stage = stage_nothing,
        until_ms: int | None = None,
        **facts: str,
    ) -> EventResult:
        announcement = phrased(event, self.phrases, which, offer=offer, stage=stage, until_ms=until_ms, **facts)
        return self.announcer.announce(self.conversations.of(event.conversation_id), announcement)


def _handed_over_before(silences: SilencesRecord, event: LineEvent) -> Switch | None:
    """Return the switch of a handover that was open already when the event happened."""
    earlier = (one for one in silences.switches if one.event_id not in {event.webhook_event_id, _refused_id(event)})
    return SilencesRecord(switches=tuple(earlier)).handover(event.timestamp_ms)


def _refused_id(event: LineEvent) -> str:
    """Return the id of the switch that ends a handover of which the operator could not be told."""
    return f"{event.webhook_event_id[: 64 - len(_REFUSED)]}{_REFUSED}"
