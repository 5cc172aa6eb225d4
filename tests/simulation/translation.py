"""Translation in a schedule's group: begun in the bucket as members' taps begin it, and messages that are translated."""

from typing import Final

from shared.clock import SKEW_MS
from shared.conversation.member_mark import mark_id
from shared.storage.codec import encode
from shared.translation.setting import TranslationSetting
from tests.simulation.people import MEMBERS
from tests.simulation.world import World

GREETS: Final = "hello everybody"
"""What a translated message says beside its word."""
LANGUAGES: Final = ("en", "id")


def begin_translation(world: World, conversation_id: str, *, is_for_all: bool = True) -> int:
    """Begin translation at once, for the first member, or for everybody; return the time in ms."""
    since_ms = world.now_ms - SKEW_MS
    setting = TranslationSetting(
        languages=LANGUAGES,
        by=mark_id(MEMBERS[0]),
        since_ms=since_ms,
        all_since_ms=since_ms if is_for_all else -1,
        changed_ms=since_ms,
    )
    world.objects.create(setting_name(conversation_id), encode(setting))
    world.truth.translated_for_all[conversation_id] = is_for_all
    return since_ms


def setting_name(conversation_id: str) -> str:
    """Return the name of the setting's object."""
    return f"translation/{conversation_id}/setting.json"
