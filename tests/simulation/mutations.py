"""Every mutation of the product, by the name of the guard that it takes away."""

from collections.abc import Mapping
from typing import Final

from tests.simulation.access_mutations import OF_ACCESS
from tests.simulation.calendar_mutations import OF_CALENDARS
from tests.simulation.chat_mutations import OF_CHATS
from tests.simulation.expense_mutations import OF_EXPENSES
from tests.simulation.free_token_mutations import OF_FREE_TOKENS
from tests.simulation.handler_mutations import OF_HANDLERS
from tests.simulation.hook_mutations import OF_HOOKS
from tests.simulation.link_mutations import OF_LINKS
from tests.simulation.list_mutations import OF_LISTS
from tests.simulation.mutation import Mutation
from tests.simulation.poll_mutations import OF_POLLS
from tests.simulation.redaction_mutations import OF_REDACTION
from tests.simulation.refusal_mutations import OF_REFUSALS
from tests.simulation.silence_mutations import OF_SILENCES
from tests.simulation.summary_mutations import OF_SUMMARIES
from tests.simulation.translation_mutations import OF_TRANSLATION
from tests.simulation.turn_mutations import OF_TURNS

MUTATIONS: Final[Mapping[str, Mutation]] = {
    **OF_TURNS,
    **OF_CHATS,
    **OF_REDACTION,
    **OF_HANDLERS,
    **OF_ACCESS,
    **OF_REFUSALS,
    **OF_SILENCES,
    **OF_EXPENSES,
    **OF_LISTS,
    **OF_LINKS,
    **OF_POLLS,
    **OF_SUMMARIES,
    **OF_HOOKS,
    **OF_CALENDARS,
    **OF_TRANSLATION,
    **OF_FREE_TOKENS,
}
