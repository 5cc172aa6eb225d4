"""A feature as one value: everything by which the rest of the product knows it.  `docs/features.md` shows how to add one."""

from dataclasses import field

from shared.agent.staged import BeginOverlay
from shared.agent.tools import Tool
from shared.conversation.history_reader import ThingBlock
from shared.conversation.switch import SwitchesOf, no_switches
from shared.features.stored_feature import StoredFeature
from shared.frozen import frozen
from shared.turns.outbox import Attachments


@frozen
class ChatFeature:
    """What a deployment offers of a feature; without its port or setting, a feature offers no tools.

    `tools` are offered to the model, and `guide` says when to use them. `overlay` begins a turn's view of the feature's things; None: turns
    stage nothing. `stored`: the feature's objects; None: it stores nothing of its own. `card`: what follows the text of an answer with the
    feature's changes, such as a link to the phone's calendar. `acts_outside`: the tools write to another service, which no undo reaches.
    `block`: what every prompt shows of the feature's things, by handles; None: nothing. `switches`: what of the feature is on in a chat, as
    rows of the card of `/settings`, with the buttons that set it.
    """

    name: str
    tools: tuple[Tool, ...] = field(default=(), repr=False)
    guide: str = field(default="", repr=False)
    overlay: BeginOverlay | None = field(default=None, repr=False)
    stored: StoredFeature | None = field(default=None, repr=False)
    card: Attachments | None = field(default=None, repr=False)
    acts_outside: bool = False
    block: ThingBlock | None = field(default=None, repr=False)
    switches: SwitchesOf = field(default=no_switches, repr=False)
