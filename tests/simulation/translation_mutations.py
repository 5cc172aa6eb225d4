"""Mutations of translation between members."""

from collections.abc import Mapping
from typing import Final

from tests.simulation.mutation import Mutation
from tests.simulation.rules import Always, DropArgument, DropClause, Instead, Never, Return

_TURN: Final = "shared.translation.turn"

OF_TRANSLATION: Final[Mapping[str, Mutation]] = {
    "translates_members": Mutation(
        f"{_TURN}:TranslationTurns.translates",
        Return(value=False),
        lacks="nothing of members is translated",
    ),
    "counts_translations_that_died_once": Mutation(
        "shared.turns.runner:TurnRunner._advance",
        DropArgument("open_turn", "is_unasked"),
        lacks="a question gets an apology without a request, because three workers died of translations",
    ),
    "translates_what_missed_its_token": Mutation(
        f"{_TURN}:_MessageWork._missed_messages",
        Return(value=""),
        lacks="a message whose token died while questions were answered stays untranslated, and nobody is told",
    ),
    "translates_once": Mutation(
        f"{_TURN}:_MessageWork._untranslated",
        DropClause("covered"),
        lacks="a message is translated again with the next one",
    ),
    "translates_for_the_member_who_asked": Mutation(
        "shared.translation.setting:TranslationSetting.covers",
        Return(value=True),
        lacks="messages of members are translated, and questions too, although nobody confirmed that",
    ),
    "takes_back_words_that_stay": Mutation(
        "shared.translation.store:_remove_withdrawn",
        Return(value=None),
        lacks="a word that translations keep stays after the message that named it was withdrawn",
    ),
    "takes_two_for_everybody": Mutation(
        "shared.handlers.translation:TranslationHandler.press",
        Never("mark_id"),
        lacks="one member alone has everybody's messages translated, by two presses on the card of what is on",
    ),
    "ends_by_a_press": Mutation(
        "shared.translation.setting:TranslationSetting.switched_off",
        Always("changed_ms"),
        lacks="a press on the card of what is on says that translation has ended, and it goes on",
    ),
    "removes_translations_once_sent": Mutation(
        "shared.turns.outbox:Outbox._record",
        Instead("without_texts", lambda translations: translations),
        lacks="translations are stored, where a withdrawal of their context would have to look for them",
    ),
    "translates_edits_anew": Mutation(
        f"{_TURN}:TranslationTurns.translate_edit",
        Never("is_on"),
        lacks="the group reads the translation of words that were edited",
    ),
    "leaves_half_of_the_day": Mutation(
        "shared.access.budgets:Budgets.may_translate",
        Return(value=True),
        lacks="translations use up the chat's day, and questions are not answered",
    ),
    "takes_no_place_from_commands": Mutation(
        "shared.turns.waiting_room:_evict",
        DropClause("_oldest_optional"),
        lacks="a command that waits gives its place to translations, and meets silence",
    ),
    "shows_no_notice_on_a_used_token": Mutation(
        "shared.turns.free_token:FreeTokenWork.result_in",
        DropClause("may_be_spent_by_answer"),
        lacks="a notice is sent on the token on which the model interjected",
    ),
}
