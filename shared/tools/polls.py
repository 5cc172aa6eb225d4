"""The polls toolset: questions to the members of a group, answered by buttons.  All counting is code.

Every tool works on the turn's overlay, so nothing is promised before the turn is committed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from shared.agent.model import Json
from shared.agent.overlay import StagingFault
from shared.agent.people import People, comparable_name
from shared.agent.tools import NeedsTap, Tool, ToolFault
from shared.agent.turn_context import TurnContext
from shared.clock import MINUTE_MS
from shared.conversation.member_mark import mark_id
from shared.conversation.provenance import Provenance
from shared.conversation.records import MessageRecord
from shared.frozen import frozen
from shared.knowledge.provenance import PossibleSources
from shared.line.cards.card import Card
from shared.line.graphemes import short_line
from shared.line.utf16 import without_lone_surrogates
from shared.polls.poll import (
    NAME_LIMIT,
    OPTION_LIMIT,
    PLACE_LIMIT,
    QUESTION_LIMIT,
    Poll,
    Vote,
    called_off,
    closed,
    counted,
)
from shared.polls.staging import CastVote, PollOverlay, mark_of_written
from shared.polls.wording import Group, Standing, meeting_line, options_of_meeting, standing_card
from shared.reminders.reminder import ReminderKind
from shared.reminders.schedule import checked_schedule, local_day_and_time, local_time, usual_local
from shared.reminders.staging import ReminderOverlay
from shared.search.folding import fold
from shared.tools.overlay_tool import overlay_tool
from shared.tools.reminders import check_weekday

_ATTACHED: Final[Json] = {
    "shown": "This system puts the poll with its buttons below your answer: reply with one short sentence, and repeat none of it."
}
_LISTED: Final = 10
_COST_UNKNOWN: Final = (
    "LINE did not say how many members the group has, so what a push costs is not known. Nothing was made: ask the person to try once more "
    "in a moment, or without a push."
)
_RESULT_UNTOLD: Final = "not told by itself, because reminders are off here: tell the person to ask for it then"
_NAME_MISSING: Final = (
    "LINE does not say who writes this, so nothing is counted: ask the person to write again with a name."
)
Action = Callable[["PollTools", Json, PollOverlay, TurnContext], Json | ToolFault | NeedsTap]


@frozen
class PollTools:
    """The tools for polls.

    `size_of` returns how many members a group has, without the bot, equal to the cost of a push; None: LINE does not say.
    `pushes`: whether the deployment may push. `zone`: the chat's time zone. `locale`: the bot's language.
    """

    people: People
    size_of: Callable[[str], int | None]
    pushes: bool
    zone: str
    locale: str

    def tools(self) -> tuple[Tool, ...]:
        """Return the tools in order of declaration."""
        return (
            self._tool(
                "create_poll",
                "Ask the group a question with options, each a button. Use when the person wants a vote or asks what the others want "
                '(「多数決で」「アンケート取って」, 投票, โหวต, "let\'s vote"); ask for the options if there are fewer than two. '
                "Each member has one choice, and the card names who chose what: if they want it secret, or several choices each, "
                "say that first, and ask whether to go on.",
                PollTools._create,
                is_plain=_is_plain,
            ),
            self._tool(
                "create_meeting",
                "Ask the group who takes part in something at a time: members press that they come, do not come, or do not know yet. Use "
                'for attendance (「飲み会の出欠」「参加者を募って」, 揪團, นัดกัน, "who\'s in?"); ask for day and hour if they are missing.',
                PollTools._meet,
                is_plain=_is_plain,
            ),
            self._tool(
                "show_polls",
                "Show the standing of the newest open poll or meeting ahead, or of the one with the id, and list them all; where none is "
                "open or ahead, how the newest ended.",
                PollTools._show,
                is_reading=True,
            ),
            self._tool(
                "vote",
                "Count the vote of the person who writes, when they say what they choose in an open poll, or whether they "
                "come to a meeting, in place of pressing a button. Where LINE does not name the writer ('someone'), give the "
                "name that the message says.",
                PollTools._vote,
                is_plain=lambda asked, result: asked["option"] == result["option"],
            ),
            self._tool(
                "close_poll",
                "Close a poll, or the answers to a meeting, now; the result is shown. Use only when the person asks for it.",
                PollTools._close,
            ),
            self._tool(
                "call_off_meeting",
                "Call off a meeting that is ahead: its card says so, and its reminder and its entry in the calendar go. Use only when a "
                'person says that it does not take place (「中止」「なくなった」, 活動取消, ยกเลิกนัด, "dinner is off"), or moves it: then '
                "ask anew by create_meeting, because the answers were given for the old time.",
                PollTools._call_off,
            ),
        )

    def _create(self, arguments: Json, overlay: PollOverlay, context: TurnContext) -> Json | ToolFault | NeedsTap:
        question = _checked(str(arguments["question"]), limit=QUESTION_LIMIT)
        options = _options_of(arguments)
        if context.needs_tap:
            return NeedsTap(name=question)
        asking = _sources((question, *options), context)
        poll = Poll(
            id=overlay.new_id(),
            question=question,
            options=options,
            zone=self.zone,
            locale=context.asker_locale,
            provenance=asking,
        )
        remark: Json = {}
        if arguments.get("closes"):
            poll, remark = self._with_closing(poll, arguments, overlay, context)
        overlay.add(poll)
        self._attach(poll, overlay, context)
        return {**_line(poll), **remark, **_ATTACHED}

    def _meet(self, arguments: Json, overlay: PollOverlay, context: TurnContext) -> Json | ToolFault | NeedsTap:
        what = _checked(str(arguments["what"]), limit=QUESTION_LIMIT)
        place = short_line(without_lone_surrogates(str(arguments.get("place") or "")), limit=PLACE_LIMIT)
        at = usual_local(str(arguments["at"]), self.zone)
        check_weekday(at, self.zone, context)
        _, starts_ms = checked_schedule(at, self.zone, None, now_ms=context.now_ms)
        if context.needs_tap:
            return NeedsTap(name=what)
        locale = context.asker_locale
        capacity = arguments.get("capacity")
        meeting = Poll(
            id=overlay.new_id(),
            question=what,
            options=options_of_meeting(locale or self.locale),
            closes_ms=starts_ms,
            zone=self.zone,
            locale=locale,
            starts_ms=starts_ms,
            place=place,
            capacity=int(capacity) if isinstance(capacity, int | float) else 0,
            provenance=_sources((what, place), context),
        )
        remark: Json = {}
        if arguments.get("closes"):
            meeting, remark = self._with_closing(meeting, arguments, overlay, context)
            if meeting.closes_ms is not None and meeting.closes_ms > starts_ms:
                raise StagingFault(
                    "The answers would close after the beginning; ask until when they count.", may_retry=True
                )
        if minutes := arguments.get("remind_minutes_before"):
            meeting, reminded = self._with_reminder(meeting, int(str(minutes)), context)
            remark = {**remark, **reminded}
        overlay.add(meeting)
        self._attach(meeting, overlay, context)
        return {**_line(meeting), **remark, **_ATTACHED}

    def _with_reminder(self, meeting: Poll, minutes: int, context: TurnContext) -> tuple[Poll, Json]:
        """Return the meeting with a reminder before it, which is like any other reminder of the chat.  Raises: StagingFault."""
        reminders = context.staged.find(ReminderOverlay)
        if reminders is None or meeting.starts_ms is None:
            return meeting, {"reminder": "none, because reminders are off here: tell the person"}
        cost = self.size_of(context.conversation.id) if self.pushes else 1
        if cost is None:
            raise StagingFault(_COST_UNKNOWN)
        reminders.messages_each_time = max(1, cost)
        reminder = reminders.create(
            text=meeting_line(meeting, locale=meeting.locale or self.locale, now_ms=context.now_ms),
            at=local_time(meeting.starts_ms - minutes * MINUTE_MS, self.zone),
            provenance=meeting.provenance,
            user_id=context.to_answer[-1].user_id,
            locale=context.asker_locale,
        )
        told = {"reminder": local_day_and_time(reminder.next_ms, self.zone)}
        return replace(meeting, reminder_id=reminder.id), told

    def _with_closing(
        self, poll: Poll, arguments: Json, overlay: PollOverlay, context: TurnContext
    ) -> tuple[Poll, Json]:
        """Return the poll with the closing time, and the way of telling the result.  Raises: StagingFault."""
        at = usual_local(str(arguments["closes"]), self.zone)
        check_weekday(at, self.zone, context)
        _, closes_ms = checked_schedule(at, self.zone, None, now_ms=context.now_ms)
        reminders = context.staged.find(ReminderOverlay)
        if reminders is None:
            return replace(poll, closes_ms=closes_ms), {"result": _RESULT_UNTOLD}
        is_pushed = self.pushes and bool(arguments.get("push"))
        cost = self.size_of(context.conversation.id) if is_pushed else None
        if is_pushed and cost is None:
            raise StagingFault(_COST_UNKNOWN)
        messages = max(1, cost or 1)
        overlay.set_cost(poll.id, messages)
        reminder = reminders.create(
            text=poll.question,
            at=at,
            kind=ReminderKind.POLL,
            about=poll.id,
            is_pushed=is_pushed,
            provenance=poll.provenance,
            user_id=context.to_answer[-1].user_id,
            locale=context.asker_locale,
        )
        if is_pushed:
            announced: Json = {"result": "pushed", "messages": messages}
        elif arguments.get("push"):
            announced = {"result": "told with the next message in this chat, because pushes are off: tell the person"}
        else:
            announced = {"result": "told with the next message in this chat"}
        return replace(poll, closes_ms=closes_ms, closing_id=reminder.id), announced

    def _show(self, arguments: Json, overlay: PollOverlay, context: TurnContext) -> Json:
        poll_id, now_ms, polls = _id_in(arguments), context.now_ms, overlay.polls()
        standing = [one for one in polls if not one.is_closed(now_ms) or one.is_ahead(now_ms)]
        newest = [one for one in polls if not one.is_called_off][-1:]
        candidates = [one for one in polls if one.id == poll_id] if poll_id is not None else standing or newest
        if not candidates:
            return {"polls": []}
        shown = candidates[-1]
        self._attach(shown, overlay, context)
        listing = [one for one in polls[-_LISTED:] if one in standing or one == shown]
        return {"polls": [{**_line(one), **_votes_of(one, overlay)} for one in listing], **_ATTACHED}

    def _vote(self, arguments: Json, overlay: PollOverlay, context: TurnContext) -> Json | ToolFault:
        if context.needs_tap:
            raise StagingFault("Not counted here: tell the person to press the button on the poll's card.")
        poll_id = _id_in(arguments)
        polls = overlay.open() if poll_id is None else (overlay.find(poll_id),)
        poll, choice = _choice_in(polls, str(arguments["option"]))
        written = short_line(without_lone_surrogates(str(arguments.get("name") or "")), limit=NAME_LIMIT)
        message = self._vote_message(str(arguments["option"]), written, context)
        member, name = self._voter(message.user_id, written, context, poll=poll, overlay=overlay)
        vote = Vote(
            poll_id=poll.id,
            sent_ms=message.timestamp_ms,
            choice=choice,
            member=member,
            id=message.line_message_id,
            is_said=True,
        )
        overlay.cast(CastVote(vote=vote, name=name))
        self._attach(poll, overlay, context)
        return {"id": poll.id, "question": poll.question, "option": poll.options[choice], **_ATTACHED}

    def _vote_message(self, option: str, written: str, context: TurnContext) -> MessageRecord:
        """Return the voting message: of several people in one turn, of the named person, or of the author of the option.

        Raises: StagingFault, if the voter is unclear.
        """
        named, names = comparable_name(written), self._group(context).names
        by_named = [one for one in context.to_answer if comparable_name(names.get(mark_id(one.user_id), "")) == named]
        message = by_named[-1] if named and by_named else context.asker_of(option)
        if message is None:
            raise StagingFault(
                "Several people write at once: pass `name`, the name of who votes for this.", may_retry=True
            )
        return message

    def _voter(
        self, user_id: str | None, written: str, context: TurnContext, *, poll: Poll, overlay: PollOverlay
    ) -> tuple[str, str]:
        """Return the mark and the name of the person whose vote counts: of the author, or of the written name where LINE names no author.

        Nothing tells two authors without an id apart, so no further name counts where as many have voted as the group has members.
        Raises: StagingFault, if a member votes for another person, an author without an id for a member, or under one name too many.
        """
        asked = comparable_name(written)
        if user_id is not None:
            own_name = self.people.name_of(context.conversation, user_id)
            shown_name = self._group(context).names.get(mark_id(user_id), own_name)
            if asked and asked not in map(comparable_name, (own_name, shown_name)):
                raise StagingFault("A vote counts for the person who writes: others have to press or write themselves.")
            return mark_id(user_id), own_name
        if not asked:
            raise StagingFault(_NAME_MISSING, may_retry=True)
        members = self._group(context)
        if asked in map(comparable_name, members.names.values()):
            raise StagingFault(
                f"{written} is a member, and LINE does not say who writes this: {written} has to press the button in "
                "LINE on a phone, or write from there; anybody else needs another name."
            )
        voters = {vote.member for vote in overlay.counted(poll)} | {mark_of_written(written)}
        if members.size is not None and len(voters) > members.size:
            raise StagingFault(
                f"Not counted: this group has {members.size} members, and as many have voted. LINE does not say who writes this: "
                "a vote under a name that was given before may change, or the person presses the button in LINE on a phone."
            )
        return mark_of_written(written), written

    def _close(self, arguments: Json, overlay: PollOverlay, context: TurnContext) -> Json | NeedsTap:
        poll = overlay.find(_id_in(arguments))
        if context.needs_tap:
            return NeedsTap(name=poll.question, arguments={"id": poll.id})
        return self._end(closed(poll, at_ms=context.now_ms), (poll.closing_id,), overlay, context)

    def _call_off(self, arguments: Json, overlay: PollOverlay, context: TurnContext) -> Json | NeedsTap:
        meeting = overlay.find_ahead(_id_in(arguments))
        if context.needs_tap:
            return NeedsTap(name=meeting.question, arguments={"id": meeting.id})
        ended = called_off(meeting, at_ms=context.now_ms)
        return self._end(ended, (meeting.closing_id, meeting.reminder_id), overlay, context)

    def _end(self, ended: Poll, reminder_ids: Sequence[str], overlay: PollOverlay, context: TurnContext) -> Json:
        """Stage the ended poll, cancel the reminders that are left of it, and show how it stands."""
        reminders = context.staged.find(ReminderOverlay)
        if reminders is not None:
            for reminder in reminders.list():
                if reminder.id in reminder_ids:
                    reminders.cancel(reminder.id)
        overlay.stage({ended.id: ended})
        self._attach(ended, overlay, context)
        return {**_line(ended), **_votes_of(ended, overlay), **_ATTACHED}

    def _attach(self, poll: Poll, overlay: PollOverlay, context: TurnContext) -> None:
        """Put the standing below the answer, as a card with the buttons, unless the turn changes the poll, or votes in it, afterwards.

        For example, an undo in the same turn takes back a new poll and its card.
        """
        votes_in_time = overlay.votes_in_time(poll)
        standing = Standing(
            poll=poll,
            votes=counted(votes_in_time),
            now_ms=context.now_ms,
            group=self._group(context),
            waited=overlay.waited(poll, votes_in_time),
        ).named(overlay.names_of)
        overlay.mark_shown(standing.provenance)
        shown, said = overlay.current(poll.id), overlay.said_in(poll.id)

        def draw(locale: str) -> Card | None:
            is_current = overlay.current(poll.id) == shown and overlay.said_in(poll.id) == said
            return standing_card(standing, locale=locale) if is_current else None

        context.attachments.add_drawn(draw)

    def _group(self, context: TurnContext) -> Group:
        """Return the members: the authors of remembered messages are known."""
        names = self.people.of(context.conversation, (*context.earlier, *context.to_answer))
        names_by_mark = {mark_id(user_id): name for user_id, name in names.items()}
        return Group(names=names_by_mark, size=self.size_of(context.conversation.id))

    def _tool(
        self,
        name: str,
        description: str,
        action: Action,
        *,
        is_reading: bool = False,
        is_plain: Callable[[Json, Json], bool] | None = None,
    ) -> Tool:
        """Return a tool that runs `action` on the turn's overlay, in a group only."""

        def act(arguments: Json, context: TurnContext) -> Json | ToolFault | NeedsTap:
            if context.conversation.is_one_on_one:
                raise StagingFault("Polls are for groups, and this is a 1:1 chat.")
            with context.staged.as_one_step():
                return action(self, arguments, context.staged.of(PollOverlay), context)

        return overlay_tool(
            name,
            description,
            act,
            is_plain=is_plain,
            is_reading=is_reading,
            revision=_REVISIONS.get(name),
        )


def _is_plain(asked: Json, result: Json) -> bool:
    """Whether question and options are as asked, and nothing is to be remarked."""
    name = asked["question"] if "question" in asked else asked["what"]
    is_as_asked = name == result["question"] and asked.get("options", result["options"]) == result["options"]
    return is_as_asked and not {"result", "reminder"} & result.keys()


def _id_in(arguments: Json) -> str | None:
    return str(arguments["id"]) if arguments.get("id") else None


def _revision_of_open(arguments: Json, context: TurnContext) -> str:
    overlay = context.staged.of(PollOverlay)
    return overlay.revision_of(overlay.find(_id_in(arguments)).id)


def _revision_of_ahead(arguments: Json, context: TurnContext) -> str:
    overlay = context.staged.of(PollOverlay)
    return overlay.revision_of(overlay.find_ahead(_id_in(arguments)).id)


_REVISIONS: Final[Mapping[str, Callable[[Json, TurnContext], str]]] = {
    "close_poll": _revision_of_open,
    "call_off_meeting": _revision_of_ahead,
}
"""The revision to which a tap on a tool's proposal is bound, by tool."""


def _checked(text: str, *, limit: int) -> str:
    """Return the text in a line of at most `limit` graphemes.  Raises: StagingFault, if the text is empty."""
    line = short_line(without_lone_surrogates(text), limit=limit)
    if not line:
        raise StagingFault("The question or an option is empty; ask for it.", may_retry=True)
    return line


def _options_of(arguments: Json) -> tuple[str, ...]:
    """Return the options, each once.  Raises: StagingFault, if fewer than two differ."""
    options_given = arguments["options"]
    names = (
        [_checked(str(name), limit=OPTION_LIMIT) for name in options_given] if isinstance(options_given, list) else []
    )
    options = {fold(name): name for name in reversed(names)}
    if len(options) < 2:  # noqa: PLR2004 - a choice
        raise StagingFault("A poll has at least two different options; ask for them.", may_retry=True)
    return tuple(reversed(options.values()))


def _choice_in(polls: Sequence[Poll], option: str) -> tuple[Poll, int]:
    """Return the newest of the polls with the named option, and the option's number.  Raises: StagingFault.

    For example, of "Friday?" and "Lunch?", "soba" is an option of the second. An option of the very name comes before a longer option.
    """
    folded = fold(option)
    exact = [(poll, number) for poll in polls for number, one in enumerate(poll.options) if fold(one) == folded]
    near = [(poll, numbers[0]) for poll in polls if folded and len(numbers := _numbers_with(folded, poll.options)) == 1]
    if not polls:
        raise StagingFault("There is no such open poll; list the polls first.")
    if not exact and not near:
        options = "; ".join(f"{poll.question}: {', '.join(poll.options)}" for poll in polls)
        raise StagingFault(f"The options are: {options}. Ask which one is meant.", may_retry=True)
    return (exact or near)[-1]


def _numbers_with(folded: str, options: Sequence[str]) -> Sequence[int]:
    return [number for number, one in enumerate(options) if folded in fold(one)]


def _sources(texts: Sequence[str], context: TurnContext) -> Provenance:
    """Return the messages behind a poll: the asking messages, and earlier messages with the poll's words."""
    possible = PossibleSources(to_answer=context.to_answer, earlier=context.read_earlier, retellings=context.retellings)
    asking = [one.source for one in context.to_answer]
    traced = Provenance.of_sources([*asking, *(source for text in texts for source in possible.of(text))])
    return replace(traced, outside=context.outside_in_write(texts))


def _line(poll: Poll) -> Json:
    closes = {} if poll.closes_ms is None else {"closes": local_day_and_time(poll.closes_ms, poll.zone)}
    starts = {} if poll.starts_ms is None else {"starts": local_day_and_time(poll.starts_ms, poll.zone)}
    state = {"is_called_off": True} if poll.is_called_off else {}
    return {"id": poll.id, "question": poll.question, "options": list(poll.options), **starts, **closes, **state}


def _votes_of(poll: Poll, overlay: PollOverlay) -> Json:
    votes = overlay.counted(poll)
    return {"votes": [sum(vote.choice == number for vote in votes) for number in range(len(poll.options))]}
