"""The buttons of features: each class of presses with the handler that carries a member's press out."""

from typing import TYPE_CHECKING

from shared.agent.people import People
from shared.composition.ports import Options, Ports
from shared.conversation.pushes import PushAllowance
from shared.handlers.command import CommandHandler
from shared.handlers.list_press import ListPressHandler
from shared.handlers.listed_reminder_press import ListedReminderPressHandler
from shared.handlers.message import MessageHandler
from shared.handlers.postback import FeaturePresses, PostbackHandler, PressHandler
from shared.handlers.reminder_press import ReminderPressHandler
from shared.handlers.settle_press import SettlePressHandler
from shared.handlers.tick_press import TickPressHandler
from shared.handlers.translation import TranslationHandler
from shared.handlers.vote_press import VotePressHandler
from shared.line.postback_data import (
    CalendarPress,
    HookPress,
    ListedReminderPress,
    ListPress,
    Press,
    SettlePress,
    TickPress,
    TranslationPress,
    VotePress,
)
from shared.turns.announcement import Announcer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shared.composition.calendars import Calendars
    from shared.composition.hooks import Hooks


def press_handler(  # noqa: PLR0913 - what the assembly has built
    ports: Ports,
    options: Options,
    message: MessageHandler,
    command: CommandHandler,
    *,
    pushes: PushAllowance,
    hooks: "Hooks | None",
    calendars: "Calendars | None",
    translation: TranslationHandler,
) -> PostbackHandler:
    """Return the handler of a deployment's buttons."""
    conversations, announcer, phrases = ports.conversations, command.announcer, command.phrases
    return PostbackHandler(
        conversations=conversations,
        message=message,
        erasure=command.erasure,
        language=command.language,
        announcer=announcer,
        profiles=ports.profiles,
        phrases=phrases,
        command=command,
        of_features=_feature_presses(
            ports,
            options,
            announcer,
            people=message.people,
            pushes=pushes,
            hooks=hooks,
            calendars=calendars,
            translation=translation,
        ),
        reminder=ReminderPressHandler(conversations=conversations, announcer=announcer, phrases=phrases),
        silence=command.silence,
    )


def _feature_presses(  # noqa: PLR0913 - what the assembly has built
    ports: Ports,
    options: Options,
    announcer: Announcer,
    *,
    people: People,
    pushes: PushAllowance,
    hooks: "Hooks | None",
    calendars: "Calendars | None",
    translation: TranslationHandler,
) -> FeaturePresses:
    """Return the handlers of a deployment, for example of `TickPress`; without HOOKS=on, none of `HookPress`.

    Without CALENDAR=on, none of `CalendarPress` either.
    """
    conversations, phrases = ports.conversations, announcer.outbox.phrases
    of_hooks: Mapping[type[Press], PressHandler] = {} if hooks is None else {HookPress: hooks.commands.press}
    of_calendars: Mapping[type[Press], PressHandler] = (
        {} if calendars is None else {CalendarPress: calendars.commands.press}
    )
    votes = VotePressHandler(
        conversations=conversations,
        announcer=announcer,
        people=people,
        size_of=pushes.cost_of,
        phrases=phrases,
        locale=options.locale,
        clock=ports.clock,
    )
    of_members: Mapping[type[Press], PressHandler] = {
        ListedReminderPress: ListedReminderPressHandler(
            conversations=conversations, announcer=announcer, phrases=phrases, locale=options.locale
        ),
        TickPress: TickPressHandler(
            conversations=conversations, announcer=announcer, phrases=phrases, time_zone=options.time_zone
        ),
        ListPress: ListPressHandler(conversations=conversations, announcer=announcer, phrases=phrases),
        SettlePress: SettlePressHandler(
            conversations=conversations, announcer=announcer, phrases=phrases, time_zone=options.time_zone
        ),
        VotePress: votes,
        TranslationPress: translation.press,
        **of_hooks,
        **of_calendars,
    }
    return FeaturePresses(of_members=of_members, of_unnamed={VotePress: votes.tell_unnamed})
