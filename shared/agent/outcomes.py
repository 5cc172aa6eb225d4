"""A turn's additions to its outcome: the provenance of everything read, the staged writes, and the proposals."""

import zoneinfo
from dataclasses import replace
from typing import Final

from shared.agent.forgetting import proposal_text, without_secrets
from shared.agent.proposals import described
from shared.agent.receipts import receipt_card
from shared.agent.reply_words import deeds_without_strange_links
from shared.agent.turn_context import TurnContext
from shared.conversation.records import OutcomeRecord
from shared.conversation.silences import SilenceChange
from shared.line.bubbles import length_of, longest_answer
from shared.line.cards.card import card_text
from shared.line.ids import mask_ids
from shared.line.messaging import MESSAGES_A_CALL
from shared.search.folding import fold

GAP: Final = "\n\n"


def having_read(outcome: OutcomeRecord, context: TurnContext) -> OutcomeRecord:
    """Return the outcome with the provenance of everything that the model has read, in the prompt or in results of tools."""
    return replace(outcome, provenance=outcome.provenance | context.provenance)


def marked_outside(outcome: OutcomeRecord, context: TurnContext) -> OutcomeRecord:
    """Return the final outcome, marked with the sources outside the chat whose words it repeats.

    For example, an answer about a page is marked `{"web"}`, and a "you are welcome" after the answer is not.
    """
    texts = filter(None, (outcome.text, *outcome.audit.filed_paths))
    return replace(outcome, provenance=replace(outcome.provenance, outside=context.outside_in(texts)))


def with_staged(outcome: OutcomeRecord, context: TurnContext) -> OutcomeRecord:
    """Return the outcome with the staged writes of every feature."""
    staged = context.staged
    return replace(
        outcome,
        writes=staged.changes(acted_outside=context.outside.has_acted),
        audit=replace(outcome.audit, filed_paths=staged.filed_paths, filed_confidence=staged.filed_confidence),
    )


def room_above_lists(context: TurnContext, *, locale: str, time_zone: zoneinfo.ZoneInfo) -> int:
    """Return the maximum length of an answer, so that all proposals are shown below; each list has its own question."""
    lists = (_proposals(context, locale=locale), _forgetting(context, time_zone))
    waiting = [f"{GAP}{one}" for one in lists if one]
    questions = len(waiting) + (context.handover.is_made or context.translation.offered is not None)
    return max(1, longest_answer(at_most=MESSAGES_A_CALL - questions) - sum(map(length_of, waiting)))


def with_proposals(outcome: OutcomeRecord, context: TurnContext, *, locale: str) -> OutcomeRecord:
    """Return the outcome with the changes that wait for a tap, described in the text; an outcome without text proposes nothing.

    A proposal is bound to the state after the turn's writes, so the writes are staged before (`with_staged`).
    """
    proposed = context.proposals.revised
    if not proposed or outcome.text is None:
        return outcome
    return replace(
        outcome,
        text=f"{outcome.text}{GAP}{_proposals(context, locale=locale)}",
        offer=replace(outcome.offer, proposes=proposed),
    )


def with_card(outcome: OutcomeRecord, context: TurnContext, *, locale: str) -> OutcomeRecord:
    """Return the outcome with a card: an attached text, the receipt of several changes, or, where nothing changed, what a tool found."""
    deeds = deeds_without_strange_links(context)
    card = context.attachments.drawn(locale)
    if card is None:
        card = receipt_card(deeds, locale=locale) if deeds else context.attachments.card(outcome.text or "", locale)
    return replace(outcome, offer=replace(outcome.offer, card=card_text(card)))


def with_forgetting(outcome: OutcomeRecord, context: TurnContext, time_zone: zoneinfo.ZoneInfo) -> OutcomeRecord:
    """Return the outcome with the list of messages to withdraw, and without their codes; an outcome without text proposes nothing."""
    proposed = context.forgetting.proposed
    if not proposed or outcome.text is None:
        return outcome
    return replace(
        outcome,
        text=f"{without_secrets(outcome.text, proposed)}{GAP}{_forgetting(context, time_zone)}",
        offer=replace(
            outcome.offer,
            asked_by=context.to_answer[-1].line_message_id,
            forgets=tuple(one.line_message_id for one in proposed),
            forgets_for=proposed[0].user_id,
        ),
    )


def with_handover(outcome: OutcomeRecord, context: TurnContext) -> OutcomeRecord:
    """Return the outcome with the offer to call a person; an outcome without text, or with another question, offers none."""
    if not context.handover.is_made or outcome.text is None or outcome.offer.forgets:
        return outcome
    asked_by = context.to_answer[-1].line_message_id
    return replace(outcome, offer=replace(outcome.offer, silence=SilenceChange.HANDOVER, asked_by=asked_by))


def with_translation(outcome: OutcomeRecord, context: TurnContext) -> OutcomeRecord:
    """Return the outcome with the offer to change what is translated; one without text, or with another question, offers none.

    A word is offered for the newest message that holds it, and goes with that message.
    """
    offered = context.translation.offered
    if offered is None or outcome.text is None or outcome.offer.forgets or outcome.offer.silence is not None:
        return outcome
    naming = [one for one in context.to_answer if fold(offered.term) in fold(one.text)] or context.to_answer
    return replace(outcome, offer=replace(outcome.offer, translation=offered, asked_by=naming[-1].line_message_id))


def _proposals(context: TurnContext, *, locale: str) -> str:
    return mask_ids(described(context.proposals.proposed, locale=locale))


def _forgetting(context: TurnContext, time_zone: zoneinfo.ZoneInfo) -> str:
    return mask_ids(proposal_text(context.forgetting.proposed, time_zone))
