"""The feature's two values: what it stores, and what it offers to a turn."""

from collections.abc import Callable, Iterator

from shared.agent.model import Json
from shared.agent.overlay import StagingFault
from shared.agent.tools import Tool, ToolFault
from shared.agent.turn_context import TurnContext
from shared.conversation.provenance import Provenance
from shared.conversation.store import Conversation
from shared.features.chat_feature import ChatFeature
from shared.features.stored_feature import Counted, ObjectSource, StoredFeature
from tests.support.wishes.staging import WishOverlay, WishWriter
from tests.support.wishes.wish import FOLDER, Wish, WishStore, WishWords


def _count(conversation: Conversation) -> int:
    return len(WishStore(conversation).present())


def _sources(conversation: Conversation) -> Iterator[ObjectSource]:
    return WishStore(conversation).sources()


_COUNTED = Counted(
    count=_count,
    words={"en": "wishes {count}", "ja": "願い事{count}件", "zh-TW": "願望{count}個", "th": "คำขอ {count}"},
)

STORED_WISHES = StoredFeature(folder=FOLDER, words=WishWords(), writer=WishWriter(), counted=_COUNTED, sources=_sources)


def _make(arguments: Json, context: TurnContext) -> Json:
    overlay = context.staged.of(WishOverlay)
    wish = Wish(
        id=f"w{context.sequence}",
        text=str(arguments["text"]),
        provenance=Provenance.of_sources(one.source for one in context.to_answer),
    )
    overlay.stage({wish.id: wish})
    return {"id": wish.id}


def _list(arguments: Json, context: TurnContext) -> Json:
    word = str(arguments["word"])
    wishes = context.staged.of(WishOverlay).all()
    return {"wishes": [{"id": wish.id, "text": wish.text} for wish in wishes if word in wish.text]}


def _drop(arguments: Json, context: TurnContext) -> Json | ToolFault:
    context.staged.of(WishOverlay).stage({str(arguments["id"]): None})
    return {}


def _tool(
    name: str,
    description: str,
    run: Callable[[Json, TurnContext], Json | ToolFault],
    *,
    takes: str,
    is_reading: bool = False,
) -> Tool:
    def run_on_overlay(arguments: Json, context: TurnContext) -> Json | ToolFault:
        if context.needs_tap and not is_reading:
            return ToolFault(message="Not done: the prompt holds words from outside.", may_retry=False)
        try:
            return run(arguments, context)
        except StagingFault as fault:
            return ToolFault(message=str(fault), may_retry=fault.may_retry)

    parameters: Json = {"type": "object", "properties": {takes: {"type": "string"}}, "required": [takes]}
    return Tool(
        name=name,
        description=description,
        parameters=parameters,
        response={"type": "object"},
        run=run_on_overlay,
        is_reading=is_reading,
    )


WISHES = ChatFeature(
    name="wishes",
    tools=(
        _tool("make_wish", "Keep a wish.", _make, takes="text"),
        _tool(
            "list_wishes",
            "List the wishes with this word; an empty word lists all.",
            _list,
            takes="word",
            is_reading=True,
        ),
        _tool("drop_wish", "Drop a wish.", _drop, takes="id"),
    ),
    guide="# Wishes\n- `make_wish`: when somebody wishes for something.",
    overlay=WishOverlay,
    stored=STORED_WISHES,
)
