"""A process that uses database, queue and store at once until it is killed, and prints what it was told to be durable.

Lines: `published 3`, `did 3`, `filed 3`, `forgot 3`, `counted 3`; `ready` when it is open. Each is written when the call has returned.
"""

import os
import sys
import threading
from itertools import count
from pathlib import Path
from typing import Final

from shared.adapters.sqlite import Database, SqliteEventQueue, SqliteObjectStore
from shared.bus.messages import BusMessage
from shared.clock import SystemClock

COUNTER: Final = "counter"
_MOST_WAITING: Final = 50


def marker(number: int) -> str:
    """Return the words of what is withdrawn, which stand nowhere else: "words-3-of"."""
    return f"words-{number}-of"


def tell(what: str, number: int) -> None:
    """Write a line, whole."""
    os.write(1, f"{what} {number}\n".encode())


class Load:
    """The work of one process; numbers go on from `first`."""

    def __init__(self, folder: Path, first: int) -> None:
        self.database = Database(folder)
        self.store = SqliteObjectStore(self.database)
        self.queue = SqliteEventQueue(self.database, clock=SystemClock(), first_pause_s=0.01)
        self.first = first

    def publish(self) -> None:
        """Publish without end, two events a delivery."""
        for number in count(self.first, 2):
            while self.queue.counts()[0] > _MOST_WAITING:
                pass
            pair = (number, number + 1)
            self.queue.publish([BusMessage(data=str(one).encode(), attributes={}) for one in pair])
            for message in pair:
                tell("published", message)

    def work(self) -> None:
        """Do each message's work once, and acknowledge it; refuse one in seven first."""
        while True:
            for message in self.queue.take(4):
                number = int(message.data)
                if message.attempts == 1 and number % 7 == 0:
                    self.queue.refuse(message)
                    continue
                if self.store.create(f"done/{number}", b"") is not None:
                    tell("did", number)
                self.queue.acknowledge(message)

    def file(self) -> None:
        """File a note and a medium, and withdraw both."""
        for number in count(self.first):
            words = marker(number).encode()
            self.store.create(f"notes/{number}", words)
            if self.store.create_from(f"media/{number}", [words, words]):
                tell("filed", number)
            self.store.delete(f"notes/{number}")
            self.store.delete(f"media/{number}")
            self.database.truncate_log()
            tell("forgot", number)

    def count(self) -> None:
        """Raise the counter by compare-and-swap, against another thread that does the same."""
        while True:
            stored = self.store.read(COUNTER)
            if stored is None:
                self.store.create(COUNTER, b"0")
                continue
            following = int(stored.data) + 1
            if self.store.replace(COUNTER, str(following).encode(), generation=stored.generation) is not None:
                tell("counted", following)


def main(folder: Path, first: int) -> None:
    """Work until killed."""
    load = Load(folder, first)
    works = [load.publish, load.work, load.work, load.file, load.count, load.count]
    tell("ready", 0)
    for work in works:
        threading.Thread(target=work, daemon=True).start()
    threading.Event().wait()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
