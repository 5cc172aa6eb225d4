"""The tool that offers to change what a group has translated between its members, in place of `/translate`.

It changes nothing: below the reply stands the question of `/translate` with its button, and a member's press counts. Offered only in
groups, and only where the deployment translates.
"""

from typing import Final

from shared import logs
from shared.agent.model import Json
from shared.agent.tools import Tool, ToolFault, load_schema
from shared.agent.turn_context import TurnContext
from shared.conversation.member_mark import mark_id
from shared.conversation.records import OfferedTranslation, TermChange
from shared.search.folding import fold
from shared.translation.languages import LEAST_LANGUAGES, MOST_LANGUAGES
from shared.translation.setting import TranslationSetting, term_in
from shared.translation.store import TranslationStore

_ONE_BUTTON: Final = ToolFault(
    message="Not offered: your reply asks something else already. Offer this in your next reply.", may_retry=False
)
_HOW_MANY: Final = ToolFault(
    message=f"Not offered: {LEAST_LANGUAGES} to {MOST_LANGUAGES} different languages are needed. Ask which.",
    may_retry=True,
)
_IS_OFF: Final = ToolFault(message="Not offered: nothing is translated here, so nothing can end.", may_retry=False)
_IS_ON: Final = ToolFault(message="Not offered: exactly this is translated here already.", may_retry=False)
_NOT_WRITTEN: Final = ToolFault(
    message="Not offered: `word` has to stand in the message that you answer, as it is written there.", may_retry=True
)
_NOT_KEPT: Final = ToolFault(message="Not offered: this word is translated already.", may_retry=False)
_TERM_CHANGES: Final = {"keep_word": TermChange.KEEP, "translate_word": TermChange.DROP}


def translation_tools() -> tuple[Tool, ...]:
    """Return the tool."""
    return (
        Tool(
            name="propose_translation",
            description=(
                "Offer to have what this group's members write to each other translated from now on, to end that, or to leave a word as "
                "it is in the translations. Use it when somebody asks for that (「このグループは日本語とタイ語で」, "
                "「みんなの発言を訳して」, 幫大家翻譯成中文和越南文, ช่วยแปลให้ทุกคนเป็นไทยกับญี่ปุ่น, 「Momoは訳さないで」), "
                "not to translate one text, which you do in your reply. It changes nothing itself: this system asks below your reply, with "
                "a button. Reply in one short sentence that the button below does it."
            ),
            parameters=load_schema("propose_translation.parameters"),
            response=load_schema("propose_translation.response"),
            run=_offer,
            in_groups_only=True,
        ),
    )


def _offer(arguments: Json, context: TurnContext) -> Json | ToolFault:
    if context.forgetting.proposed or context.handover.is_made:
        return _ONE_BUTTON
    change = str(arguments["change"])
    setting = TranslationStore(context.conversation).read()
    if change == "begin":
        offered = _beginning(arguments, setting, context)
    elif change == "end":
        offered = OfferedTranslation(by=_asker_mark(context)) if setting.is_on else _IS_OFF
    else:
        offered = _term_change(_TERM_CHANGES[change], str(arguments.get("word") or ""), setting, context)
    if isinstance(offered, ToolFault):
        return offered
    if not context.translation.make(offered):
        return _ONE_BUTTON
    logs.info("translation_offered", change=change)
    return {"isOffered": True}


def _beginning(arguments: Json, setting: TranslationSetting, context: TurnContext) -> OfferedTranslation | ToolFault:
    given = arguments.get("languages")
    languages = tuple(dict.fromkeys(map(str, given))) if isinstance(given, list) else ()
    if not LEAST_LANGUAGES <= len(languages) <= MOST_LANGUAGES:
        return _HOW_MANY
    if setting.is_for_all and frozenset(languages) == frozenset(setting.languages):
        return _IS_ON
    return OfferedTranslation(languages=languages, by=_asker_mark(context))


def _term_change(
    change: TermChange, word: str, setting: TranslationSetting, context: TurnContext
) -> OfferedTranslation | ToolFault:
    """Return the offer to keep a word, or to translate it again: only one that an asker writes, so that it goes with that message."""
    term = term_in(word)
    if not term or not any(fold(term) in fold(text) for text in context.said):
        return _NOT_WRITTEN
    stays = any(one.text.casefold() == term.casefold() for one in setting.terms)
    if change is TermChange.DROP and not stays:
        return _NOT_KEPT
    return OfferedTranslation(by=_asker_mark(context), term=term, term_change=change)


def _asker_mark(context: TurnContext) -> str:
    """Return the mark of the member who asks; empty where several do, so that each of their presses needs another member's."""
    marks = {mark_id(message.user_id) for message in context.to_answer}
    return marks.pop() if len(marks) == 1 else ""
