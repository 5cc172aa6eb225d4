"""The knowledge toolset's writing half: capture, update, move and delete entries.  The reading half: knowledge_queries.py.

Every tool works on the turn's overlay, so nothing reaches the bucket before the turn is committed.
"""

import zoneinfo
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from functools import partial
from typing import Final, TypeVar

from shared import logs
from shared.agent.grounding import is_addition_grounded, is_note_grounded, is_tick_grounded
from shared.agent.model import Json
from shared.agent.overlay import StagingFault
from shared.agent.repeats import asks_for_another
from shared.agent.tools import NeedsTap, Tool, ToolFault, load_schema
from shared.agent.turn_context import TurnContext
from shared.errors import ModelBlockedError, ModelRefusedError, ModelUnavailableError
from shared.frozen import frozen
from shared.knowledge.catalog import Catalog
from shared.knowledge.classification import Classification, Classifier, Hint, split_hints
from shared.knowledge.entry import Entry
from shared.knowledge.entry_editor import (
    EntryEditor,
    EntryExistsError,
    Occasion,
    check_updates,
    takes_words,
    with_replacement,
)
from shared.knowledge.prompt_index import index_view
from shared.knowledge.provenance import PossibleSources
from shared.knowledge.schema import Category, plain_text
from shared.knowledge.staging import EntryOverlay
from shared.line.json_text import encodable

_DECLARED_IN_FULL: Final = frozenset({"update_entry"})  # the editor checks their arguments, by the entry's category
_FILING: Final = frozenset({"classify_and_capture", "update_entry", "add_to_list"})  # these store words of the prompt
_CHANGING: Final = frozenset({"update_entry", "move_entry", "delete_entry"})
_CLASSIFIER_INDEX_TOKENS: Final = 500
MOST_CAPTURES: Final = 12
"""Captures of a turn; each asks the model for a classification."""

Action = Callable[[Json, EntryOverlay, Occasion], Json | ToolFault | NeedsTap]
_Result = TypeVar("_Result")


@frozen
class _Thought:
    """A thought to file.  `is_named`: a person named the category."""

    text: str = field(repr=False)
    classification: Classification = field(repr=False)
    is_named: bool


@frozen
class KnowledgeTools:
    """The tools that change entries."""

    classifier: Classifier
    editor: EntryEditor
    time_zone: zoneinfo.ZoneInfo = field(repr=False)

    def tools(self) -> tuple[Tool, ...]:
        """Return the tools in order of declaration."""
        return (
            self._tool(
                "classify_and_capture",
                "Classify a thought and create an entry in the knowledge base. Use when the person shares new information, facts, ideas, "
                "or tasks to remember. Where clarificationNeeded is true it lies in the inbox: ask in your reply what it should be.",
                self._capture,
                prepare=self._classify,
                is_plain=_is_captured_as_asked,
                most_calls=MOST_CAPTURES,
            ),
            self._tool(
                "update_entry",
                "Update fields of an existing entry. Use when the person wants to modify an entry: a status, a next action, a due date, a "
                "note, or by `replace` some words, such as one item of a list. Search or list first if you do not know the path.",
                self._update,
                is_plain=_is_updated_as_asked,
            ),
            self._tool(
                "move_entry",
                'Move an entry to a different category. Use when the person wants to reclassify an entry (e.g., "actually that should be a '
                'project"): without another name they mean the entry that was filed last.',
                self._move,
                is_plain=lambda asked, result: asked["targetCategory"] == result["category"],
            ),
            self._tool(
                "delete_entry",
                "Delete an entry. Use only when the person asks to delete or forget something that was filed.",
                self._delete,
                is_plain=lambda _, __: True,  # what was not asked for is a fault
            ),
        )

    def _tool(  # noqa: PLR0913 - the fields of a Tool
        self,
        name: str,
        description: str,
        action: Action,
        *,
        is_plain: Callable[[Json, Json], bool],
        prepare: Callable[[Json, EntryOverlay, Occasion], object] | None = None,
        most_calls: int = 20,
    ) -> Tool:
        tool = entry_tool(name, description, action, time_zone=self.time_zone, most_calls=most_calls)
        prepares = partial(_on_overlay, prepare, name, self.time_zone) if prepare is not None else None
        return replace(tool, stages=True, is_plain=is_plain, prepare=prepares)

    def _classify(self, arguments: Json, overlay: EntryOverlay, occasion: Occasion) -> _Thought | ToolFault | NeedsTap:
        """Return the classified thought; the classifier needs no order among calls, so a round's thoughts are classified in parallel.

        The classifier is asked only if the caller gave no valid classification, or in a tainted turn: its own prompt holds nothing but the
        thought and the index.
        """
        text, hint = split_hints(str(arguments["text"]), str(arguments.get("hints", "")))
        hint = hint if hint.category else _hint_of_person(occasion)
        if not plain_text(text):
            return ToolFault(message="There is nothing to capture in the text.", may_retry=False)
        if not occasion.is_ordered(lambda asked: is_note_grounded(asked, text=text)):
            return NeedsTap(name=text)
        by_caller = None if occasion.needs_tap else self.classifier.read(_answer_in(arguments), text, hint)
        if by_caller is not None:
            return _Thought(text=text, classification=by_caller, is_named=hint.category is not None)
        view = index_view(Catalog(rows=overlay.rows()), limit_tokens=_CLASSIFIER_INDEX_TOKENS, shows_paths=True)
        overlay.mark_shown(view.provenance)
        occasion.check_amendments()
        try:
            classification = self.classifier.classify(text, hint, index=view.text, now=occasion.now)
        except (ModelUnavailableError, ModelRefusedError, ModelBlockedError) as cause:
            logs.warning("classification_failed", error_type=type(cause).__name__)
            return ToolFault(message="The classification failed; nothing was filed.", may_retry=True)
        return _Thought(text=text, classification=classification, is_named=hint.category is not None)

    def _capture(self, arguments: Json, overlay: EntryOverlay, occasion: Occasion) -> Json | ToolFault | NeedsTap:
        thought = occasion.prepared() or self._classify(arguments, overlay, occasion)
        if not isinstance(thought, _Thought):
            assert isinstance(thought, ToolFault | NeedsTap)  # noqa: S101 - what `_classify` returns
            return thought
        text, classification = thought.text, thought.classification
        may_repeat = asks_for_another(message.text for message in occasion.possible.to_answer)
        is_new = True
        try:
            entry = self.editor.capture(
                overlay, text, classification, occasion, is_named=thought.is_named, may_repeat=may_repeat
            )
        except EntryExistsError as exists:
            entry, is_new = exists.entry, False
        is_unsure = entry.category is Category.INBOX
        return {
            "path": entry.path,
            "category": entry.category.value,
            "name": entry.name,
            "confidence": entry.confidence,
            "clarificationNeeded": is_unsure,
            **({} if is_new else {"alreadyFiled": True}),
            **({"suggestedCategory": classification.category.value} if is_unsure else {}),
        }

    def _update(self, arguments: Json, overlay: EntryOverlay, occasion: Occasion) -> Json | NeedsTap:
        updates = _object(arguments["updates"])
        before = overlay.show_entry(str(arguments["path"]))
        replaced = with_replacement(before, updates)
        checked = check_updates(before.category, replaced)
        worded = {name: checked[name] if name == "status" else value for name, value in replaced.items()}
        if occasion.needs_tap and not _is_ordered(before, worded, overlay, occasion):
            return NeedsTap(name=before.name)
        entry, is_changed = self.editor.update(overlay, str(arguments["path"]), replaced, occasion)
        return {
            "path": entry.path,
            "updatedFields": sorted(updates),
            **({} if is_changed else {"wasSoBefore": True}),
        }

    def _move(self, arguments: Json, overlay: EntryOverlay, occasion: Occasion) -> Json | NeedsTap:
        path = str(arguments["path"])
        if occasion.needs_tap:
            return NeedsTap(name=overlay.show_entry(path).name)
        entry = self.editor.move(overlay, path, Category(str(arguments["targetCategory"])), occasion)
        return {"oldPath": path, "newPath": entry.path, "category": entry.category.value}

    def _delete(self, arguments: Json, overlay: EntryOverlay, occasion: Occasion) -> Json | NeedsTap:
        if occasion.needs_tap:
            return NeedsTap(name=overlay.show_entry(str(arguments["path"])).name)
        entry = self.editor.delete(overlay, str(arguments["path"]))
        return {"path": entry.path, "name": entry.name}


def entry_tool(  # noqa: PLR0913 - the fields of a Tool
    name: str,
    description: str,
    action: Action,
    *,
    time_zone: zoneinfo.ZoneInfo,
    is_reading: bool = False,
    most_calls: int = 20,
) -> Tool:
    """Return a tool that runs `action` on the turn's overlay; an StagingFault becomes a ToolFault."""

    def run(arguments: Json, context: TurnContext) -> Json | ToolFault | NeedsTap:
        try:
            return _on_overlay(action, name, time_zone, arguments, context)
        except StagingFault as fault:
            return ToolFault(message=str(fault), may_retry=fault.may_retry)

    parameters = load_schema(f"{name}.parameters")
    declared = load_schema(f"{name}.declared") if name in _DECLARED_IN_FULL else None
    return Tool(
        name=name,
        description=description,
        parameters=parameters,
        declared=declared,
        response=load_schema(f"{name}.response"),
        run=run,
        is_reading=is_reading,
        most_calls=most_calls,
        revision=_REVISIONS.get(name),
    )


def _on_overlay(
    action: Callable[[Json, EntryOverlay, Occasion], _Result],
    name: str,
    time_zone: zoneinfo.ZoneInfo,
    arguments: Json,
    context: TurnContext,
) -> _Result:
    """Return the result of the action on the turn's overlay.  Raises: StagingFault."""
    possible = PossibleSources(
        to_answer=context.to_answer,
        earlier=context.read_earlier,
        retellings=context.retellings if name in _FILING else (),
    )
    occasion = replace(
        Occasion.at(context.now_ms, time_zone, possible=possible),
        check_amendments=context.check_amendments,
        needs_tap=context.needs_tap,
        is_ordered=partial(context.is_ordered, zone=time_zone),
        outside_in=context.outside_in_write,
        attach=context.attachments.add,
        attach_card=context.attachments.add_card,
        attach_drawn=context.attachments.add_drawn,
        prepared=context.prepared,
    )
    overlay, wanted_arguments = overlay_of(context), encodable(arguments)
    if "path" not in wanted_arguments:
        return action(wanted_arguments, overlay, occasion)
    path = path_of(wanted_arguments["path"], context, is_change=name in _CHANGING)
    result = action({**wanted_arguments, "path": path}, overlay, occasion)
    return by_path(result, wanted_arguments, path)


def _strings(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()


def _answer_in(arguments: Json) -> Json:
    """Return the caller's classification, as the classifier would answer: `{"category": "ideas", "name": "trip", "confidence": 0.9}`."""
    fields = arguments.get("fields")
    answer = {**(fields if isinstance(fields, Mapping) else {})}
    answer |= {name: arguments[name] for name in ("category", "name", "confidence") if name in arguments}
    return answer | ({"due_date": arguments["date"]} if arguments.get("date") else {})


def _is_captured_as_asked(asked: Json, result: Json) -> bool:
    """Whether the thought lies where and under the name that the caller gave: only then may a reply be written before the result."""
    is_as_asked = (asked.get("category"), asked.get("name")) == (result["category"], result["name"])
    return is_as_asked and not result["clarificationNeeded"] and "alreadyFiled" not in result


def _is_updated_as_asked(asked: Json, result: Json) -> bool:
    is_as_asked = set(_object(asked["updates"])) == set(_strings(result["updatedFields"]))
    return is_as_asked and "wasSoBefore" not in result


def _is_ordered(entry: Entry, updates: Json, overlay: EntryOverlay, occasion: Occasion) -> bool:
    """Whether the person's own words order the update, and the update removes no words: a note, or the status `done`.

    For example, "the garden is done" orders `{"status": "done"}` for the entry "garden".
    """
    if takes_words(entry, updates):
        return False
    other_names = tuple(row.name for row in overlay.rows() if row.path != entry.path)
    match dict(updates):
        case {"status": "done", **other_updates} if not other_updates:
            return occasion.is_ordered(lambda asked: is_tick_grounded(asked, name=entry.name, other_names=other_names))
        case {"note": str(note), **other_updates} if not other_updates:
            return occasion.is_ordered(
                lambda asked: is_addition_grounded(asked, name=entry.name, other_names=other_names, note=note)
            )
        case _:
            return False


def _hint_of_person(occasion: Occasion) -> Hint:
    """Return the hint in the person's only message, such as "[task] buy milk", which the model may have left out; else `Hint()`."""
    hints = [split_hints(message.text)[1] for message in occasion.possible.to_answer]
    hints_with_category = [hint for hint in hints if hint.category]
    return hints_with_category[0] if len(hints) == len(hints_with_category) == 1 else Hint()


def revision_of_entry(arguments: Json, context: TurnContext) -> str:
    """Return the revision of the entry at the arguments' `path`."""
    return overlay_of(context).revision_of(str(arguments["path"]))


def path_of(reference: object, context: TurnContext, *, is_change: bool) -> str:
    """Return the path of an entry named by path or handle.

    A change by a handle needs the entry in the state that the prompt showed. Raises: StagingFault.
    """
    rows = context.question.history.index.rows if is_change and context.question is not None else ()
    return overlay_of(context).path_of(str(reference), shown_marks={row.handle: row.mark for row in rows if row.handle})


def by_path(result: _Result, arguments: Json, path: str) -> _Result:
    """Return the result; a tap that it needs is for the path, because the handle in the arguments may name nothing by then."""
    if path == arguments["path"] or not isinstance(result, NeedsTap):
        return result
    return replace(result, arguments={**arguments, "path": path})


def overlay_of(context: TurnContext) -> EntryOverlay:
    """Return the turn's view of the entries.  Raises: TypeError, if the deployment stores no entries."""
    return context.staged.of(EntryOverlay)


def _object(value: object) -> Json:
    """Return the value of a parameter with the schema type `object`.  Raises: TypeError."""
    if not isinstance(value, Mapping):
        raise TypeError("the schema of the arguments lets something else than an object through")
    return value


_REVISIONS: Final[Mapping[str, Callable[[Json, TurnContext], str]]] = {
    "update_entry": revision_of_entry,
    "delete_entry": revision_of_entry,
}
