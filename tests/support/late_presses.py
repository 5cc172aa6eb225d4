"""Presses whose reply token has died before the chat's turn is free."""

import datetime as dt

from shared.line.messaging import TOKEN_SURELY_DEAD_MS
from shared.turns.lease import open_turn
from tests.support.people import Person


def presses_late(person: Person, data: str, *, age_ms: int = 0) -> None:
    """Deliver a press of so long ago after its reply token has died, while another turn of the chat is held."""
    worker = person.worker
    sent_ms = worker.clock.now_ms() - age_ms
    published = dt.datetime.fromtimestamp(sent_ms / 1_000, dt.UTC).isoformat()
    worker.clock.move(TOKEN_SURELY_DEAD_MS / 1_000)
    chat = worker.conversations.of(person.events.chat_id)
    lease = open_turn(chat, chat.turn.read())
    assert lease is not None
    event = person.events.event("postback", postback={"data": data}, timestamp=sent_ms)
    assert worker.deliver(event, published=published) == 204
    lease.release()
