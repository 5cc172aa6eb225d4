import pytest

from shared.adapters.memory import FixedClock, MemoryLineApi
from shared.conversation.store import Conversation, Conversations
from shared.conversation.withdrawal import Withdrawal
from shared.line.messaging import ReplyToken
from shared.turns.announcement import Announcement, Announcer
from shared.turns.lease import open_turn
from tests.support.turns import outbox_on, runner_on

HELLO = Announcement(webhook_event_id="e1", timestamp_ms=5, text="hello")


class AnnouncedChat:
    """One group, and deliveries of the event that HELLO answers."""

    def __init__(self, conversations: Conversations, clock: FixedClock) -> None:
        self.conversation: Conversation = conversations.of("C" + "1" * 32)
        self.line, self.clock = MemoryLineApi(), clock
        outbox = outbox_on(self.line, clock)
        self._announcer = Announcer(runner=runner_on(outbox), outbox=outbox)

    def deliver(self) -> str:
        token = ReplyToken(value="t1", received_ms=self.clock.now_ms())
        return self._announcer.announce(self.conversation, HELLO, token)


@pytest.fixture
def group(conversations: Conversations, clock: FixedClock) -> AnnouncedChat:
    return AnnouncedChat(conversations, clock)


def test_announcement_of_a_redelivered_event_is_sent_once(group: AnnouncedChat) -> None:
    assert [group.deliver(), group.deliver()] == ["replied", "already_answered"]
    assert group.line.replies == {"t1": ("hello",)}


def test_next_delivery_finishes_the_announcement_of_a_dead_holder(group: AnnouncedChat) -> None:
    group.deliver()
    # as if the holder had died before the record
    group.conversation.objects.store.delete(group.conversation.names.outcome("e1"))
    group.clock.move(26)

    assert group.deliver() == "replied"
    assert len(group.line.replied) == 1


def test_event_from_before_an_erasure_gets_no_announcement(group: AnnouncedChat, withdrawal: Withdrawal) -> None:
    withdrawal.erase(group.conversation, until_ms=5)

    assert group.deliver() == "erased"
    assert group.line.calls == 0


def test_announcement_waits_for_the_holder_of_the_turn(group: AnnouncedChat) -> None:
    lease = open_turn(group.conversation, group.conversation.turn.read())
    assert lease is not None

    assert group.deliver() == "replied"  # the lease expired while it waited
    assert lease.is_over


def test_announcement_whose_token_died_while_others_had_the_turn_is_undelivered(group: AnnouncedChat) -> None:
    lease = open_turn(group.conversation, group.conversation.turn.read())
    assert lease is not None
    renew = lease.renew

    class Renewing(FixedClock):
        def sleep(self, seconds: float) -> None:
            super().sleep(seconds)
            renew()

    group.clock.__class__ = Renewing

    assert [group.deliver(), group.deliver()] == ["undelivered", "already_answered"]
    assert group.line.calls == 0
