"""The chat's hooks as rows of what is on."""

from collections.abc import Mapping, Sequence
from typing import Final

from shared.conversation.amendments import Amendments
from shared.conversation.store import Conversation
from shared.conversation.switch import Switch, switch_button
from shared.hooks.hook import Hook, HookMode
from shared.hooks.store import HookStore
from shared.line.cards.card import CardRow
from shared.line.phrases import Phrase, Phrases
from shared.line.postback_data import HookChoice, HookPress

_MODES: Final[Mapping[HookMode, Phrase]] = {
    HookMode.NOW: Phrase.HOOK_MODE_NOW,
    HookMode.NEXT: Phrase.HOOK_MODE_NEXT,
    HookMode.QUIET: Phrase.HOOK_MODE_QUIET,
}


def hook_switches(conversation: Conversation) -> Sequence[Switch]:
    """Return a row for each hook, with the button that revokes the hook, as in the list of `/hook`.

    A reset spares hooks, so a hook's name does not count as older than the reset.
    """
    amendments = conversation.amendments.look()
    hooks = (hook for hook in HookStore(conversation).read_all() if not hook.is_from_withdrawn(amendments))
    return [_switch(hook, amendments) for hook in hooks]


def _switch(hook: Hook, amendments: Amendments) -> Switch:
    provenance = hook.provenance.spared_by(amendments)
    return Switch(row=lambda phrases, locale: _row(hook, phrases, locale), provenance=provenance)


def _row(hook: Hook, phrases: Phrases, locale: str) -> CardRow:
    name = phrases.text(Phrase.SWITCH_HOOK, locale=locale, name=hook.name)
    press = HookPress(choice=HookChoice.REVOKE, hook_id=hook.id, mark=hook.mark)
    return CardRow(
        text=name,
        detail=phrases.text(_MODES[hook.mode], locale=locale),
        buttons=(switch_button(Phrase.HOOK_REVOKE_BUTTON, press, name=name, phrases=phrases, locale=locale),),
    )
