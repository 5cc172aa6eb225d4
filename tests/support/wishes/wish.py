"""A wish as a record, and the wishes of a chat as objects of the bucket."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from shared.conversation.amendments import Amendments
from shared.conversation.provenance import Provenance
from shared.conversation.store import Conversation
from shared.line.ids import checked_id
from shared.storage.codec import VERSION, decode, encode
from shared.storage.compare_and_swap import update_by_swap
from shared.unknown_fields import Extensible

FOLDER = "wishes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish(Extensible):
    """What a member wishes for.  A dropped wish stays without words, so that a write that comes late meets a larger key."""

    version: int = VERSION
    id: str
    text: str = field(repr=False)
    provenance: Provenance = field(default_factory=Provenance)
    revision: tuple[int, int] = (0, 0)


def name_of(conversation: Conversation, wish_id: str) -> str:
    return f"{FOLDER}/{conversation.id}/{checked_id(wish_id)}.json"


def read_wish(conversation: Conversation, wish_id: str) -> Wish | None:
    stored = conversation.objects.store.read(name_of(conversation, wish_id))
    return decode(Wish, stored.data) if stored is not None else None


def read_wishes(conversation: Conversation) -> Iterator[Wish]:
    """Yield the wishes that were not dropped."""
    store = conversation.objects.store
    for listed in store.list(f"{FOLDER}/{conversation.id}/"):
        stored = store.read(listed.name)
        wish = decode(Wish, stored.data) if stored is not None else None
        if wish is not None and wish.text:
            yield wish


def write_wish(conversation: Conversation, wish: Wish) -> None:
    """Write the wish, unless the object has the same key or a larger key."""

    def newer(data: bytes | None) -> bytes | None:
        is_newer = data is None or decode(Wish, data).revision < wish.revision
        return encode(wish) if is_newer else None

    update_by_swap(conversation.objects.store, name_of(conversation, wish.id), newer, what="a wish")


class WishWords:
    """The words in wishes; a WordHolder."""

    def remove_withdrawn(self, conversation: Conversation, amendments: Amendments) -> None:
        """Delete the wishes of withdrawn, erased or edited messages."""
        store = conversation.objects.store
        for listed in store.list(f"{FOLDER}/{conversation.id}/"):
            stored = store.read(listed.name)
            wish = decode(Wish, stored.data) if stored is not None else None
            if wish is not None and wish.provenance.withdrawn_ids(amendments.is_withdrawn_from_entries):
                store.delete(listed.name)
