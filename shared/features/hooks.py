"""Hooks as a stored feature: also where HOOKS is off, so that what was stored before is counted, exported and forgotten."""

from collections.abc import Iterator
from typing import Final

from shared.conversation.store import Conversation
from shared.features.stored_feature import Counted, ObjectSource, StoredFeature, Transfer
from shared.hooks.apply import HookWriter
from shared.hooks.hook import Hook
from shared.hooks.store import FOLDER, HookStore
from shared.hooks.words import HookWords
from shared.storage.codec import decode


class HookTransfer(Transfer):
    """A restored hook works with the token that it had, if HOOK_KEY is the same."""

    def check(self, data: bytes) -> None:
        decode(Hook, data)


def _count(conversation: Conversation) -> int:
    return len(HookStore(conversation).read_all())


def _sources(conversation: Conversation) -> Iterator[ObjectSource]:
    return HookStore(conversation).sources()


HOOKS: Final = StoredFeature(
    folder=FOLDER,
    words=HookWords(),
    writer=HookWriter(),
    counted=Counted(
        count=_count,
        words={"en": "hooks {count}", "ja": "フック{count}件", "zh-TW": "通知掛鉤{count}個", "th": "ฮุก {count}"},
    ),
    sources=_sources,
    transfer=HookTransfer(),
)
