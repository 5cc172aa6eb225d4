"""I1, I2, I6 and I9 for what asks the bot: each question is answered, once, and history tells what the chat was shown."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from shared.agent.executor import MOST_CALLS
from shared.calendars.new_address import is_of_address
from shared.conversation.records import OutcomeKind, OutcomeRecord
from shared.line.addressing import GroupPolicy
from shared.line.messaging import TOKEN_SURELY_ALIVE_MS
from shared.line.phrases import Phrase
from shared.line.postback_data import AnswerButton, AnswerPress
from shared.tools.notion.toolset import MOST_CALLS as MOST_PAGES
from shared.turns.deferral import LateReply
from tests.simulation.bus import ACK_DEADLINE_S
from tests.simulation.fixed_texts import in_every_language, of_a_spent_day
from tests.simulation.mind import ORDER
from tests.simulation.people import KEEP, SPARE, TAKE_BACK, VOTE, Message, Order, Welcome, without_spaces
from tests.simulation.press_checks import (
    answers_to,
    check_confirmed,
    check_declined,
    check_proposed,
    check_taken_back,
    must_count,
)
from tests.simulation.story import Story
from tests.simulation.summary_checks import is_of_summary
from tests.simulation.times import ANSWERABLE_S, SKEW_S, TOKEN_S
from tests.simulation.wiring import NO_LIMITS

_SPENT: Final = (of_a_spent_day(Phrase.LIMIT_REACHED), of_a_spent_day(Phrase.SUMMARY_LIMIT))
"""That a budget is spent: as an answer, and as the reason why no summary comes."""
_APOLOGY_BUSY: Final = in_every_language(Phrase.APOLOGY_BUSY)
_APOLOGY_REFUSED: Final = in_every_language(Phrase.APOLOGY_REFUSED)
_QUICK_S: Final = 3.0
_ASKS_FOR_A_PAGE: Final = "page word"
_PUSHING_S: Final = 15.0
_SURELY_ALIVE_S: Final = TOKEN_SURELY_ALIVE_MS / 1_000
_TO_APOLOGISE_S: Final = 5.0
_DECIDES_S: Final = _SURELY_ALIVE_S - _TO_APOLOGISE_S - SKEW_S
"""How old the freshest token may be, at least, when a turn has to decide that drops late answers; its worker's clock may be ahead."""
_PROBE_S: Final = 8.0
"""With less time left, no refused message is looked for among the others."""
_LINE_RECOVERS_S: Final = 3.0
"""The longest pause, and the call after it."""
_LINE_HANGS_S: Final = 8.0
"""The same, after a call that waits for nothing."""
_BUCKET_RECOVERS_S: Final = 30.0
"""A call in vain, the pause of Pub/Sub, and what is delivered again with it."""
_SHOWN_KINDS: Final = {OutcomeKind.REPLIED, OutcomeKind.APOLOGISED, OutcomeKind.DEFERRED}
_EXPIRED_KINDS: Final = {OutcomeKind.UNDELIVERED, OutcomeKind.UNKNOWN}
_UNSEEN_KINDS: Final = {OutcomeKind.UNDELIVERED, OutcomeKind.SKIPPED, OutcomeKind.STORED}


def check_answered(story: Story, history: dict[str, OutcomeRecord], message: Message) -> Iterator[str]:
    covering = [
        outcome
        for outcome in history.values()
        if message.id in outcome.answered_ids and outcome.kind is not OutcomeKind.STORED
    ]
    if not covering:
        is_late = story.may_be_late or story.is_crowded_at(message)
        too_old = is_late and story.world.now_s - message.at_s >= ANSWERABLE_S - SKEW_S
        if message.is_unsure or too_old:
            return
        if len(story.bus.arrived_s[story.chat]) > story.a_minute and _is_folded(story, message):
            yield from _check_flood(story, history, message)
            return
        if not story.is_amendment_lost(message.id):
            yield f"I1: {message.id} was never answered"
        return
    effects = [(said, outcome) for said, outcome in story.effects() if message.id in outcome.answered_ids]
    if _answer_count(story, history, message) > 1:
        yield f"I2: {message.id} was answered twice"
    if sum(outcome.offer.is_deferral for _, outcome in effects) > 1:
        yield f"I2: {message.id} was told twice to wait"
    may_be_silent = _may_be_silent(story, message, {one.kind for one in covering}) or _is_left_to_newer(story, message)
    is_withheld = story.world.weather.hangs and any(one.kind is OutcomeKind.WITHDRAWN for one in covering)
    may_be_silent |= is_withheld  # what its answer repeated was withdrawn while nobody knew whether that had arrived
    is_quiet = story.world.weather.is_quiet
    if is_quiet and not effects and not may_be_silent and not _is_out_of_reach(story, message.at_s):
        yield f"I6: {message.id} met silence although what was down was back while its token lived"
    if story.is_calm and not effects and not may_be_silent:
        kinds = ", ".join(one.kind for one in covering)
        yield f"I6: {message.id} met silence ({kinds}) although nothing had failed"


def _is_out_of_reach(story: Story, at_s: float) -> bool:
    """Whether what asks the bot at this time may get no answer because of a service that was down.

    While the model is down, an apology comes. After an outage of LINE or of the bucket, a turn that begins only then has to end while the
    token is surely alive: that of a delivery that the bucket failed, and one that waited for an answer to something else.
    """
    weather = story.world.weather
    begins_s, ends_s = weather.down_s
    if weather.down == "model" or ends_s <= at_s or begins_s >= at_s + TOKEN_S:
        return False
    waits = _is_asked_beside_others(story, at_s)
    recovers_s = (
        _BUCKET_RECOVERS_S if weather.down == "bucket" else _LINE_HANGS_S if weather.hangs else _LINE_RECOVERS_S
    )
    thinks_s = story.thought_s if weather.down == "bucket" or waits else 0.0
    return ends_s + recovers_s + thinks_s >= at_s + _SURELY_ALIVE_S


def _is_asked_beside_others(story: Story, at_s: float) -> bool:
    """Whether the bot was asked other things within a minute, so that this may have to wait for the chat's turn."""
    people = story.people
    asked_s = [*(one.at_s for one in people.messages), *(one.at_s for one in (*people.orders, *people.welcomes))]
    return sum(abs(one - at_s) < TOKEN_S for one in asked_s) > 1


def _is_left_to_newer(story: Story, message: Message) -> bool:
    """Whether the message was folded into a flood, and the answer to a newer one of its minute was shown."""
    newer = {one.id for one in story.people.messages if 0 < one.at_s - message.at_s < TOKEN_S}
    was_context = (story.chat, message.id) in story.world.truth.context
    return was_context and any(not newer.isdisjoint(outcome.answered_ids) for _, outcome in story.effects())


def _is_folded(story: Story, message: Message) -> bool:
    """Whether the message may have been folded into a flood: it was kept as context, or has left the chat's memory.

    Where it is delivered again, it is recorded as one that waits, and small bounds may hide that record.
    """
    records = [one for one in story.stored_messages if one.line_message_id == message.id]
    was_context = story.forgets_outcomes and (story.chat, message.id) in story.world.truth.context
    return was_context or not (records and records[0].addressed)


def _check_flood(story: Story, history: dict[str, OutcomeRecord], message: Message) -> Iterator[str]:
    """A message of a flood is context of the answer to a newer one, unless that is withdrawn, and its worker dies or its request fails."""
    asking = (one for one in story.people.messages if one.addressed or one.is_unsure)
    near = [one for one in asking if 0 <= one.at_s - message.at_s < TOKEN_S]
    covered = {covered for one in history.values() for covered in one.answered_ids}
    requests_fail = bool(story.world.weather.kills or story.world.weather.failures or story.mood.poison)
    is_untended = requests_fail and any(not story.people.is_kept(one) for one in near)
    is_excused = story.has_outage or story.forgets_outcomes or is_untended
    if covered.isdisjoint(one.id for one in near) and not is_excused:
        yield f"I6: nothing of the flood of {message.id} was answered"


def check_helped(story: Story, history: dict[str, OutcomeRecord], message: Message) -> Iterator[str]:
    """A message is not refused for another one's words, nor because a picture is broken, or the first of two models fails.

    Where a thought takes long, or begins again, there may be no time for what helps; nor is there where more messages waited than a turn
    reads, and the apology came when the turn had to decide: in 5 s its freshest token would no longer surely be alive.
    """
    may_lack_time = story.mood.seconds[1] > _QUICK_S or story.mood.downs or story.settings.budget != NO_LIMITS
    may_lack_time = may_lack_time or story.world.weather.is_quiet
    if not story.is_calm or may_lack_time or story.begins_again(message.at_s) or not message.words:
        return
    has_blocked = not story.mood.blocked.isdisjoint(word for word, _ in message.words)
    for outcome in history.values():
        if message.id not in outcome.answered_ids or outcome.kind is not OutcomeKind.APOLOGISED:
            continue
        is_skipped = outcome.audit.skip_kind is not None  # the apology is for another message
        is_refused = outcome.text in _APOLOGY_REFUSED and not is_skipped and message.quoted_id is None
        if is_refused and not has_blocked and not _came_late(story, outcome, message, left_s=_PROBE_S):
            yield f"I6: {message.id} was refused for the words of another message"
        is_helpless = outcome.text in _APOLOGY_BUSY and (story.mood.broken or story.settings.first_fails is not None)
        if is_helpless and not _came_late(story, outcome, message):
            yield f"I6: {message.id} got an apology although asking otherwise would have helped"


def _came_late(story: Story, outcome: OutcomeRecord, message: Message, *, left_s: float = 0.0) -> bool:
    """Whether more messages waited than a turn reads, and the outcome was shown when its turn had at most `left_s` left to decide."""
    if story.late_reply is not LateReply.DROP or not story.is_crowded_at(message):
        return False
    freshest_s = max(one.at_s for one in story.people.messages if one.id in outcome.answered_ids)
    shown = (said.at_s for said, one in story.effects() if one.webhook_event_id == outcome.webhook_event_id)
    return any(at_s - freshest_s >= _DECIDES_S - left_s for at_s in shown)


def check_greeted(story: Story, history: dict[str, OutcomeRecord], welcome: Welcome) -> Iterator[str]:
    """A follow or a join is greeted once, unless the chat was erased afterwards, or was busy all the while."""
    greetings = sum(said.reply_token == welcome.reply_token for said in story.said)
    if greetings > 1:
        yield f"I2: {welcome.id} was greeted twice"
    if round(welcome.at_s, 3) <= story.people.erased_s or story.is_amendment_lost(welcome.id):
        return
    if welcome.id not in history:
        yield f"I1: {welcome.id} was never greeted"
    is_slow = story.mood.seconds[1] > TOKEN_S / 3  # it waits for the turn of an earlier message
    waits = is_slow or story.begins_again(welcome.at_s)
    if story.is_calm and not greetings and not waits and not story.is_outwaited(welcome):
        yield f"I6: {welcome.id} met silence although nothing had failed"


_CHECKS: Final[Mapping[str, Callable[[Story, Order], Iterator[str]]]] = {
    "confirm": check_confirmed,
    SPARE: check_declined,
    TAKE_BACK: check_taken_back,
    KEEP: check_proposed,
}


def check_obeyed(story: Story, order: Order) -> Iterator[str]:
    """A command is answered once, unless the chat was erased or left since, or was busy all the while; a group joined since is not left."""
    answers = answers_to(story, order)
    if answers > 1:
        yield f"I2: /{order.command} was answered twice"
    if order.command in _CHECKS:
        yield from _CHECKS[order.command](story, order)
    if order.command in {TAKE_BACK, "choose", VOTE}:
        return  # check_reminders and check_polls look at the others
    waits = story.mood.seconds[1] > TOKEN_S / 3 or story.waited_long(order.id) or story.begins_again(order.at_s)
    if order.at_s <= story.people.erased_s or waits:
        return
    if order.command in {"confirm", SPARE, KEEP} and not must_count(story, order) and story.people.departed_s:
        return  # nobody reads an answer in a group that the bot has left
    if not order.presses and order.line_message_id in story.people.unsent_commands:
        return
    if story.is_calm and not answers and not story.is_outwaited(order):
        yield f"I6: /{order.command} met silence although nothing had failed"


def _may_be_silent(story: Story, message: Message, kinds: set[OutcomeKind]) -> bool:
    """Whether silence is correct: the model skipped the message, or its token expired.

    A token expires if no "still thinking" is sent; if amendments make a turn begin again and again while the message waits; or if more
    messages wait than a turn reads. If LINE's answer about such a token was lost, the worker does not know that it had expired.
    """
    if OutcomeKind.SKIPPED in kinds:  # also where a budget is spent
        return True
    slow = (story.late_reply is LateReply.DROP and story.mood.seconds[1] > TOKEN_S / 3) or story.waited_long(message.id)
    return not _EXPIRED_KINDS.isdisjoint(kinds) and (
        slow or story.begins_again(message.at_s, is_message=True) or story.is_crowded_at(message)
    )


def _answer_count(story: Story, history: dict[str, OutcomeRecord], message: Message) -> int:
    """Return how many answers to the message were shown, directly or through buttons; "still thinking" does not count."""
    buttons = _deferrals_of(story, history, message)
    return sum(
        not outcome.offer.is_deferral
        and (message.id in outcome.answered_ids or not buttons.isdisjoint(outcome.answers))
        and outcome.kind is OutcomeKind.REPLIED
        for _, outcome in story.effects()
    )


def _deferrals_of(story: Story, history: dict[str, OutcomeRecord], message: Message) -> set[str]:
    """Return the deferrals of a message, and those deferrals that cover only presses of their buttons."""
    presses = {one.id: one.presses for one in story.people.messages}
    deferrals = [one for one in history.values() if one.offer.is_deferral]
    found = {one.webhook_event_id for one in deferrals if message.id in one.answered_ids}
    more = set(found)
    while more:
        known = {AnswerPress(button=AnswerButton.SHOW, answer_id=one).data for one in found}
        more = {
            deferral.webhook_event_id
            for deferral in deferrals
            if all(presses[covered] in known for covered in deferral.answered_ids)
        } - found
        found |= more
    return found


def check_budget(story: Story) -> Iterator[str]:
    """A chat is told once that a budget is spent, and once that no summary comes; all that was spent in calm weather is charged in the end.

    It is told again above a receipt: the budget ended after the turn had done something, which is said, and why nothing else is. A request
    that its turn did not wait for stays in the hands of its instance, until the instance writes the turn again.
    """
    for texts in _SPENT:
        first, *more = [said.text for said in story.said if any(text in said.text for text in texts)] or [""]
        again = [text for text in more if not any(f"{spent} ✓ " in text for spent in texts)]
        if again or (first and story.settings.budget == NO_LIMITS):
            yield f"I9: a chat was told {1 + len(again)} times that its budget is spent"
    charged = story.turn.spending.tokens
    in_hand = sum(ledger.take(story.chat) for ledger in story.world.ledgers)
    spent, unsure = story.world.truth.tokens[story.chat], story.world.truth.unsure_tokens[story.chat]
    if story.is_calm and not story.mood.downs and not spent <= charged + in_hand <= spent + unsure:
        yield "I9: what was spent in calm weather was not all charged"


def _unrecorded_interjection(story: Story) -> str | None:
    """Return the event of an interjection that the turn alone holds: its worker died, and the next turn, which records it, never came."""
    turn = story.turn
    committed = turn.outcome if turn.state == "committed" else None
    is_interjection = committed is not None and story.world.overheard.issuperset(committed.answered_ids)
    return committed.webhook_event_id if committed is not None and is_interjection else None


def check_history(story: Story, history: dict[str, OutcomeRecord]) -> Iterator[str]:
    """The history agrees with what the user saw, or says that it is unknown; only committed outcomes were shown."""
    effects, interjected = list(story.effects()), _unrecorded_interjection(story)
    if len(effects) < len(story.said):
        yield "I2: something was said that nobody had committed"
    for _, committed in effects:
        if any(map(story.is_amendment_lost, committed.answered_ids)):
            continue
        is_known = committed.webhook_event_id in history or committed.webhook_event_id == interjected
        if not is_known and not story.kept_ids.isdisjoint(committed.answered_ids):
            yield f"I2: the user saw {committed.webhook_event_id}, history does not know of it"
    for outcome in history.values():
        seen = [said for said, committed in effects if committed.webhook_event_id == outcome.webhook_event_id]
        if outcome.kind in _SHOWN_KINDS and not seen:
            yield f"I2: history says that {outcome.webhook_event_id} was {outcome.kind}, the user saw nothing"
        is_forgotten = (
            story.forgets_outcomes and not outcome.answered_ids
        )  # an announcement, whose event came again after that
        if outcome.kind in _UNSEEN_KINDS and seen and not is_forgotten:
            yield f"I2: history says that {outcome.webhook_event_id} was {outcome.kind}, the user saw an answer"
        if (
            outcome.kind in _SHOWN_KINDS
            and outcome.text is not None
            and any(without_spaces(said.text) != without_spaces(outcome.text) for said in seen)
        ):
            yield f"I2: history holds a text for {outcome.webhook_event_id} that the user did not see"


def check_addressed(story: Story) -> Iterator[str]:
    by_token = {one.reply_token: one for one in story.people.messages}
    may_interject = story.settings.group_policy is GroupPolicy.MODEL
    for said in story.said:
        asked = by_token.get(said.reply_token or "")
        is_translation = (
            said.outcome is not None and said.outcome.translations is not None
        )  # check_translations looks at it
        is_summary = said.outcome is not None and is_of_summary(said.outcome.webhook_event_id)
        is_address = said.outcome is not None and is_of_address(
            said.outcome.webhook_event_id
        )  # as does check_calendars
        if asked is not None and not (
            asked.addressed or asked.is_unsure or may_interject or is_translation or is_summary or is_address
        ):
            yield f"I6: {asked.id} was answered and had not asked"
    for said, outcome in story.effects():
        covered = [one for one in story.people.messages if one.id in outcome.answered_ids]
        if not covered:  # a greeting
            continue
        may_be_overheard = may_interject or outcome.translations is not None
        if not may_be_overheard and not all(one.addressed or one.is_unsure for one in covered):
            yield f"I6: {outcome.webhook_event_id} answered somebody who had not asked"
        if said.at_s - max(one.at_s for one in covered) > ANSWERABLE_S + ACK_DEADLINE_S:
            yield f"I6: {outcome.webhook_event_id} answered a question from long ago"
        if said.reply_token is None and said.at_s - max(one.at_s for one in covered) > ANSWERABLE_S + _PUSHING_S:
            yield f"I6: {outcome.webhook_event_id} was pushed more than 20 minutes after its question"


def check_interjections(story: Story) -> Iterator[str]:
    """Nobody hears twice about a message that was not for the bot, and nothing is filed because of it."""
    said = Counter(
        covered
        for _, outcome in story.effects()
        if outcome.kind is OutcomeKind.REPLIED
        for covered in outcome.answered_ids
    )
    for message in story.people.messages:
        if not message.addressed and said[message.id] > 1:
            yield f"I2: {message.id} was interjected about twice"
    overheard = {one.id for one in story.people.messages if not (one.addressed or one.is_unsure)}
    for chat, outcome in story.world.truth.staged:
        if chat == story.chat and outcome.answered_ids and overheard.issuperset(outcome.answered_ids):
            yield f"I10: {outcome.webhook_event_id} filed something that nobody had asked for"


def check_pages(story: Story, history: dict[str, OutcomeRecord]) -> Iterator[str]:
    """Each page that was asked for is made once; a worker that sleeps between its look and its write may make a second one.

    Of the calls of a round the product makes MOST_CALLS, and of those of a turn MOST_PAGES to `create_page`; the model asks for all at
    once, and does not come back to those that are refused.
    """
    orders = {one.id for one in story.people.messages if ORDER.search(one.text)}
    pages = {one.id for one in story.people.messages if _ASKS_FOR_A_PAGE in one.text}
    called = (
        outcome
        for outcome in history.values()
        if "create_page" in outcome.audit.tools_used
        and not outcome.offer.proposes
        and len(orders.intersection(outcome.answered_ids)) <= MOST_CALLS
        and len(pages.intersection(outcome.answered_ids)) <= MOST_PAGES
    )
    made = {covered for one in called for covered in one.answered_ids}
    refused = {one.id for one in story.people.messages if any(word in story.mood.blocked for word, _ in one.words)}
    for message in story.people.messages:
        count = max((story.page_counts.get(word, 0) for word, _ in message.words), default=0)
        if count > 1 and not story.world.weather.stalls:
            yield f"I2: Notion has {count} pages for {message.id}"
        is_asked = message.id in pages
        is_plain = story.is_calm and story.mood.manner == "repeats" and len(message.words) == 1
        is_plain = is_plain and refused.isdisjoint({message.id, message.quoted_id})
        if is_asked and is_plain and message.id in made and story.people.is_kept(message) and not count:
            yield f"I6: Notion has no page for {message.id}"
