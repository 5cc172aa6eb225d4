"""What one feature stores of a chat: in a folder of its own, counted, traced to people, forgotten, exported and restored.

The unsend function and the operators' commands import this without the tools, so nothing here may import an agent's tool.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import TypeAlias

from shared.conversation.provenance import Provenance
from shared.conversation.store import Conversation
from shared.conversation.word_holder import WordHolder
from shared.frozen import frozen
from shared.storage.object_store import ObjectStore
from shared.turns.staged_writes import FeatureWriter

ObjectSource: TypeAlias = tuple[str, Provenance]
"""The name of an object, and where its words come from."""


def _nothing(conversation: Conversation) -> Iterable[ObjectSource]:  # noqa: ARG001 - as the field asks
    return ()


class Transfer:
    """What has to be done where an operator restores or removes a feature's objects; by default nothing."""

    def check(self, data: bytes) -> None:
        """Check an object of an export.  Raises: UnknownRecordVersionError, if the object cannot be used by this release."""

    def finish(self, store: ObjectStore, name: str) -> None:
        """Create what belongs to a restored object and is in no export.  Repeated: does nothing."""

    def begin_removal(self, conversation: Conversation) -> None:
        """Delete what belongs to the chat's objects and stands elsewhere, before the objects are deleted.  Repeated: does nothing."""


@frozen
class Counted:
    """How the questions of `/reset` and `/forget` count a feature's things.

    `count` returns how many things the chat holds. `words`: the feature's own text in each of LOCALES, for example
    `{"en": "wishes {count}", ...}`; empty: the text stands under the folder's name in the table `holdings` of `shared/locales/`.
    `outlasts_reset`: `/reset` leaves the things, as it leaves what was filed.
    """

    count: Callable[[Conversation], int] = field(repr=False)
    words: Mapping[str, str] = field(default_factory=dict, repr=False)
    outlasts_reset: bool = True


@frozen
class StoredFeature:
    """A feature's objects, named `FOLDER/{conversation_id}/...`.

    `words` removes withdrawn words from the objects. `writer` applies what turns stage; None: turns stage nothing. `counted`: how the
    things are counted and called before they are erased; None: they are not counted. `sources` yields each readable object with its
    provenance, for `/forget me` and a person's export. Example: `StoredFeature(folder="reminders", words=ReminderWords(), ...)`.
    """

    folder: str
    words: WordHolder = field(repr=False)
    writer: FeatureWriter | None = field(default=None, repr=False)
    counted: Counted | None = field(default=None, repr=False)
    sources: Callable[[Conversation], Iterable[ObjectSource]] = field(default=_nothing, repr=False)
    transfer: Transfer = field(default_factory=Transfer, repr=False)
