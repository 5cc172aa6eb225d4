"""Upkeep: the work for a chat after the answer: settle the spending, and keep the stored records small."""

from shared import logs
from shared.agent.culprits import Culprits
from shared.clock import Deadline
from shared.conversation.captions import CaptionWriter, uncaptioned
from shared.conversation.compaction import FOLD_S, Compaction
from shared.conversation.records import MessageRecord
from shared.conversation.store import Conversation
from shared.conversation.turn import StoredTurn
from shared.errors import AizuchiError
from shared.frozen import frozen
from shared.metering import Meter, metered
from shared.turns.runner import Run


@frozen
class Upkeep:
    """Does a chat's upkeep in the rest of a request's time.  Errors and lack of time leave the work to a later request."""

    culprits: Culprits
    compaction: Compaction
    captions: CaptionWriter

    def after_turn(self, conversation: Conversation, run: Run, deadline: Deadline) -> None:
        """A delivery has run through its chat's turn: the model may be asked for recaps and captions."""
        self.culprits.settle(conversation, deadline)
        if self.compaction.is_due(journalled=run.journalled, shown=run.shown):
            self._compact(conversation, deadline, may_ask_model=True)
        self._fold_amendments(conversation, deadline)
        self._settle(conversation, run.stored_turn)

    def after_interjection(self, conversation: Conversation, deadline: Deadline) -> None:
        """The model was asked whether to answer a message that addresses nobody."""
        self.culprits.settle(conversation, deadline)
        self._settle(conversation)

    def after_context(self, conversation: Conversation, message: MessageRecord, deadline: Deadline) -> None:
        """A message was recorded and not answered.  One in 16 begins a compaction, for example."""
        self.compact_if_triggered(conversation, message, deadline)
        self._fold_amendments(conversation, deadline)

    def compact_if_triggered(self, conversation: Conversation, message: MessageRecord, deadline: Deadline) -> None:
        """Compact the chat without the model, if the message's id says so."""
        if self.compaction.is_triggered_by(message.line_message_id):
            self._compact(conversation, deadline, may_ask_model=False)

    def _settle(self, conversation: Conversation, stored_turn: StoredTurn | None = None) -> None:
        """Charge the chat with the spending after its turn; if this fails, the next write of the turn does."""
        try:
            conversation.turn.settle(stored_turn)
        except AizuchiError as cause:
            logs.warning("spending_not_settled", error_type=type(cause).__name__)

    def _compact(self, conversation: Conversation, deadline: Deadline, *, may_ask_model: bool) -> None:
        """Compact the chat.  The answer is recorded already, so errors and lack of time leave the work to the next compaction."""
        if deadline.left_s < FOLD_S:
            return
        try:
            with metered(Meter(conversation.id)):
                folded = self.compaction.fold(conversation, deadline if may_ask_model else None)
                if folded is not None and may_ask_model and uncaptioned(folded):
                    self.captions.write(conversation, deadline)
        except AizuchiError as cause:
            logs.warning("compaction_failed", error_type=type(cause).__name__)

    def _fold_amendments(self, conversation: Conversation, deadline: Deadline) -> None:
        """Fold the older amendments, if the instance had to read the events singly; after an error, the next such instance does."""
        if deadline.left_s < FOLD_S:
            return
        try:
            conversation.amendments.fold_if_due()
        except AizuchiError as cause:
            logs.warning("amendments_not_folded", error_type=type(cause).__name__)
