"""The work of ticks for hooks, also where HOOKS is off: old notices are forgotten."""

from dataclasses import dataclass

from shared.clock import Clock
from shared.conversation.store import Conversation
from shared.hooks.hook import Hook
from shared.hooks.store import HookStore


@dataclass(frozen=True, slots=True)
class NoticeRetention:
    """Forgets notices after seven days; a DueTask."""

    clock: Clock

    def __call__(self, conversation: Conversation, hook_id: str) -> None:
        """No notice of more than seven days is in the hook's object.  Repeated: does nothing."""
        now_ms = self.clock.now_ms()

        def without_old(hook: Hook) -> Hook | None:
            newer = hook.without_old(now_ms)
            return newer if newer != hook else None

        HookStore(conversation).update(hook_id, without_old)
