"""Polls as a stored feature."""

from collections.abc import Iterator
from typing import Final

from shared.conversation.store import Conversation
from shared.features.stored_feature import Counted, ObjectSource, StoredFeature
from shared.polls.apply import PollWriter
from shared.polls.poll import FOLDER
from shared.polls.store import PollStore, PollWords


def _count(conversation: Conversation) -> int:
    return len(PollStore(conversation).present())


def _sources(conversation: Conversation) -> Iterator[ObjectSource]:
    return PollStore(conversation).sources()


_COUNTED: Final = Counted(
    count=_count,
    words={"en": "polls {count}", "ja": "投票{count}件", "th": "โพล {count}", "zh-TW": "投票{count}個"},
)

POLLS: Final = StoredFeature(folder=FOLDER, words=PollWords(), writer=PollWriter(), counted=_COUNTED, sources=_sources)
