"""The reminders toolset: create, list, change and cancel reminders of a chat.

Every tool works on the turn's overlay, so nothing is promised before the turn is committed.
"""

import datetime as dt
import zoneinfo
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final, Protocol

from shared.agent.grounding import is_reminder_grounded
from shared.agent.model import Json
from shared.agent.overlay import StagingFault
from shared.agent.repeats import asks_for_another
from shared.agent.said_weekdays import contradiction_at
from shared.agent.tools import NeedsTap, Tool, ToolFault
from shared.agent.turn_context import TurnContext
from shared.conversation.history import IndexRow
from shared.conversation.provenance import Provenance
from shared.conversation.store import Conversation
from shared.errors import LineUnavailableError
from shared.frozen import frozen
from shared.knowledge.provenance import PossibleSources
from shared.knowledge.staging import EntryOverlay
from shared.line.utf16 import without_lone_surrogates
from shared.recurrence import Gap
from shared.reminders.private_chat import PrivateChats, Undeliverable
from shared.reminders.reminder import Reminder, ReminderKind
from shared.reminders.schedule import checked_zone, gap_of, local_day_and_time, local_time, usual_local, written_local
from shared.reminders.staging import ReminderExistsError, ReminderOverlay
from shared.search.folding import fold
from shared.tools.overlay_tool import overlay_tool

_LISTED: Final = 20
_MINUTE_MS: Final = 60_000
_KINDS: Final = {
    "daily": ReminderKind.DAILY_DIGEST,
    "weekly": ReminderKind.WEEKLY_DIGEST,
    "chat": ReminderKind.CHAT_SUMMARY,
}
_DIGESTS: Final = {kind: name for name, kind in _KINDS.items()}
_CHANGING: Final = frozenset({"change_reminder", "cancel_reminder"})
_REMARKS: Final = frozenset({"already_set", "left_out", "quota"})  # what a person has to be told of a reminder
_LAST_DAY: Final = "tell the person. BYMONTHDAY=-1 is the last day of every month."
_LEFT_OUT: Final = {
    Gap.SHORT_MONTHS: f"February, April, June, September and November are left out: {_LAST_DAY}",
    Gap.FEBRUARY: f"February is left out: {_LAST_DAY}",
    Gap.SHORT_FEBRUARY: f"February is left out, but for leap years: {_LAST_DAY}",
    Gap.NO_FIFTH: "Months without a fifth one are left out: tell the person. -1 in place of 5 is the last one of every month.",
    Gap.COMMON_YEARS: f"It comes in leap years only: {_LAST_DAY}",
}
_SAID_WITH_ANSWER: Final = "What it does not carry is said with the next answer in this chat."
_ONLY_IN_GROUPS: Final = ToolFault(
    message="A summary on a schedule is for groups: in a 1:1 chat nothing was said that the person does not know. Nothing was set.",
    may_retry=False,
)
_NEVER_PUSHED: Final = ToolFault(
    message="This bot sends nothing unasked, so nothing in private either. Nothing was set: offer to sum up here.",
    may_retry=False,
)
_MEMBER_UNKNOWN: Final = ToolFault(
    message="LINE did not say whether the person is a member. Nothing was set: tell them to ask once more in a moment.",
    may_retry=False,
)
_SEVERAL_ASK: Final = ToolFault(
    message="Several people write at once, so it is unclear to whom to send it in private. Nothing was set: tell them to ask once more.",
    may_retry=False,
)
_NO_CHAT: Final = (
    "The person has no 1:1 chat with this bot that it may send to. Nothing was set: tell them to add the bot as a friend, to unblock it if "
    "they blocked it, to say something there (with /start and the code, if the bot asks for one), and to ask here again."
)
_UNDELIVERABLE: Final = {
    Undeliverable.UNNAMED: "LINE does not say who writes this message, so nothing can be sent to them in private. Nothing was set: say so.",
    Undeliverable.NO_MEMBER: "LINE does not name the person as a member of this group. Nothing was set: say so.",
    Undeliverable.NO_CHAT: _NO_CHAT,
    Undeliverable.SILENT: "The person's 1:1 chat is paused. Nothing was set: tell them to send /resume there, and to ask here again.",
}
_COST_UNKNOWN: Final = ToolFault(
    message="LINE did not say how many members the group has, so what a reminder here costs is not known. Nothing was set: tell the person "
    "to ask once more in a moment.",
    may_retry=False,
)


class PushCosts(Protocol):
    """The cost of pushes, in messages of the account's quota."""

    def cost_of(self, conversation_id: str) -> int | None:
        """Return the cost of a push to the chat: 1 in a 1:1 chat, else the number of members; None if LINE does not say."""
        ...

    @property
    def renewal_ms(self) -> int:
        """When the quota is renewed."""
        ...

    def carried(self, conversation: Conversation, pushes: Iterable[tuple[int, bool]]) -> int | None:
        """Return how many of the counted pushes fit in the quota until the renewal; None: all.

        `pushes` are all pushes due in the chat until then, as pairs of a time and whether the push is counted. For example,
        `[(at_1_ms, False), (at_2_ms, True)]` asks about the second push only, after the first has used its part of the quota.
        """
        ...


Action = Callable[[Json, ReminderOverlay, TurnContext], Json | ToolFault | NeedsTap]


@frozen
class ReminderTools:
    """The tools for reminders.  `costs` None: nothing is pushed, so reminders cost nothing, and nothing is sent in private."""

    costs: PushCosts | None = None
    private_chats: PrivateChats | None = None

    def tools(self) -> tuple[Tool, ...]:
        """Return the tools in order of declaration."""
        return (
            _tool(
                "create_reminder",
                "Say something in this chat at a time, once or again and again. Use when the person asks to be reminded or told something "
                "at a time. Ask for day and hour if they are missing.",
                self._create,
                is_plain=_is_set_as_asked,
            ),
            _tool(
                "list_reminders",
                "List what is due in this chat, the next first. Use when the person asks what is due, or means a reminder that "
                "[reminders] does not show.",
                _list,
                is_reading=True,
            ),
            _tool(
                "change_reminder",
                "Change text, time or recurrence of a reminder. Use when the person wants one later, earlier or otherwise. List first if "
                "[reminders] does not show it.",
                self._change,
                is_plain=_is_set_as_asked,
            ),
            _tool(
                "cancel_reminder",
                "Cancel a reminder, with all its later times. Use when the person no longer wants it. List first if [reminders] does "
                "not show it.",
                _cancel,
                is_plain=lambda asked, result: asked["id"] == result["id"],
            ),
        )

    def _create(self, arguments: Json, overlay: ReminderOverlay, context: TurnContext) -> Json | ToolFault | NeedsTap:
        text, zone = _text(arguments, "text"), _zone(arguments)
        at = usual_local(str(arguments["at"]), zone or overlay.zone)
        check_weekday(at, zone or overlay.zone, context)
        needs_tap = context.needs_tap and not _is_ordered(arguments, overlay, context)
        kind = _KINDS.get(str(arguments.get("digest")), ReminderKind.TEXT)
        is_summary = kind is ReminderKind.CHAT_SUMMARY
        if is_summary and context.conversation.is_one_on_one:
            return _ONLY_IN_GROUPS
        is_private = is_summary and bool(arguments.get("private"))
        fault = self._private_fault(context) if is_private else None
        if fault is not None:
            return fault
        if is_private and not arguments.get("rule"):  # for now
            at = max(at, local_time(context.now_ms + _MINUTE_MS, zone or overlay.zone))
        is_pushed = is_private or not is_summary or (self.costs is not None and bool(arguments.get("push")))
        messages = self._messages_each_time(overlay, context) if is_pushed and not is_private else 1
        if messages is None:
            return _COST_UNKNOWN
        try:
            reminder = overlay.create(
                text=text,
                at=at,
                zone=zone,
                rule=_optional(arguments, "rule"),
                kind=kind,
                is_pushed=is_pushed,
                is_private=is_private,
                provenance=_provenance(text, overlay, context),
                user_id=context.to_answer[-1].user_id,
                locale=context.asker_locale,
                is_trial=needs_tap,
                may_repeat=asks_for_another(context.said),
            )
        except ReminderExistsError as exists:
            return {**_set(exists.reminder), "already_set": True}
        return NeedsTap(name=text) if needs_tap else self._confirmation(reminder, overlay, messages, context)

    def _private_fault(self, context: TurnContext) -> ToolFault | None:
        """Return why nothing can be sent to the 1:1 chat of the person who asks, with what to tell them; None: it can."""
        if self.costs is None or self.private_chats is None:
            return _NEVER_PUSHED
        try:
            if len({message.user_id for message in context.to_answer}) > 1:
                return _SEVERAL_ASK
            refusal = self.private_chats.refusal(context.conversation, context.to_answer[-1].user_id)
        except LineUnavailableError:
            return _MEMBER_UNKNOWN
        return None if refusal is None else ToolFault(message=_UNDELIVERABLE[refusal], may_retry=False)

    def _change(self, arguments: Json, overlay: ReminderOverlay, context: TurnContext) -> Json | ToolFault | NeedsTap:
        reminder_id = str(arguments["id"])
        _check_unchanged(reminder_id, overlay, context)
        before = overlay.show(reminder_id)
        _check_ends_no_poll(before)
        zone = _zone(arguments)
        local_zone = zone or (before.zone if before.is_own_zone else overlay.zone)
        at = usual_local(str(arguments["at"]), local_zone) if arguments.get("at") else None
        if at is not None:
            check_weekday(at, local_zone, context)
        needs_tap = context.needs_tap
        messages = self._messages_each_time(overlay, context) if before.is_pushed and not before.is_private else 1
        if messages is None:
            return _COST_UNKNOWN
        text = _text(arguments, "text") if "text" in arguments else None
        changed = overlay.change(
            reminder_id,
            text=text,
            at=at,
            zone=zone,
            rule=str(arguments["rule"]) if "rule" in arguments else None,
            provenance=_provenance(text or "", overlay, context),
            is_trial=needs_tap,
        )
        return _needs_tap(before) if needs_tap else self._confirmation(changed, overlay, messages, context)

    def _confirmation(self, reminder: Reminder, overlay: ReminderOverlay, messages: int, context: TurnContext) -> Json:
        """Return the reminder as set, with the cost, and a warning if the month's quota is too small."""
        if not reminder.is_pushed or reminder.is_private:
            return _set(reminder)
        confirmation = _with_cost(_set(reminder), messages, context)
        if self.costs is None:
            return confirmation
        due = [(at_ms, own_id == reminder.id) for at_ms, own_id in overlay.due_until(self.costs.renewal_ms)]
        times = sum(is_own for _, is_own in due)
        carried = self.costs.carried(context.conversation, due) if times else None
        overlay.set_carried(reminder.id, carried)
        if carried is None:
            return confirmation
        quota = f"The month's quota carries {carried} of its {times} times until it is renewed: tell the person. {_SAID_WITH_ANSWER}"
        return {**confirmation, "quota": quota}

    def _messages_each_time(self, overlay: ReminderOverlay, context: TurnContext) -> int | None:
        """Return the cost of each push in messages of the quota, for the receipts of the turn, too; None if LINE does not say."""
        if self.costs is None or context.conversation.is_one_on_one:
            return 1
        cost = self.costs.cost_of(context.conversation.id)
        if cost is None:
            return None
        overlay.messages_each_time = max(1, cost)
        return overlay.messages_each_time


def _zone(arguments: Json) -> str | None:
    """Return the zone that the person named.  Raises: StagingFault, if there is no such zone."""
    return checked_zone(str(arguments["zone"])) if arguments.get("zone") else None


def check_weekday(at: str, zone: str, context: TurnContext) -> None:
    """Raises: StagingFault, if the person wrote another weekday beside the date.  A time that cannot be read is left to the overlay."""
    try:
        local = dt.datetime.fromisoformat(at).replace(tzinfo=None)
    except ValueError:
        return
    local_zone = zoneinfo.ZoneInfo(zone)
    texts = [(one.text, dt.datetime.fromtimestamp(one.timestamp_ms / 1_000, local_zone)) for one in context.to_answer]
    contradiction = contradiction_at(texts, local)
    if contradiction is not None:
        raise StagingFault(f"{contradiction.explanation} Nothing was set: ask which of the two is meant.")


def _is_ordered(arguments: Json, overlay: ReminderOverlay, context: TurnContext) -> bool:
    """Whether an author's own words order the reminder.

    A digest always takes a tap, because digests show entries; so does a zone, which other words than the order's may name.
    """
    text, at, rule = (
        _text(arguments, "text"),
        usual_local(str(arguments["at"]), overlay.zone),
        _optional(arguments, "rule"),
    )
    return arguments.keys().isdisjoint({"digest", "zone"}) and context.is_ordered(
        lambda asked: is_reminder_grounded(asked, text=text, at=at, rule=rule), zone=zoneinfo.ZoneInfo(overlay.zone)
    )


def _list(arguments: Json, overlay: ReminderOverlay, _: TurnContext) -> Json:
    limit = arguments.get("limit", _LISTED)
    reminders = overlay.list()
    shown = reminders[: int(limit) if isinstance(limit, int | float) else _LISTED]
    return {"reminders": [_shown(reminder) for reminder in shown], "total": len(reminders)}


def _cancel(arguments: Json, overlay: ReminderOverlay, context: TurnContext) -> Json | NeedsTap:
    reminder_id = str(arguments["id"])
    _check_unchanged(reminder_id, overlay, context)
    reminder = overlay.show(reminder_id)
    _check_ends_no_poll(reminder)
    if context.needs_tap:
        return _needs_tap(reminder)
    cancelled = overlay.cancel(reminder_id)
    return {"id": cancelled.id, "text": cancelled.text}


def _check_ends_no_poll(reminder: Reminder) -> None:
    """Raises: StagingFault, for the reminder with the result of a poll or meeting: receipts tell only what becomes of the poll."""
    if reminder.kind is ReminderKind.POLL:
        raise StagingFault(
            f"This tells the result at the end of the poll {reminder.about}, and stays as long as the poll is open. Nothing was changed. "
            f"close_poll with the id {reminder.about} ends the poll now and shows its result: offer that."
        )


def _check_unchanged(reminder_id: str, overlay: ReminderOverlay, context: TurnContext) -> None:
    """Raises: StagingFault, where the reminder has changed since the prompt showed it.  A confirmed call is bound to its own revision."""
    if context.confirmed:
        return
    for row in _rows_in_prompt(context):
        if row.handle == reminder_id:
            overlay.check_unchanged(reminder_id, shown_mark=row.mark)


def _needs_tap(reminder: Reminder) -> NeedsTap:
    due_at = local_time(reminder.next_ms, reminder.zone)
    return NeedsTap(name=reminder.text, due_at=due_at, due_rule=reminder.rule or "")


def _tool(
    name: str,
    description: str,
    action: Action,
    *,
    is_plain: Callable[[Json, Json], bool] | None = None,
    is_reading: bool = False,
) -> Tool:
    """Return a tool that runs `action` on the turn's overlay."""
    return overlay_tool(
        name,
        description,
        lambda arguments, context: action(arguments, _overlay_of(context), context),
        is_plain=is_plain,
        is_reading=is_reading,
        revision=_revision if name in _CHANGING else None,
    )


def _revision(arguments: Json, context: TurnContext) -> str:
    """Return the revision of the reminder with the arguments' `id`."""
    return _overlay_of(context).revision_of(str(arguments["id"]))


def _overlay_of(context: TurnContext) -> ReminderOverlay:
    """Return the turn's view of the reminders.  Raises: TypeError, if the deployment has none."""
    return context.staged.of(ReminderOverlay)


def _provenance(text: str, overlay: ReminderOverlay, context: TurnContext) -> Provenance:
    """Return the possible sources of a reminder's text: the asking messages, earlier messages, entries and other reminders."""
    possible = PossibleSources(to_answer=context.to_answer, earlier=context.read_earlier, retellings=context.retellings)
    sources = list(possible.of(text))
    entries = context.staged.find(EntryOverlay)
    if entries is not None and text:
        sources += possible.of_entries(text, entries.rows(), read_ids=entries.provenance.message_ids)
    folded = fold(text)
    shown = [(reminder.text, reminder.provenance) for reminder in overlay.shown]
    for shown_text, provenance in (*shown, *((row.words, row.provenance) for row in _rows_in_prompt(context))):
        is_part = bool(folded) and folded in fold(shown_text) and not possible.is_said(text)
        if is_part or possible.repeats_unsaid(shown_text, text):
            sources += provenance.sources
    return replace(Provenance.of_sources(sources), outside=context.outside_in_write((text,)))


def _rows_in_prompt(context: TurnContext) -> tuple[IndexRow, ...]:
    """Return the reminders that the prompt of the turn shows."""
    blocks = context.question.history.blocks if context.question is not None else ()
    return tuple(row for block in blocks for row in block.rows)


def _shown(reminder: Reminder) -> Json:
    digest = _DIGESTS.get(reminder.kind)
    return {
        "id": reminder.id,
        "text": reminder.text,
        "next": local_day_and_time(reminder.next_ms, reminder.zone),
        **({"zone": reminder.zone} if reminder.is_own_zone else {}),
        **({"rule": reminder.rule} if reminder.rule is not None else {}),
        **({"digest": digest} if digest is not None else {}),
        **({"private": True} if reminder.is_private else {}),
        **({"waits": True} if reminder.kept_ms is not None else {}),
    }


def _set(reminder: Reminder) -> Json:
    """Return a reminder as set, with a remark if some months or years lack the day."""
    gap = gap_of(reminder.recurrence, start=reminder.start)
    return _shown(reminder) if gap is None else {**_shown(reminder), "left_out": _LEFT_OUT[gap]}


def _is_set_as_asked(asked: Json, result: Json) -> bool:
    """Whether the reminder has the text and the time that were asked for, and needs no remark.

    For example, a weekly reminder "from Monday" whose first day is a Tuesday is not as asked.
    """
    has_text = "text" not in asked or " ".join(str(asked["text"]).split()) == result["text"]
    has_time = (
        not asked.get("at")
        or bool(asked.get("private"))
        or str(result["next"]).startswith(written_local(str(asked["at"])))
    )
    return has_text and has_time and _REMARKS.isdisjoint(result)


def _with_cost(shown: Json, messages: int, context: TurnContext) -> Json:
    return shown if context.conversation.is_one_on_one else {**shown, "messages_each_time": messages}


def _text(arguments: Json, name: str) -> str:
    return without_lone_surrogates(str(arguments[name]))


def _optional(arguments: Json, name: str) -> str | None:
    return str(arguments[name]) if arguments.get(name) else None
