"""The assembly of calendars, imported only with CALENDAR=on: what carries out `/calendar`, and what writes feeds."""

from collections.abc import Mapping
from dataclasses import replace

from shared.calendars.new_address import NextMessageAddress
from shared.calendars.rebuild import FeedBuilder
from shared.calendars.store import CALENDAR_DUE
from shared.composition.ports import CalendarPort, Ports
from shared.frozen import frozen
from shared.handlers.admission import AdmissionHandler
from shared.handlers.calendar import CalendarHandler
from shared.handlers.tick import DueTask
from shared.line.phrases import Phrases
from shared.turns.announcement import Announcer


@frozen
class Calendars:
    """A deployment's parts for calendars."""

    commands: CalendarHandler
    builder: FeedBuilder
    next_message: NextMessageAddress

    @classmethod
    def of(
        cls, port: CalendarPort, ports: Ports, phrases: Phrases, announcer: Announcer, admission: AdmissionHandler
    ) -> "Calendars":
        """Return the calendars of a deployment."""
        return cls(
            commands=CalendarHandler(
                conversations=ports.conversations,
                announcer=announcer,
                address=port.address,
                feeds_url=port.feeds_url,
                phrases=phrases,
                is_admitted=admission.is_admitted,
            ),
            builder=FeedBuilder(phrases=phrases, clock=ports.clock),
            next_message=NextMessageAddress(runner=announcer.runner, outbox=announcer.outbox, clock=ports.clock),
        )

    def tasks(self, admission: AdmissionHandler) -> Mapping[str, DueTask]:
        """Return a tick's work for calendars.  In a revoked chat the feed is emptied."""
        return {CALENDAR_DUE: admission.guarded(self.builder, instead=replace(self.builder, is_empty=True))}
