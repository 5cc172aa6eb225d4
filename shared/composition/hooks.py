"""The assembly of hooks, imported only with HOOKS=on: taking, pushing and showing notices, and `/hook`."""

from collections.abc import Mapping

from shared.composition.ports import HookPort, Ports
from shared.conversation.history_reader import HistoryReader
from shared.conversation.pushes import PushAllowance
from shared.frozen import frozen
from shared.handlers.admission import AdmissionHandler
from shared.handlers.hooks import HooksHandler
from shared.handlers.tick import DueTask
from shared.hooks.arrival import NoticeHandler
from shared.hooks.delivery import NoticeDelivery
from shared.hooks.showing import AnswerNotices, NextMessageNotices
from shared.hooks.store import NOTICE_PUSH
from shared.hooks.wording import NoticeWording
from shared.line.phrases import Phrases
from shared.turns.announcement import Announcer


@frozen
class Hooks:
    """A deployment's parts for hooks."""

    notices: NoticeHandler
    commands: HooksHandler
    additions: AnswerNotices
    next_message: NextMessageNotices
    delivery: NoticeDelivery

    @classmethod
    def of(  # noqa: PLR0913 - what the assembly has built
        cls,
        port: HookPort,
        ports: Ports,
        phrases: Phrases,
        pushes: PushAllowance,
        *,
        announcer: Announcer,
        reader: HistoryReader,
        admission: AdmissionHandler,
    ) -> "Hooks":
        """Return the hooks of a deployment."""
        wording = NoticeWording(phrases=phrases)
        delivery = NoticeDelivery(line=ports.line, pushes=pushes, wording=wording, clock=ports.clock)
        return cls(
            notices=NoticeHandler(
                conversations=ports.conversations,
                delivery=delivery,
                phrases=phrases,
                is_admitted=admission.is_admitted,
                clock=ports.clock,
            ),
            commands=HooksHandler(
                conversations=ports.conversations,
                announcer=announcer,
                reader=reader,
                pushes=pushes,
                address=port.address,
                phrases=phrases,
                key=port.key,
            ),
            additions=AnswerNotices(wording=wording, clock=ports.clock),
            next_message=NextMessageNotices(
                runner=announcer.runner, outbox=announcer.outbox, wording=wording, clock=ports.clock
            ),
            delivery=delivery,
        )

    def tasks(self, admission: AdmissionHandler) -> Mapping[str, DueTask]:
        """Return a tick's work for pushes.  In a revoked chat nothing is pushed."""
        return {NOTICE_PUSH: admission.guarded(self.delivery)}
