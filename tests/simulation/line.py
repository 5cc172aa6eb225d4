"""LINE for the workers: reply tokens work once and expire, and answers to calls get lost.  Source: LINE, "Send reply message"."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal, TypeAlias, TypeVar

from shared.adapters.memory.line_people import MemoryProfiles
from shared.conversation.records import SaidReminder
from shared.conversation.snapshot_records import SnapshotRecord
from shared.errors import LineUnavailableError
from shared.line.cards.card import CardButton
from shared.line.media_content import LARGEST_BYTES, ArrivingContent, Unfetched
from shared.line.messaging import OutgoingMessage, PostbackButton, PushFate, ReplyFate, ReplyToken
from shared.line.phrases import Phrase, phrase
from shared.line.postback_data import SettlePress, VotePress
from shared.line.quota import Quota
from shared.locales import LOCALES
from shared.locales.language_file import language_file
from shared.locales.placeholders import beginning
from shared.polls.wording import PollTexts
from shared.storage.codec import decode
from shared.storage.object_names import ObjectNames
from tests.simulation.notices import words_in
from tests.simulation.people import on_one_line, without_spaces
from tests.simulation.times import ANSWERABLE_S, TOKEN_S
from tests.simulation.world import ShownText, World
from tests.support.calendars import FEEDS_URL

Fate: TypeAlias = Literal["accepted", "refused", "unknown", "not_sent"]
MEMBERS: Final = 3
_LARGEST_SHARE: Final = 3
"""The part of the quota that a chat may get on a day: a quarter, of which what other instances have pushed to it may not be known yet."""
_TITLES_OF_EXPENSES: Final = frozenset(
    phrase(title, locale=locale, bot_name="")
    for title in (Phrase.EXPENSES_BALANCES, Phrase.EXPENSES_TRANSFERS)
    for locale in LOCALES
)
_TEXTS_OF_POLLS: Final = tuple(language_file(locale).table("polls", PollTexts) for locale in LOCALES)
_TITLES_OF_ENDED_POLLS: Final = tuple(
    beginning(title) for texts in _TEXTS_OF_POLLS for title in (texts.closed, texts.answers_closed, texts.called_off)
)
_Kept = TypeVar("_Kept")
_TIMEOUT_S: Final = 5.0
_SLOW_FETCH_S: Final = 12.0


class Line:
    """LINE's platform, as the ports of the product see it."""

    def __init__(self, world: World, *, forgets_outcomes: bool = False) -> None:
        """`forgets_outcomes`: the bounds of memory are so small that the snapshot does not keep every outcome."""
        self._forgets_outcomes = forgets_outcomes
        self.on_said: Callable[[ShownText], None] = lambda _: None
        self._world = world
        self.profiles = MemoryProfiles()
        """Who is a member, for all instances: everybody but its `strangers`."""
        self.contents: dict[str, bytes] = {}
        """What people sent, by message id, as long as LINE has it."""
        self._expires_s: dict[str, float] = {}
        self._chats: dict[str, str] = {}
        self._texts: dict[str, str] = {}
        self._spent: set[str] = set()
        self.quota: int | None = None
        """How many pushes the account may send; one to a group counts as many as it has MEMBERS."""
        self._pushes = 0
        self._pushed: Counter[str] = Counter()
        self._has_told_no_quota = False  # then an instance that never heard of it pushes

    def delivers(self, reply_token: str, *, conversation_id: str, happened_s: float) -> None:
        """Start the minute of a token that is delivered.  A redelivery refreshes it, up to 20 minutes after the event."""
        now_s = self._world.now_s
        self._chats[reply_token] = conversation_id
        if reply_token not in self._expires_s or now_s < happened_s + ANSWERABLE_S:
            self._expires_s[reply_token] = now_s + TOKEN_S

    def reply(self, token: ReplyToken, messages: Sequence[OutgoingMessage]) -> ReplyFate:
        """Spend the token on the messages, as `ReplyApi.reply`."""
        kind = self._call("reply", lambda: self._spend(token.value, messages))
        return ReplyFate(kind=kind, sent_message_ids=_bubble_ids(token.value, messages) if kind == "accepted" else ())

    def push(self, to: str, messages: Sequence[OutgoingMessage], *, retry_key: str) -> PushFate:
        """Show the messages once for each retry key, as `PushApi.push`."""
        if self._is_spent_for(to, retry_key):
            self._world.call("push, quota spent", lambda: None)
            return PushFate(kind="quota_spent")
        kind = self._call("push", lambda: self._push(to, retry_key, messages))
        if kind == "accepted":
            return PushFate(kind=kind, sent_message_ids=_bubble_ids(retry_key, messages))
        return PushFate(kind="already_accepted" if kind == "refused" else kind)

    def fetch(
        self, line_message_id: str, keep: Callable[[ArrivingContent], _Kept], *, at_most_bytes: int = LARGEST_BYTES
    ) -> _Kept | Unfetched:
        """Return what was sent, as `MediaSource.fetch`; at first LINE may still prepare it."""
        world = self._world
        if self._is_down("fetch"):
            return "unavailable"
        fate = world.rng.random()
        if fate < 0.5 * world.weather.lossiness:
            world.scheduler.give_way("fetch, lost", world.rng.random() * _TIMEOUT_S)
            return "unavailable"
        if fate < 0.3:
            return world.call("fetch, not ready", lambda: "not_ready")
        found = world.call("fetch", lambda: self.contents.get(line_message_id))
        world.scheduler.give_way("fetches", world.rng.random() * world.rng.choice((0.1, _SLOW_FETCH_S)))
        if found is None:
            return "gone"
        # Every second medium is one whose text is read, and stands in the prompt instead of its bytes
        content_type = "text/plain" if line_message_id[-1] in "02468" else "image/jpeg"
        return keep(ArrivingContent([found], content_type=content_type, at_most_bytes=at_most_bytes))

    def push_quota(self) -> Quota | None:
        """Return what was pushed, as `QuotaApi.push_quota`."""
        if self.quota is None:
            return Quota(limit=None)
        world = self._world
        if self._is_down("quota"):
            self._has_told_no_quota = True
            return None
        is_lost = world.rng.random() < world.weather.lossiness
        quota = world.call("quota", lambda: Quota(limit=self.quota, used=self._pushes))
        self._has_told_no_quota = self._has_told_no_quota or is_lost
        return None if is_lost else quota

    def member_count(self, conversation_id: str) -> int | None:  # noqa: ARG002 - every group is as large
        """Return how large every group is, as `QuotaApi.member_count`."""
        return MEMBERS

    def display_name(self) -> str | None:
        """Return None: the account has no name, so the bot uses the configured one."""
        return None

    def show_loading(self, user_id: str) -> None:
        """Do nothing: no invariant depends on it."""

    def mark_as_read(self, mark_as_read_token: str) -> None:
        """Do nothing: no invariant depends on it."""

    def marks_reads_by_hand(self) -> bool:
        """Return False: no invariant depends on it."""
        return False

    def leave(self, conversation_id: str) -> None:
        """Note that the bot is no member of the group, as `Membership.leave`."""

        def go() -> Fate:
            self._world.truth.left.append((conversation_id, self._world.now_s))
            return "accepted"

        if self._call("leave", go) != "accepted":
            raise LineUnavailableError("the answer was lost")

    def _call(self, about: str, effect: Callable[[], Fate]) -> Fate:
        world, lossiness = self._world, self._world.weather.lossiness
        if self._is_down(about):
            return "unknown" if world.weather.hangs else "not_sent"
        lost = world.rng.random()
        if lost < lossiness / 2:
            world.scheduler.give_way(f"{about}, lost", world.rng.random() * _TIMEOUT_S)
            return "unknown" if world.rng.random() < 0.8 else "not_sent"
        fate = world.call(about, effect)
        return "unknown" if lost < lossiness else fate

    def _is_down(self, about: str) -> bool:
        """Whether the call comes while LINE is down; its caller is told so at once, or waits for nothing."""
        world = self._world
        if not world.weather.is_down("line", world.now_s):
            return False
        world.scheduler.give_way(f"{about}, LINE is down", _TIMEOUT_S if world.weather.hangs else world.weather.call_s)
        return True

    def _spend(self, reply_token: str, messages: Sequence[OutgoingMessage]) -> Fate:
        is_refused = reply_token in self._spent or self._world.now_s >= self._expires_s[reply_token]
        is_other = self._texts.setdefault(reply_token, _text(messages)) != _text(messages)
        if is_other and not (is_refused and self._is_of_forgotten(reply_token, _text(messages))):
            self._world.truth.report("I2: two texts were sent on one token")
        if is_refused:
            return "refused"
        self._spent.add(reply_token)
        self._say(self._chats[reply_token], reply_token, messages, _bubble_ids(reply_token, messages))
        return "accepted"

    def _is_of_forgotten(self, reply_token: str, text: str) -> bool:
        """Whether the text is an announcement whose event came again after its outcome was forgotten; it may count other things."""
        objects, truth, chat = self._world.objects, self._world.truth, self._chats[reply_token]
        outcome = truth.committed.get((reply_token, without_spaces(text)))
        if not self._forgets_outcomes or outcome is None or outcome.answered_ids:
            return False
        if outcome.webhook_event_id not in truth.recorded.get(chat, {}):
            return False
        names = ObjectNames(chat)
        if objects.read(names.outcome(outcome.webhook_event_id)) is not None:
            return False
        stored = objects.read(names.snapshot)
        snapshot = decode(SnapshotRecord, stored.data) if stored is not None else SnapshotRecord()
        return outcome.webhook_event_id not in {one.webhook_event_id for one in snapshot.outcomes}

    def _is_spent_for(self, to: str, retry_key: str) -> bool:
        """Whether LINE refuses the push for the quota; a call that it took before is none of that."""
        if self.quota is None or retry_key in self._spent:
            return False
        return self._pushes + _cost(to) > self.quota

    def _push(self, to: str, retry_key: str, messages: Sequence[OutgoingMessage]) -> Fate:
        if retry_key in self._spent:
            return "refused"
        self._spent.add(retry_key)
        self._pushes += _cost(to)
        self._pushed[to] += _cost(to)
        is_over = self.quota is not None and self._pushed[to] > max(1, self.quota // _LARGEST_SHARE)
        if is_over and not self._has_told_no_quota:
            self._world.truth.report("I9: a chat was pushed more than its share of the quota")
        truth = self._world.truth
        if retry_key in truth.late_claims:
            truth.report("I4: a reminder was pushed although its message had been withdrawn before it was claimed")
        reminder = truth.occurrences.get(retry_key)
        self._say(to, None, messages, _bubble_ids(retry_key, messages), reminder=reminder)
        return "accepted"

    def _say(
        self,
        conversation_id: str,
        reply_token: str | None,
        messages: Sequence[OutgoingMessage],
        bubble_ids: tuple[str, ...],
        *,
        reminder: SaidReminder | None = None,
    ) -> None:
        truth = self._world.truth
        truth.notices_shown += [(conversation_id, word) for one in messages for word in words_in(one.text)]
        messages = [one for one in messages if not words_in(one.text)]
        if not messages:  # a bubble of notices alone
            return
        text = _text(messages)
        button = next((one.button.data for one in messages if one.button), None)
        route = reply_token or conversation_id
        said = ShownText(
            conversation_id=conversation_id,
            reply_token=reply_token,
            text=text,
            at_s=self._world.now_s,
            button=button,
            outcome=truth.committed.get((route, without_spaces(text))),
            bubble_ids=bubble_ids,
            reminder=reminder,
            votes=tuple(filter(VotePress.read, map(_data_of, _buttons_in(messages)))),
            settles=tuple(filter(SettlePress.read, map(_data_of, _buttons_below(messages)))),
            choices=tuple(one.data for one in messages[-1].quick_replies if isinstance(one, PostbackButton)),
        )
        truth.said.append(said)
        self.on_said(said)
        if self._world.scheduler.current().chat != conversation_id and not self._is_private(conversation_id, reminder):
            truth.report("I7: a request of one chat spoke in another one")
        if truth.too_late.get((route, without_spaces(text))):
            truth.report("I4: something was said although it had been taken back a second before the commit")
        shown = " ".join(message.text for message in messages)  # with what is attached
        for word in truth.forgotten:
            if word in shown and not truth.may_outlive(word):
                truth.report("I4: withdrawn words were said after the withdrawal was handled")

    def _is_private(self, to: str, reminder: SaidReminder | None) -> bool:
        """Whether this is what a member of the chat that acts wants to be sent alone."""
        chat, truth = self._world.scheduler.current().chat, self._world.truth
        asked = truth.reminders.get((chat or "", reminder.id)) if reminder is not None else None
        return asked is not None and asked.is_private and asked.user_id == to


def _buttons_in(messages: Sequence[OutgoingMessage]) -> Iterator[CardButton]:
    for message in messages:
        for row in message.card.rows if message.card is not None else ():
            yield from row.buttons


def _buttons_below(messages: Sequence[OutgoingMessage]) -> Iterator[CardButton]:
    for message in messages:
        yield from message.card.buttons if message.card is not None else ()


def _data_of(button: CardButton) -> str:
    return button.value


def _cost(to: str) -> int:
    return 1 if to.startswith("U") else MEMBERS


def _bubble_ids(key: str, messages: Sequence[OutgoingMessage]) -> tuple[str, ...]:
    return tuple(f"sent-{key}-{number}" for number, _ in enumerate(messages))


def _is_of_expenses(message: OutgoingMessage) -> bool:
    """Whether the message is the card of a balance or a settlement, which shows a paragraph of the outcome that no bubble has."""
    return message.card is not None and message.card.title in _TITLES_OF_EXPENSES


def _is_of_poll(message: OutgoingMessage) -> bool:
    """Whether the message is the card of a poll, open or closed; it shows a paragraph of the outcome that no bubble has."""
    is_open = any(VotePress.read(button.value) for button in _buttons_in([message]))
    return is_open or (message.card is not None and message.card.title.startswith(_TITLES_OF_ENDED_POLLS))


def _is_receipt(message: OutgoingMessage) -> bool:
    return message.text.startswith("✓ ")


def _text(messages: Sequence[OutgoingMessage]) -> str:
    """Return the words of the outcome, without what is attached to them and without questions of the code's own, which have buttons.

    A list that is drawn as a card alone has the words of its plain form, and so has a receipt, also with the buttons for a calendar. Of a
    question's card, the changes that it shows are words of the outcome.
    """
    messages = [message for message in messages if not message.text.startswith(FEEDS_URL)]
    words = [words for message in messages if (words := _words_of(message))] or [message.text for message in messages]
    return on_one_line(" ".join(words))


def _words_of(message: OutgoingMessage) -> str:
    if message.button is not None:
        return "\n".join(part for part in message.text.split("\n\n") if part.startswith("☐ "))
    is_word = (
        _is_receipt(message)
        or _is_of_expenses(message)
        or _is_of_poll(message)
        or (not message.links and message.card is None)
    )
    return message.text if is_word else ""
