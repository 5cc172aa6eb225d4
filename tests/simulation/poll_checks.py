"""What became of a chat's polls in the end: each member's newest press counts, none is lost, and the last one was told.

Who gets a place that came free is told, the result of a poll comes with the next message, and meetings have their reminders.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Final, TypeAlias

from shared.conversation.member_mark import mark_id
from shared.conversation.records import OutcomeKind
from shared.line.postback_data import VotePress
from shared.locales.language_file import language_file
from shared.locales.placeholders import beginning
from shared.polls.poll import FOLDER, LastStanding, Poll, Vote, counted, digest_of
from shared.polls.wording import PollTexts
from shared.reminders.reminder import ReminderKind, ReminderState
from shared.storage.codec import decode
from tests.simulation.mind import BEFORE_MINUTES, BEGINS, ORDER
from tests.simulation.people import VOTE, Order
from tests.simulation.reminder_checks import IN_TIME_S
from tests.simulation.story import Story
from tests.simulation.times import TOKEN_S
from tests.simulation.wiring import NO_LIMITS
from tests.simulation.world import EPOCH_MS, ShownText

_TEXTS: Final = language_file("en").table("polls", PollTexts)
_MINUTE_MS: Final = 60_000
_ALONE_S: Final = 30.0
"""A message with no other so close in time finds the chat's turn free."""
_Counts: TypeAlias = Mapping[str, str]
"""The id of the press that counts, by the member's mark."""


def check_polls(story: Story) -> Iterator[str]:
    """Each poll in the bucket counts each member's newest press, and nothing that nobody pressed."""
    orders = [one for one in story.people.orders if one.command == VOTE]
    for order in orders:
        if sum(said.reply_token == order.reply_token for said in story.said) > 1:
            yield "I2: a press of a poll was answered twice"
    polls, votes = _polls_in(story), _votes_in(story)
    yield from _check_shown(story, polls)
    for poll_id in votes.keys() - polls.keys():
        yield f"I4: votes are left of {poll_id}, which is gone"
    pressed = {one.id for one in orders}
    for poll in polls.values():
        counts = counted(poll.votes_in_time(votes.get(poll.id, ())))
        if any(vote.id not in pressed for vote in counts if not vote.is_said):
            yield "I6: a vote counts that nobody gave"
        if any(_is_after_end(poll, vote.sent_ms) for vote in counts):
            yield "I6: a vote counts that was given after the end of its poll"
        if _has_taken_back(story):
            continue
        if (expected := _expected(poll, orders)) != {vote.member: vote.id for vote in counts}:
            yield f"I6: the votes of {sorted(expected.values())} should count, and not {sorted(one.id for one in counts)}"
        yield from _check_told(story, poll, counts, _waiting(poll, orders))
        yield from _check_places(story, poll, orders)
        yield from _check_reminded(story, poll)
        yield from _check_called_off(story, poll)
    if not _has_taken_back(story):
        yield from _check_results(story, polls.values())


def _check_shown(story: Story, poll_ids: Iterable[str]) -> Iterator[str]:
    """A turn that opened or closed a poll said something, so that the card stands in the chat."""
    paths = {f"{FOLDER}/{poll_id}" for poll_id in poll_ids}
    silent = (
        outcome
        for chat, outcome in story.world.truth.staged
        if chat == story.chat and outcome.kind is OutcomeKind.SKIPPED
    )
    if any(write.path in paths for outcome in silent for write in outcome.writes):
        yield "I6: a poll was opened or closed, and no card shows it"


def _check_places(story: Story, poll: Poll, orders: list[Order]) -> Iterator[str]:
    """Who waited for a place by one standing, and has a place by the next, is told so there."""
    if not story.is_calm or not poll.capacity:
        return
    said = {one.reply_token: one for one in story.said}
    pressed = (one for one in orders if _is_of_open(poll, one))
    standings = sorted((said[one.reply_token] for one in pressed if one.reply_token in said), key=lambda one: one.at_s)
    for before, after in pairwise(standings):
        has_place = _names(before, _TEXTS.waiting) - _names(after, _TEXTS.waiting) & _names(after, _TEXTS.attending)
        if not has_place <= _names(after, _TEXTS.moved_up):
            yield "I6: a member got a place of a meeting and was not told"


def _names(standing: ShownText, text: str) -> frozenset[str]:
    """Return the members in a line of a standing, such as the members who wait for a place."""
    line = re.search(rf"・{re.escape(beginning(text))}:?(?P<names>.*?)(?= ・|$)", standing.text)
    return frozenset(re.findall(r"someone …\w+", line["names"])) if line is not None else frozenset()


def _is_of_open(poll: Poll, order: Order) -> bool:
    """Whether the order presses a button of the poll before its end."""
    press = VotePress.read(order.presses)
    return (
        press is not None and press.poll_id == poll.id and not _is_after_end(poll, EPOCH_MS + round(order.at_s * 1_000))
    )


def _check_reminded(story: Story, poll: Poll) -> Iterator[str]:
    """A meeting that begins soon was asked for with a reminder: there is one, so long before its beginning, unless it was cancelled."""
    if poll.starts_ms is None or poll.local(poll.starts_ms).strftime("%Y-%m-%dT%H:%M") != BEGINS:
        return
    if poll.is_called_off or _is_asked_to_cancel_at_once(story, poll):
        return
    at = poll.local(poll.starts_ms - BEFORE_MINUTES * _MINUTE_MS).strftime("%Y-%m-%dT%H:%M")
    reminders = (one for (chat, _), one in story.world.truth.reminders.items() if chat == story.chat)
    then = [one for one in reminders if one.start.startswith(at)]
    if not any(
        poll.question in one.text or one.state is ReminderState.CANCELLED for one in then
    ):  # no words, if cancelled
        yield "I6: a member asked for a reminder of a meeting, and there is none"


def _check_called_off(story: Story, poll: Poll) -> Iterator[str]:
    """Nobody is reminded of a meeting that was called off long enough before, if nothing failed; afterwards, nobody is anyway."""
    if not poll.is_called_off or poll.starts_ms is None:
        return
    orders = ((ORDER.findall(message.text), message.at_s) for message in story.people.messages)
    called_off_s = max((at_s for found, at_s in orders if any(verb == "calloff" for verb, *_ in found)), default=0.0)
    reminds_s = (poll.starts_ms - EPOCH_MS - BEFORE_MINUTES * _MINUTE_MS) / 1_000
    is_in_time = called_off_s + IN_TIME_S < reminds_s
    reminders = (one for (chat, _), one in story.world.truth.reminders.items() if chat == story.chat)
    own = [one for one in reminders if poll.question in one.text and one.kind is ReminderKind.TEXT]
    if any(one.is_open or (story.is_calm and is_in_time) for one in own):  # a cancelled one has no words
        yield "I6: a meeting was called off, and its reminder stays"


def _is_asked_to_cancel_at_once(story: Story, poll: Poll) -> bool:
    """Whether the answer that opened the poll also answers an order to cancel a reminder: one of the same turn is never written."""
    path = f"{FOLDER}/{poll.id}"
    own = (one for chat, one in story.world.truth.staged if chat == story.chat and one.sequence == poll.created[0])
    opening = (
        one for one in own if "remind" in one.audit.tools_used and any(write.path == path for write in one.writes)
    )
    answered = {own_id for one in opening for own_id in one.answered_ids}
    texts = (one.text for one in story.people.messages if one.id in answered)
    return any(verb == "cancel" for text in texts for verb, *_ in ORDER.findall(text))


def _check_results(story: Story, polls: Iterable[Poll]) -> Iterator[str]:
    """The result of a poll that has ended was told by the time of a later message that came alone, if nothing failed.

    A message that the bot answers, as it does where it interjects, tells no result.
    """
    if not story.is_calm or story.settings.budget != NO_LIMITS:
        return
    told = {one.id for text in story.said if text.outcome is not None for one in text.outcome.reminders}
    answered = {own_id for text in story.said if text.outcome is not None for own_id in text.outcome.answered_ids}
    for poll in polls:
        closing = story.world.truth.reminders.get((story.chat, poll.closing_id))
        if closing is None or closing.is_pushed or poll.closes_ms is None or closing.id in told:
            continue
        from_s = (poll.closes_ms - EPOCH_MS) / 1_000 + IN_TIME_S + _ALONE_S
        messages = story.people.messages
        alone = (one for one in messages if sum(abs(one.at_s - other.at_s) < _ALONE_S for other in messages) == 1)
        silent = (one for one in alone if not one.addressed and one.id not in answered)
        if any(one.at_s > from_s and story.people.is_kept(one) for one in silent):
            yield "I1: the result of a poll did not come with the next message"


def _check_told(story: Story, poll: Poll, counts: tuple[Vote, ...], waiting: tuple[str, ...]) -> Iterator[str]:
    """The chat was told the last press: some press has claimed to tell all votes, and was answered where nothing failed."""
    stored = story.world.objects.read(f"polls/{story.chat}/standings/{poll.id}.json")
    last = decode(LastStanding, stored.data) if stored is not None else LastStanding()
    if counts and last.votes != digest_of(counts):
        yield "I6: the last press of a poll was not told"
        return
    if last.is_sent and last.waiting != waiting:
        yield "I6: who was told to wait for a place of a meeting is not who came last"
    teller = next((one for one in story.people.orders if one.id == last.by), None)
    is_slow = story.mood.seconds[1] > TOKEN_S / 3
    if teller is None or not story.is_calm or is_slow or story.waited_long(teller.id):
        return
    if not any(said.reply_token == teller.reply_token for said in story.said):
        yield "I6: the press that tells the standing of a poll met silence"


def _expected(poll: Poll, orders: list[Order]) -> _Counts:
    """Return each member's newest press that came before the end."""
    newest: dict[str, tuple[int, str]] = {}
    for order in orders:
        press, sent_ms = VotePress.read(order.presses), EPOCH_MS + round(order.at_s * 1_000)
        if press is None or press.poll_id != poll.id or _is_after_end(poll, sent_ms):
            continue
        member = mark_id(order.author)
        newest[member] = max(newest.get(member, (0, "")), (sent_ms, order.id))
    return {member: own_id for member, (_, own_id) in newest.items()}


def _waiting(poll: Poll, orders: list[Order]) -> tuple[str, ...]:
    """Return the marks of those who wait for a place: who came to it after as many others as there are places."""
    since: dict[str, tuple[int, str]] = {}
    chosen: dict[str, int] = {}
    for order in sorted(orders, key=lambda one: (round(one.at_s * 1_000), one.id)):
        press, sent_ms, member = (
            VotePress.read(order.presses),
            EPOCH_MS + round(order.at_s * 1_000),
            mark_id(order.author),
        )
        if press is None or press.poll_id != poll.id or _is_after_end(poll, sent_ms):
            continue
        if chosen.get(member) != press.choice:
            since[member] = sent_ms, order.id
        chosen[member] = press.choice
    coming = sorted((member for member, choice in chosen.items() if choice == 0), key=lambda member: since[member])
    return tuple(coming[poll.capacity :]) if poll.capacity else ()


def _is_after_end(poll: Poll, sent_ms: int) -> bool:
    return poll.closes_ms is not None and sent_ms >= poll.closes_ms


def _has_taken_back(story: Story) -> bool:
    """Whether votes or polls may be missing: anything was erased or forgotten, the bot was removed, or a press became a dead letter."""
    people = story.people
    is_erased = people.erased_s >= 0 or people.erased_entries_s >= 0 or bool(people.forgotten_s)
    return is_erased or bool(people.departed_s) or bool(story.bus.dead_letters)


def _polls_in(story: Story) -> Mapping[str, Poll]:
    objects, prefix = story.world.objects, f"polls/{story.chat}/p"
    bodies = [body for one in objects.list(prefix) if (body := objects.read(one.name)) is not None]
    polls = (decode(Poll, body.data) for body in bodies)
    return {poll.id: poll for poll in polls if not poll.is_removed}


def _votes_in(story: Story) -> Mapping[str, list[Vote]]:
    prefix = f"polls/{story.chat}/"
    found: dict[str, list[Vote]] = {}
    for one in story.world.objects.list(f"{prefix}votes/"):
        vote = Vote.at(one.name.removeprefix(prefix))
        if vote is not None:
            found.setdefault(vote.poll_id, []).append(vote)
    return found
