"""What became of a chat's notices in the end: each shown once at most, none lost, and none of a revoked hook."""

from collections import Counter
from collections.abc import Iterator

from shared.conversation.turn import TurnRecord
from shared.hooks.hook import Hook, NoticeState, notice_name
from shared.storage.codec import decode
from tests.simulation.hooks import hook_name
from tests.simulation.notices import SentNotice
from tests.simulation.people import People
from tests.simulation.world import World

_YET_TO_SHOW = frozenset({NoticeState.WAITING, NoticeState.PENDING})


def check_hooks(people: People, world: World) -> Iterator[str]:
    """Every notice that was acknowledged was shown once at most, and is either shown or waits, unless its hook or the chat was erased."""
    chat, truth = people.conversation_id, world.truth
    shown = Counter(word for where, word in truth.notices_shown if where == chat)
    for sent in truth.notices.values():
        if sent.conversation_id != chat:
            if shown[sent.word]:
                yield "I7: a notice was shown in another chat"
            continue
        if shown[sent.word] > 1:
            yield "I2: a notice was shown twice"
        if sent.is_revoked and shown[sent.word]:
            yield "I9: a notice of a revoked hook was shown"
        if not sent.is_revoked:
            yield from _check_stored(people, world, sent, is_shown=bool(shown[sent.word]))


def _check_stored(people: People, world: World, sent: SentNotice, *, is_shown: bool) -> Iterator[str]:
    stored = world.objects.read(hook_name(sent.conversation_id, sent.hook_id))
    if stored is None or people.erased_s >= 0:
        return
    notices = [notice for notice in decode(Hook, stored.data).notices if notice.text == sent.word]
    if not notices:
        yield "I1: a notice was lost"
        return
    state, name = notices[0].state, notice_name(sent.hook_id, notices[0].id)
    if is_shown and state in _YET_TO_SHOW:
        if name not in _names_in_turn(world, sent.conversation_id):
            yield "I2: a notice that was shown will be shown again"
    elif state is NoticeState.PENDING:
        yield "I6: a notice that was to be pushed was not"
    elif not is_shown and state is NoticeState.SAID and world.weather.calm:
        yield "I1: a notice counts as shown, and nobody saw it"


def _names_in_turn(world: World, conversation_id: str) -> tuple[str, ...]:
    """Return the notices of a committed answer without a record: its worker could not write that they were said; the next holder does."""
    stored = world.objects.read(f"turns/{conversation_id}.json")
    committed = decode(TurnRecord, stored.data).committed if stored is not None else None
    if committed is None or committed.notices is None:
        return ()
    record_name = f"journal/{conversation_id}/{committed.webhook_event_id}.outcome.json"
    return committed.notices.names if world.objects.read(record_name) is None else ()
