"""Many chats with a reminder each, on a running stack."""

import os
import re
import signal
from dataclasses import dataclass, field

from shared.conversation.provenance import Provenance, Source
from shared.reminders.reminder import Reminder
from shared.reminders.schedule import local_time
from shared.storage.codec import encode
from shared.storage.due_marker import DueMarker
from shared.storage.object_names import ObjectNames
from tests.e2e.conftest import Platform
from tests.support.message_words import words_of

ZONE = "Asia/Tokyo"
MINUTE_MS = 60_000
_NUMBER = re.compile(r"⏰ reminder (\d+)")


@dataclass
class RemindedPeople:
    """People whose reminders are due in the same minute."""

    platform: Platform
    count: int
    due_ms: int = 0
    ids: list[str] = field(default_factory=list)

    def remind(self, *, in_minutes: int = 1) -> None:
        """Each of so many new people has a reminder, which is due at the same minute."""
        now_ms = self.platform.do(lambda stack: stack.clock.now_ms())
        self.due_ms = (now_ms // MINUTE_MS + in_minutes) * MINUTE_MS
        self.ids = self.platform.do(
            lambda stack: [stack.line.add_person(f"P{number}").user_id for number in range(self.count)]
        )
        for number, user_id in enumerate(self.ids):
            reminder = Reminder(
                id=f"r{number:010x}",
                text=f"reminder {number}",
                provenance=Provenance.of_sources((Source(line_message_id="m1", timestamp_ms=self.due_ms - MINUTE_MS),)),
                start=local_time(self.due_ms, ZONE),
                zone=ZONE,
                due_ms=self.due_ms,
            )
            marker = DueMarker.at(self.due_ms, kind="reminder", conversation_id=user_id, id=reminder.id)
            self.platform.put(ObjectNames(user_id).reminder(reminder.id), encode(reminder))
            self.platform.put(marker.name)

    def wait_until_due(self) -> None:
        """The minute of the reminders has come."""
        self.platform.do(lambda stack: stack.clock.move(ms=max(0, self.due_ms - stack.clock.now_ms() + 1)))

    def heard(self) -> list[tuple[int, str]]:
        """Return when after the minute, in milliseconds, each reminder was shown, and the text."""
        return self.platform.do(
            lambda stack: [
                (message.timestamp_ms - self.due_ms, words_of(message.content))
                for user_id in self.ids
                for message in stack.line.chat(user_id).messages
                if message.sender_id != user_id
            ]
        )

    def said(self) -> list[int]:
        """Return the numbers of the reminders that were said, each as often as it was."""
        return sorted(int(found[1]) for _, text in self.heard() for found in _NUMBER.finditer(text))

    def silent(self) -> list[str]:
        """Return the people to whom nothing was said."""
        return self.platform.do(
            lambda stack: [
                user_id
                for user_id in self.ids
                if all(message.sender_id == user_id for message in stack.line.chat(user_id).messages)
            ]
        )

    def kill_worker(self) -> None:
        """The agent worker is killed, and another one takes its place."""
        child = self.platform.stack.children["agent_worker"]
        os.killpg(child.pid, signal.SIGKILL)
        self.platform.run(child.ended())
        self.platform.run(child.start())
