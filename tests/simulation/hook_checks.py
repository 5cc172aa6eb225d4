"""What became of a chat's notices in the end: each shown once at most, none lost, and none of a revoked hook."""

from collections import Counter
from collections.abc import Iterator

from shared.hooks.hook import Hook, NoticeState
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
    states = [notice.state for notice in decode(Hook, stored.data).notices if notice.text == sent.word]
    if not states:
        yield "I1: a notice was lost"
    elif is_shown and states[0] in _YET_TO_SHOW:
        yield "I2: a notice that was shown will be shown again"
    elif states[0] is NoticeState.PENDING:
        yield "I6: a notice that was to be pushed was not"
    elif not is_shown and states[0] is NoticeState.SAID and world.weather.calm:
        yield "I1: a notice counts as shown, and nobody saw it"
