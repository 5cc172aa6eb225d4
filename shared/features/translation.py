"""The translation setting as a stored feature."""

from collections.abc import Iterator
from typing import Final

from shared.conversation.store import Conversation
from shared.features.stored_feature import Counted, ObjectSource, StoredFeature, Transfer
from shared.storage.codec import decode
from shared.translation.setting import TranslationSetting
from shared.translation.store import FOLDER, TranslationStore, TranslationWords


class TranslationTransfer(Transfer):
    """A restored chat is translated as it was."""

    def check(self, data: bytes) -> None:
        decode(TranslationSetting, data)


def _count(conversation: Conversation) -> int:
    return int(TranslationStore(conversation).read().is_on)


def _sources(conversation: Conversation) -> Iterator[ObjectSource]:
    store = TranslationStore(conversation)
    setting = store.read()
    if setting.changed_ms >= 0 or setting.terms:
        yield store.name, setting.provenance


_COUNTED: Final = Counted(
    count=_count,
    words={
        "en": "translation settings {count}",
        "ja": "翻訳の設定{count}件",
        "th": "การตั้งค่าแปลภาษา {count}",
        "zh-TW": "翻譯設定{count}項",
    },
)

TRANSLATION: Final = StoredFeature(
    folder=FOLDER, words=TranslationWords(), counted=_COUNTED, sources=_sources, transfer=TranslationTransfer()
)
