"""All actions of the control API by name."""

from collections.abc import Mapping
from typing import Final

from . import message_actions, people_actions, platform_actions
from .actions import Action, actions_of

ACTIONS: Final[Mapping[str, Action]] = {
    action.name: action
    for module in (message_actions, people_actions, platform_actions)
    for action in actions_of(module)
}
