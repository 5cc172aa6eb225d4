"""A wish as a record, and the wishes of a chat as objects of the bucket."""

import re
from dataclasses import dataclass, field

from shared.conversation.provenance import Provenance
from shared.conversation.store import Conversation
from shared.conversation.thing_store import ThingStore
from shared.conversation.word_holder import Removal, WordHolder
from shared.storage.codec import VERSION
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


class WishStore(ThingStore[Wish]):
    """Reads and writes a chat's wishes."""

    __slots__ = ()
    folder = FOLDER
    ids = re.compile("[0-9A-Za-z_-]+")
    noun = "a wish"

    def kind_of(self, thing_id: str) -> type[Wish]:  # noqa: ARG002 - every wish has the same class
        return Wish

    def present(self) -> tuple[Wish, ...]:
        """Return the wishes that were not dropped."""
        return tuple(wish for wish in self.read_all() if wish.text)

    def write(self, wish: Wish) -> None:
        """Write the wish, unless the object has the same key or a larger key."""
        self.update(wish.id, lambda stored: wish if stored is None or stored.revision < wish.revision else None)


class WishWords(WordHolder):
    """The words in wishes."""

    def begin_removal(self, conversation: Conversation) -> Removal:
        """Delete the wishes of withdrawn, erased or edited messages."""
        store = WishStore(conversation)
        listing = store.begin_listing()
        return lambda amendments: store.remove_withdrawn(amendments, listing())
