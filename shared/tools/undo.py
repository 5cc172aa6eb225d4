"""Undo: take back the last thing that was done in the chat, whatever feature it was of."""

import itertools
from typing import Final

from shared.agent.model import Json
from shared.agent.overlay import StagingFault
from shared.agent.tools import NeedsTap, Tool, ToolFault, load_schema
from shared.agent.turn_context import TurnContext
from shared.conversation.undo import UndoRecord
from shared.conversation.write_key import read_key

_BEYOND_UNDO: Final = ToolFault(
    message="Not done: what was done last cannot be taken back from here, because it was done in another service, such as Notion, or by a "
    "command or a button, such as a withdrawal or a reminder that is done. Say so, and offer what would help: to change it there, or "
    "to set the reminder again.",
    may_retry=False,
)
_TOO_MUCH_TO_UNDO: Final = ToolFault(
    message="Not done: the last change was of several things, and either the prompt holds words that were read from outside, or another "
    "member asked for the change. Tell the person, and delete or change one by one what they name.",
    may_retry=False,
)
_STAYS_OUTSIDE: Final = "The same answer also wrote to another service, such as Notion; that stays. Say so."


def undo_tools() -> tuple[Tool, ...]:
    """Return the tool, for deployments with a feature that stages writes.

    What no undo reaches is not skipped. For example, after a page in Notion 「取り消して」 leaves the note of an earlier turn alone.
    """
    return (
        Tool(
            name="undo_last_change",
            description="Take back the last change, one step: of an entry, of a reminder, whatever was changed last. Use when the person "
            "says that they did not mean it, or wants it back as it was.",
            parameters=load_schema("undo_last_change.parameters"),
            response=load_schema("undo_last_change.response"),
            run=_undo,
            stages=True,
            revision=_revision,
        ),
    )


def _undo(_: Json, context: TurnContext) -> Json | ToolFault | NeedsTap:
    staged = context.staged
    try:
        with staged.together():
            record = UndoRecord() if staged.has_changed else staged.last_undo
            is_beyond_undo = record.is_partial and not record.before
            if is_beyond_undo or (context.outside.has_acted and not staged.has_changed):
                return _BEYOND_UNDO
            names = staged.show_undo()
            if names and (context.needs_tap or _is_of_others(record, context)):
                return NeedsTap(name=names[0]) if len(names) == 1 else _TOO_MUCH_TO_UNDO
            effect = staged.undo()
    except StagingFault as fault:
        return ToolFault(message=str(fault), may_retry=fault.may_retry)
    note = {"note": _STAYS_OUTSIDE} if record.is_partial else {}
    return {"restored": list(effect.restored), "removed": list(effect.removed), **note}


def _is_of_others(record: UndoRecord, context: TurnContext) -> bool:
    """Whether only other members asked for the change, so that a tap decides; False where that is not known, and for a tap.

    For example, after Sato's note, Suzuki's 「取り消して」 is asked about by a button that names the note.
    """
    if context.question is None or context.confirmed:
        return False
    history, (sequence, _) = context.question.history, read_key(record.revision)
    answered = [one.answered_ids for one in history.outcomes if one.sequence == sequence]
    asked_ids = frozenset(itertools.chain.from_iterable(answered))
    messages = (*history.messages, *history.older, *history.unshown)
    authors = {message.user_id for message in messages if message.line_message_id in asked_ids}
    return bool(authors) and authors.isdisjoint(message.user_id for message in context.to_answer)


def _revision(_: Json, context: TurnContext) -> str:
    """Return the key of the earlier turn's write that an undo would take back; "" where there is nothing to undo."""
    record = context.staged.last_undo
    return record.revision if record.before else ""
