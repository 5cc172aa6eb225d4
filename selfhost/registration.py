"""Registers the webhook's address at LINE, has LINE test the webhook, and prints the account's add-friend link."""

import io
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol
from urllib.parse import quote

import segno

from operations.line_webhook import LineChannel, register
from selfhost.line_channel import webhook_url
from shared.errors import AizuchiError

_PAUSES_S: Final = (2.0, 5.0, 10.0, 30.0, 60.0)
_EVERY_S: Final = 120.0  # LINE tests a webhook sixty times an hour at most


class Channel(LineChannel, Protocol):
    """The channel's settings, and the account's id."""

    def basic_id(self) -> str:
        """Return the account's id as people write it, for example "@123abcde"."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistrationState:
    """LINE's last report; `works` is None before the first."""

    works: bool | None = None
    lines: tuple[str, ...] = ()
    link: str | None = None


class Registrations:
    """The registration of the process's present address, `public_url`; a restarted tunnel brings a different address."""

    def __init__(self, channel: Channel, *, report: Callable[[str], None]) -> None:
        self._channel = channel
        self._report = report
        self._changing = threading.Lock()
        self._registration: Registration | None = None
        self.public_url: str | None = None

    @property
    def state(self) -> RegistrationState:
        """LINE's last report."""
        registration = self._registration
        return RegistrationState() if registration is None else registration.state

    def register(self, public_url: str) -> None:
        """Start to register an address, for example "https://bot.example.com", in place of the previous address."""
        with self._changing:
            if self._registration is not None:
                self._registration.stop()
            self.public_url = public_url
            self._registration = Registration(self._channel, webhook_url(public_url), report=self._report)
            self._registration.start()

    def stop(self) -> None:
        """Stop the attempts."""
        with self._changing:
            if self._registration is not None:
                self._registration.stop()


class Registration:
    """Registers the webhook in a separate thread until LINE's test succeeds; `report` gets the report when its lines change."""

    def __init__(
        self, channel: Channel, url: str, *, report: Callable[[str], None], pauses_s: Sequence[float] = _PAUSES_S
    ) -> None:
        """`pauses_s` follow the first failures; two minutes follow every further failure."""
        self._channel = channel
        self._url = url
        self._report = report
        self._pauses_s = pauses_s
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="registration", daemon=True)
        self.state = RegistrationState()

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop; a call in progress goes on in the thread."""
        self._stopping.set()
        self._thread.join(timeout=1.0)

    def _run(self) -> None:
        tries = 0
        while not self._stopping.is_set():
            before, self.state = self.state, self._try_registration()
            if self.state.lines != before.lines:
                self._report("\n".join(self.state.lines))
            if self.state.works:
                if self.state.link is not None:
                    self._report(f"Add the bot as a friend: {self.state.link}\n{qr_code(self.state.link)}")
                return
            self._stopping.wait(self._pauses_s[tries] if tries < len(self._pauses_s) else _EVERY_S)
            tries += 1

    def _try_registration(self) -> RegistrationState:
        try:
            registration = register(self._channel, self._url)
            link = add_friend_link(self._channel.basic_id()) if registration.works else None
        except AizuchiError as cause:
            return RegistrationState(works=False, lines=(f"FAILED: {cause}",))
        return RegistrationState(works=registration.works, lines=registration.lines, link=link)


def add_friend_link(basic_id: str) -> str:
    """Return the link to the account: `add_friend_link("@aizuchi") -> "https://line.me/R/ti/p/%40aizuchi"`.

    Source: LINE, "Use LINE features with the LINE URL scheme": `https://line.me/R/ti/p/{Percent-encoded LINE ID}`.
    """
    return f"https://line.me/R/ti/p/{quote(basic_id, safe='')}"


def qr_code(text: str) -> str:
    """Return a QR code for a terminal, two modules a character high."""
    drawn = io.StringIO()
    segno.make(text, error="l", micro=False).terminal(out=drawn, border=2, compact=True)
    return drawn.getvalue()
