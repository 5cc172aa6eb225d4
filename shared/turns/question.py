"""The question of a turn, and the ports that decide the answer."""

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Protocol, TypeVar

from shared.clock import Deadline
from shared.conversation.history import History
from shared.conversation.media import Fetches
from shared.conversation.provenance import Provenance
from shared.conversation.records import MessageRecord, OutcomeRecord, ProposedCall
from shared.conversation.store import Conversation
from shared.frozen import frozen
from shared.turns.basis import Basis

_Response = TypeVar("_Response")


class FollowUps(Protocol):
    """The messages that the people who asked add while the model thinks."""

    def ask(self, request: Callable[[], _Response]) -> _Response:
        """Return the response of a request to the model.

        Raises: FollowUpError, as soon as a follow-up comes, if the model can be asked anew in time; the request's own errors.
        """
        ...

    def begin_act(self) -> None:
        """A tool acts outside, for example on a page in Notion: from this moment on, no follow-up ends a request."""
        ...


class NoFollowUps:
    """FollowUps of a question that is never asked anew."""

    def ask(self, request: Callable[[], _Response]) -> _Response:
        return request()

    def begin_act(self) -> None:
        """Do nothing."""


@frozen
class Question:
    """The messages to answer (`asked`) in their chat, and the outcome before the decision (`draft`).

    `basis`: the amendments and the provenance of the prompt. `deadline`: when the decision is due. `sequence`: the number of the turn's
    next commit. `is_overheard`: no message addresses the bot. `fetches`: media on their way from LINE. `on_last_request` is called when a
    request begins after which the model may only end the turn. `follow_ups` may end a request. `chosen_locale`: the language that a member
    chose for the chat, if any.
    """

    conversation: Conversation
    history: History
    asked: tuple[MessageRecord, ...]
    draft: OutcomeRecord
    basis: Basis
    deadline: Deadline
    sequence: int
    is_overheard: bool = False
    fetches: Fetches = field(default_factory=dict, repr=False)
    on_last_request: Callable[[], None] = field(default=lambda: None, repr=False)
    follow_ups: FollowUps = field(default_factory=NoFollowUps, repr=False)
    chosen_locale: str | None = None

    @property
    def heard(self) -> tuple[str, ...]:
        """The words of the people who are answered, in memory and in the messages to answer, oldest first."""
        return heard_words(self.history, self.asked)

    def check_amendments(self, shown: Provenance) -> None:
        """Read the amendments; called before every request to the model.  `shown`: the provenance of the tool results so far.

        Raises: PromptAmendedError, if an edit or a withdrawal since the chat was read affects the prompt or `shown`.
        """
        self.basis.with_more(shown).check()

    def begin_check(self, shown: Provenance) -> Callable[[], None]:
        """Begin a `check_amendments`, so that the request need not wait; the returned function ends the check.

        Call the returned function before the model's answer is used. Both raise what `check_amendments` does.
        """
        return self.basis.with_more(shown).begin_check()


class Responder(Protocol):
    """Decides what to answer."""

    def respond(self, question: Question) -> OutcomeRecord:
        """Return the draft with the decision.  Raises: PromptAmendedError."""
        ...


class ConfirmedChanges(Protocol):
    """Makes the changes that an answer proposed and a person confirmed."""

    def carry_out(self, question: Question, proposed: tuple[ProposedCall, ...]) -> OutcomeRecord:
        """Return the draft with the results of exactly these calls; no model is asked.

        Repeated, in a later turn: the same effects once.
        """
        ...


def heard_words(history: History, asked: Sequence[MessageRecord]) -> tuple[str, ...]:
    """Return the words of the authors of `asked`, oldest first: their earlier messages in memory, then the messages themselves."""
    people, asked_ids = {one.user_id for one in asked}, {one.line_message_id for one in asked}
    earlier = (one for one in history.messages if one.user_id in people and one.line_message_id not in asked_ids)
    return tuple(one.text for one in (*earlier, *asked) if one.type == "text")
