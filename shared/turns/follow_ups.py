"""Follow-ups: messages that the same people add while the model thinks.  The running request ends, and the model is asked anew.

The waiting room shows the follow-ups of this instance at once; a listing in parallel with the commit shows those of other instances.
"""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import Executor, Future
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from shared import logs
from shared.clock import Deadline
from shared.conversation.history import History
from shared.conversation.records import MessageRecord
from shared.conversation.store import Conversation
from shared.errors import FollowUpError, StorageUnavailableError
from shared.storage.codec import decode_if_readable
from shared.storage.object_store import ListedObject
from shared.turns.background import Event
from shared.turns.waiting_room import Place

MOST_ASKED_ANEW: Final = 4
"""How often one delivery asks the model anew because of follow-ups."""
LEAST_TO_ASK_ANEW_S: Final = 32.0
"""Enough for a request that gets no answer in its 12 s, a pause of 1 s, and a request that takes 18 s.

Example: in the first 8 of 40 s, a follow-up ends the request; afterwards, the next turn answers it.
"""
_NEWEST_LISTED: Final = 20
_MOST_READ: Final = 3
_LISTING_S: Final = 1.0
"""How long a committed answer waits for the listing: usually not at all, because the commit and the look take as long."""
_Response = TypeVar("_Response")


@dataclass(slots=True, kw_only=True)
class FollowUpWatch:
    """Watches for follow-ups during one thought; the FollowUps of its question.

    `authors`: who asked. `known_ids`: the messages that were read. `deadline`: by when the thought ends; where late answers are dropped, in
    time for the freshest token, because a follow-up may come on an older one. `abandoned`: requests whose answers are not awaited any more.
    `is_over`: whether the turn has ended meanwhile, by a deferral. `has_acted`: a tool may have acted outside.
    Example: U1 asks in message 450; message 451 of U1 is a follow-up, message 452 of U2 is not.
    """

    conversation: Conversation
    authors: AbstractSet[str]
    known_ids: AbstractSet[str]
    deadline: Deadline
    requests: Executor = field(repr=False)
    new_event: Callable[[], Event] = field(repr=False)
    abandoned: "list[Future[Any]]" = field(repr=False)
    is_over: Callable[[], bool] = field(repr=False)
    may_begin: bool = True
    has_acted: bool = False
    _has_arrived: bool = False
    _changed: Event = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._changed = self.new_event()

    @property
    def may_ask_anew(self) -> bool:
        """Whether a follow-up would end the request: nothing has acted outside, and enough time is left."""
        return self.may_begin and self.deadline.left_s >= LEAST_TO_ASK_ANEW_S and not self.is_over()

    def see(self, place: Place) -> None:
        """Take notice of a delivery that waits for the turn.  Called by the waiting room."""
        if place.author in self.authors and place.event not in self.known_ids:
            self._has_arrived = True
            self._changed.set()

    def ask(self, request: Callable[[], _Response]) -> _Response:
        """Return the request's response.  Raises: FollowUpError, as soon as a follow-up comes; the request's own errors."""
        if not self.may_ask_anew:
            return request()
        self._changed = changed = self.new_event()
        self.check()
        running = self.requests.submit(copy_context().run, _run_and_tell, request, changed)
        changed.wait()
        try:
            self.check()
        except FollowUpError:
            self.abandoned.append(running)
            raise
        return running.result()

    def begin_act(self) -> None:
        """A tool acts outside: from this moment on, the model is not asked anew."""
        self.may_begin, self.has_acted = False, True

    def begin_listing(self) -> Callable[[], bool]:
        """Begin to list the journal, before the commit; the returned function says whether a follow-up is recorded."""
        if not self.may_ask_anew:
            return lambda: False
        listing = self.conversation.objects.reads.submit(copy_context().run, self._is_follow_up_recorded)
        return lambda: self.may_ask_anew and (self._has_arrived or _is_true(listing))

    def check(self) -> None:
        """Check for follow-ups.  Raises: FollowUpError, if a follow-up has come and the model can be asked anew."""
        if self._has_arrived and self.may_ask_anew:
            raise FollowUpError("the people who asked wrote more")

    def _is_follow_up_recorded(self) -> bool:
        names = self.conversation.names
        known_names = {names.message(message_id) for message_id in self.known_ids}
        newest = self.conversation.journal.list_objects().messages[-_NEWEST_LISTED:]
        unknown = [listed_object for listed_object in newest if listed_object.name not in known_names]
        return any(map(self._is_follow_up, unknown[-_MOST_READ:]))

    def _is_follow_up(self, listed_object: ListedObject) -> bool:
        """Whether the object is a message of the same people for the bot.  An image of a set is none, because the set may be incomplete."""
        data = self.conversation.objects.read(listed_object)
        message = decode_if_readable(MessageRecord, data) if data is not None else None
        return (
            message is not None
            and message.addressed
            and message.reply_token is not None
            and message.presses is None
            and message.image_set_size <= 1
            and author_of(message) in self.authors
        )


def author_of(message: MessageRecord) -> str:
    """Return who sent the message, or "" if LINE does not say; a press of a button has no author, because no prompt shows it."""
    return message.user_id or "" if message.presses is None else ""


def authors_of(messages: Sequence[MessageRecord]) -> frozenset[str]:
    """Return the authors of the messages."""
    return frozenset(map(author_of, messages)) - {""}


def ids_in(history: History) -> frozenset[str]:
    """Return the ids of all messages in the history, and of those covered by outcomes."""
    messages = (*history.older, *history.unshown, *history.messages, *history.quoted)
    return history.covered.union(message.line_message_id for message in messages)


def _run_and_tell(request: Callable[[], _Response], ended: Event) -> _Response:
    try:
        return request()
    finally:
        ended.set()


def _is_true(listing: "Future[bool]") -> bool:
    try:
        return listing.result(_LISTING_S)
    except (TimeoutError, StorageUnavailableError) as cause:
        logs.warning("follow_ups_not_listed", error_type=type(cause).__name__)
        return False
