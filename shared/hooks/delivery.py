"""Push the pending notices of a hook, those of a minute together, once, whatever ticks and deliveries are lost, doubled or die half-way.

    pending ─▶ claim ─▶ check ─▶ push under the notices' own key ─▶ said
     │                    └── fate unknown: the claim stays; a tick pushes the same notices under the same key
     └── no quota, refused, or a silence: the notices wait for the chat's next message

No worker pushes for a revoked hook, because the claim (`shared/conversation/push_claim.py`) is a swap of the hook.
"""

import uuid
from dataclasses import field, replace
from typing import Final

from shared import logs
from shared.clock import MINUTE_MS, Clock, Deadline
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import Provenance
from shared.conversation.push_claim import claim_ends, push_claimed, swap_claimed
from shared.conversation.pushes import PushAllowance
from shared.conversation.records import OutcomeKind, OutcomeRecord
from shared.conversation.store import Conversation
from shared.errors import TurnBusyError
from shared.frozen import frozen
from shared.hooks.hook import Hook, Notice, NoticesClaim, NoticeState, push_id_of
from shared.hooks.store import NOTICE_PUSH, HookStore
from shared.hooks.wording import NoticeWording
from shared.line.messaging import KEY_VALID_MS, OutgoingMessage, PushApi, PushFate

_KEYS: Final = uuid.UUID("6f0d8c1e-2f35-5d0e-8a41-7f7f7c1c9b61")


@frozen
class NoticeDelivery:
    """Pushes pending notices; a DueTask."""

    line: PushApi
    pushes: PushAllowance
    wording: NoticeWording
    clock: Clock = field(repr=False)

    def __call__(self, conversation: Conversation, hook_id: str) -> None:
        """The hook's pending notices were pushed in a bubble, or wait for the chat's next message, or for the end of the minute.

        Repeated: no further effect. Raises: TurnBusyError, while another worker may be pushing; LineUnavailableError, where the fate of
        the push is unknown; StorageUnavailableError, LineRefusedError. A repeated call is safe after each of these.
        """
        store, now_ms = HookStore(conversation), self.clock.now_ms()
        stored = store.find(hook_id)
        if stored is None:
            return
        hook, generation = stored
        claim, amendments = hook.claim, conversation.amendments.look()
        if hook.is_from_withdrawn(amendments):
            store.delete_if(store.name_of(hook_id), lambda stored: stored.is_from_withdrawn(amendments))
            return
        pending = hook.in_state(NoticeState.PENDING, now_ms=now_ms, amendments=amendments)
        if claim is None and not pending:
            return
        if claim is not None and claim.until_ms > now_ms:
            raise TurnBusyError("another worker may be pushing the notices")
        if claim is None and now_ms < hook.pushed_ms + MINUTE_MS:
            store.mark(NOTICE_PUSH, hook_id, at_ms=hook.pushed_ms + MINUTE_MS)
            return
        self._deliver(store, hook, generation, self._chosen(hook, pending, now_ms))

    def _chosen(self, hook: Hook, pending: tuple[Notice, ...], now_ms: int) -> tuple[Notice, ...]:
        """Return the notices of the push: those of an earlier try, or the oldest that fit into a bubble."""
        if hook.claim is not None:
            return tuple(one for one in hook.notices if one.id in hook.claim.notice_ids)
        bubble = self.wording.bubble(((hook, notice) for notice in pending), now_ms=now_ms)
        names = () if bubble is None else bubble.names
        return tuple(notice for notice in pending if any(name.endswith(f"/{notice.id}") for name in names))

    def _deliver(
        self,
        store: HookStore,
        hook: Hook,
        generation: int,
        notices: tuple[Notice, ...],
    ) -> None:
        conversation, now_ms, before = store.conversation, self.clock.now_ms(), hook.claim
        if before is not None and now_ms - before.first_ms > KEY_VALID_MS:
            self._settle(store, hook, before.notice_ids, NoticeState.SAID)  # some may have seen them
            logs.warning("notices_given_up", reason="fate_unknown")
            return
        notice_ids = before.notice_ids if before is not None else tuple(one.id for one in notices)
        if before is None and (reason := self._reason_to_wait(conversation, push_id_of(notice_ids))) is not None:
            self._wait(store, hook, notice_ids, reason)
            return
        claimed, written, deadline = self._claim(store, hook, generation, notice_ids)
        push_id = claimed.claim.id if claimed.claim is not None else ""
        refusal = self.pushes.take(conversation, push_id, is_reminder=False)
        if refusal is not None:
            self._wait(store, claimed, notice_ids, refusal)
            return
        amendments = self._check_claim(store, claimed, written)
        shown = [(claimed, one) for one in notices if one.at_ms > amendments.erased_ms]
        bubble = self.wording.bubble(shown, now_ms=before.first_ms if before is not None else now_ms)
        if bubble is None:  # erased since
            self._settle(store, claimed, notice_ids, NoticeState.SAID)
            return
        fate = self._push(conversation, push_id, bubble.text, deadline)
        match fate.kind:
            case "accepted" | "already_accepted":
                self._record(conversation, push_id, fate)
                self._settle(store, claimed, notice_ids, NoticeState.SAID)
                logs.info("notices_pushed", count=len(notice_ids), was_pushed=fate.kind != "accepted")
            case _:
                self._wait(store, claimed, notice_ids, fate.kind)

    def _reason_to_wait(self, conversation: Conversation, push_id: str) -> str | None:
        """Return a reason against a push, for example `share_spent` or `pause`; None: push."""
        silence = conversation.silences.read().now(self.clock.now_ms())
        if silence is not None:
            return silence.kind.value
        return self.pushes.refusal(conversation, push_id, is_reminder=False)

    def _claim(
        self, store: HookStore, hook: Hook, generation: int, notice_ids: tuple[str, ...]
    ) -> tuple[Hook, int, Deadline]:
        """Claim the push.  Raises: TurnBusyError, if the hook has changed since it was read."""
        now_ms, (until_ms, deadline) = self.clock.now_ms(), claim_ends(store.conversation)
        claim = NoticesClaim(
            id=hook.claim.id if hook.claim is not None else push_id_of(notice_ids),
            worker=store.conversation.turn.new_id(),
            notice_ids=notice_ids,
            first_ms=hook.claim.first_ms if hook.claim is not None else now_ms,
            until_ms=until_ms,
        )
        claimed, written = swap_claimed(store, replace(hook, claim=claim, pushed_ms=now_ms), generation)
        return claimed, written, deadline

    def _check_claim(self, store: HookStore, claimed: Hook, generation: int) -> Amendments:
        """Check right before the push that the hook stands; return the amendments.

        Raises: TurnBusyError, if the hook was revoked, withdrawn or claimed by another worker since.
        """
        conversation = store.conversation
        pending_read = conversation.objects.reads.submit(store.find, claimed.id)
        amendments = conversation.amendments.fresh_look()
        stored = pending_read.result()
        is_held = stored is not None and (
            stored[1] == generation or stored[0].claim == claimed.claim
        )  # one more notice
        if not is_held:
            raise TurnBusyError("the hook was changed under the claim")
        if claimed.is_from_withdrawn(amendments):
            raise TurnBusyError("the hook was withdrawn")
        return amendments

    def _push(self, conversation: Conversation, push_id: str, text: str, deadline: Deadline) -> PushFate:
        return push_claimed(
            self.line,
            self.pushes,
            conversation.id,
            [OutgoingMessage(text=text)],
            retry_key=str(uuid.uuid5(_KEYS, f"{conversation.id}/{push_id}")),
            deadline=deadline,
        )

    def _record(self, conversation: Conversation, push_id: str, fate: PushFate) -> None:
        """Record the bubble without words, so that a quote of the bubble addresses the bot."""
        at_ms = self.clock.now_ms()
        conversation.journal.record_outcome(
            OutcomeRecord(
                webhook_event_id=push_id,
                timestamp_ms=at_ms,
                kind=OutcomeKind.REPLIED,
                provenance=Provenance(since_ms=at_ms, until_ms=at_ms),
                sent_message_ids=fate.sent_message_ids,
            )
        )

    def _wait(self, store: HookStore, hook: Hook, notice_ids: tuple[str, ...], reason: str) -> None:
        """The notices wait for the chat's next message."""
        self._settle(store, hook, notice_ids, NoticeState.WAITING)
        logs.info("notices_wait", reason=reason)

    def _settle(self, store: HookStore, hook: Hook, notice_ids: tuple[str, ...], state: NoticeState) -> None:
        """Record the state, end this worker's claim, and have a tick push what came meanwhile."""
        worker = hook.claim.worker if hook.claim is not None else None

        def settled(stored: Hook) -> Hook | None:
            if (stored.claim.worker if stored.claim is not None else None) != worker:
                return None
            return replace(stored.with_states(frozenset(notice_ids), state), claim=None)

        after = store.update(hook.id, settled)
        now_ms = self.clock.now_ms()
        if after is not None and after.in_state(NoticeState.PENDING, now_ms=now_ms):
            store.mark(NOTICE_PUSH, hook.id, at_ms=after.pushed_ms + MINUTE_MS)
