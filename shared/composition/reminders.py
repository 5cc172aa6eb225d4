"""The assembly of reminders: how turns stage, ticks deliver, and answers carry a reminder that could not be pushed."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from shared.access.admission import Admissions
from shared.composition.ports import Options, Ports
from shared.conversation.pushes import PushAllowance
from shared.conversation.switch import no_switches
from shared.features.chat_feature import ChatFeature
from shared.features.reminders import REMINDERS
from shared.frozen import frozen
from shared.handlers.admission import AdmissionHandler
from shared.handlers.tick import DueTask
from shared.line.phrases import Phrases
from shared.reminders.calendar import CalendarLinks
from shared.reminders.delivery import ReminderDelivery, Reminding, Summaries
from shared.reminders.postponed import PostponedReminders
from shared.reminders.private_chat import PrivateChats
from shared.reminders.prompt_block import ReminderBlock
from shared.reminders.staging import ReminderOverlay
from shared.reminders.store import REMINDER
from shared.reminders.switches import summary_switches
from shared.reminders.wording import ReminderWording
from shared.tools.guides.reminders import REMINDERS_GUIDE
from shared.tools.reminders import ReminderTools
from shared.turns.additions import Additions, AllAdditions


@frozen
class Reminders:
    """A deployment's parts for reminders; a `feature` without overlay: no reminder can be made."""

    feature: ChatFeature
    additions: Additions
    delivery: ReminderDelivery

    @classmethod
    def of(
        cls, ports: Ports, options: Options, phrases: Phrases, pushes: PushAllowance, admissions: Admissions
    ) -> "Reminders":
        """Return the reminders of a deployment."""
        is_off = options.reminding is Reminding.OFF
        wording = ReminderWording(locale=options.locale, phrases=phrases, is_rich=options.is_rich)
        private_chats = PrivateChats(
            conversations=ports.conversations,
            profiles=ports.profiles,
            access=options.access,
            admissions=admissions,
            clock=ports.clock,
        )
        delivery = ReminderDelivery(
            line=ports.line,
            pushes=pushes,
            wording=wording,
            reminding=options.reminding,
            private_chats=private_chats,
            clock=ports.clock,
        )
        tools = ReminderTools(
            costs=pushes if options.reminding is Reminding.PUSH else None, private_chats=private_chats
        ).tools()
        return cls(
            feature=ChatFeature(
                name="reminders",
                tools=() if is_off else tools,
                guide=REMINDERS_GUIDE,
                overlay=None if is_off else partial(ReminderOverlay, zone=options.time_zone.key),
                stored=REMINDERS,
                block=ReminderBlock(),
                card=CalendarLinks(phrases=phrases, locale=options.locale),
                switches=no_switches if is_off else summary_switches,
            ),
            additions=AllAdditions() if is_off else PostponedReminders(wording=wording, clock=ports.clock),
            delivery=delivery,
        )

    def tasks(self, admission: AdmissionHandler, summaries: Summaries) -> Mapping[str, DueTask]:
        """Return a tick's work for a reminder.  In a revoked chat nothing is sent, and a recurring reminder moves to its next time."""
        delivery = replace(self.delivery, summaries=summaries)
        return {REMINDER: admission.guarded(delivery, instead=replace(delivery, reminding=Reminding.OFF))}
