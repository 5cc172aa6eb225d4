"""How a turn stages wishes, and how its staged writes are applied."""

from dataclasses import dataclass, replace

from shared.agent.overlay import Overlay
from shared.agent.receipts import Deed, DeedKind
from shared.conversation.provenance import Provenance
from shared.conversation.records import OutcomeRecord, StagedWrite
from shared.conversation.store import Conversation
from shared.conversation.write_key import WriteKey
from shared.storage.codec import decode, encode
from shared.turns.basis import HeldLease
from tests.support.wishes.wish import FOLDER, Wish, WishStore


class WishOverlay(Overlay[Wish]):
    """A turn's view of the chat's wishes."""

    path_prefix = f"{FOLDER}/"
    noun = "wishes"

    @property
    def deeds(self) -> tuple[Deed, ...]:
        deeds: list[Deed] = []
        for wish_id, wish in self._changed.items():
            stored = self.load(wish_id)
            if wish is not None:
                deeds.append(Deed(kind=DeedKind.FILED, name=wish.text))
            elif stored is not None:
                deeds.append(Deed(kind=DeedKind.DELETED, name=stored.text))
        return tuple(deeds)

    def all(self) -> tuple[Wish, ...]:
        """Return the wishes for the model to read."""
        with self._lock:
            stored = {wish.id: self.load(wish.id) for wish in WishStore(self.conversation).present()}
            wishes = tuple(wish for wish in {**stored, **self._staged}.values() if wish is not None)
            self.mark_shown(Provenance.union(wish.provenance for wish in wishes))
            return wishes

    def load(self, thing_id: str) -> Wish | None:
        stored = WishStore(self.conversation).find(thing_id)
        wish = stored[0] if stored is not None else None
        is_withdrawn = wish is None or wish.provenance.withdrawn_ids(self.attempt.is_withdrawn)
        return None if wish is None or is_withdrawn or not wish.text else wish

    def text_of(self, thing_id: str, thing: Wish, *, key: WriteKey) -> str:
        return encode(replace(thing, id=thing_id, revision=key)).decode()

    def read_text(self, thing_id: str, text: str) -> Wish:
        return replace(decode(Wish, text.encode()), id=thing_id)

    def provenance_of(self, thing: Wish) -> Provenance:
        return thing.provenance

    def key_of(self, thing: Wish) -> WriteKey:
        return thing.revision

    def name_of(self, thing: Wish) -> str:
        return thing.text


class WishWriter:
    """Applies staged writes of wishes."""

    def owns(self, path: str) -> bool:
        return path.startswith(f"{FOLDER}/")

    def begin(self, conversation: Conversation, outcome: OutcomeRecord) -> "WishWriting":
        del outcome
        return WishWriting(conversation)


@dataclass(frozen=True, slots=True)
class WishWriting:
    """An outcome's writes to wishes."""

    conversation: Conversation

    def write(self, write: StagedWrite, *, key: WriteKey) -> None:
        store, wish_id = WishStore(self.conversation), write.path.removeprefix(f"{FOLDER}/")
        if write.text is not None:
            store.write(decode(Wish, write.text.encode()))
        elif (stored := store.find(wish_id)) is not None:
            store.write(stored[0].redacted(text="", revision=key))

    def finish(self, lease: HeldLease) -> bool:
        return not lease.is_over
