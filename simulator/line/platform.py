"""The LINE platform as one object: what people do on it, the API that it serves, what it remembers from run to run."""

from dataclasses import dataclass, field
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from simulator.line.api import Api
from simulator.line.calls import LoggedRequest
from simulator.line.deliveries import DeliveryAttempt
from simulator.line.gathering import Gathering
from simulator.line.memory import load, save
from simulator.line.occurrences import Occurrences
from simulator.line.switches import DeliverySwitches, Faults
from simulator.line.talking import Talking


@dataclass(kw_only=True)
class LinePlatform(Talking, Gathering, Occurrences):
    """A LINE platform with one official account, in one asyncio loop.

    Everything that a person does is a method that returns at once with its event; the delivery goes on in the loop, until
    `settled()`. `state_path`: chats and people are read from there at the start and written there after every change.
    """

    first_person: str | None = "あなた"
    state_path: Path | None = None
    api: Api = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.api = Api(channel=self)
        if self.state_path is not None and self.state_path.exists():
            load(self, self.state_path)
        elif self.first_person is not None:
            self.add_person(self.first_person)
        if self.state_path is not None:
            path = self.state_path
            self.listen(lambda: save(self, path))
            self.changed()

    @property
    def app(self) -> Starlette:
        """LINE's API at the root, for both of its hosts."""
        return self.app_with([])

    def app_with(self, more_routes: list[BaseRoute]) -> Starlette:
        """LINE's API and other routes beside it, e.g. those of the page."""
        return Starlette(
            routes=[*self.api.routes(), *more_routes], exception_handlers={404: _not_found, 405: _not_found}
        )

    @property
    def switches(self) -> DeliverySwitches:
        """How events reach the webhook."""
        return self.courier.switches

    @switches.setter
    def switches(self, switches: DeliverySwitches) -> None:
        self.courier.switches = switches

    @property
    def faults(self) -> Faults:
        """What goes wrong in the API."""
        return self.api.faults

    @property
    def requests(self) -> list[LoggedRequest]:
        """Every request to the API, oldest first."""
        return self.api.requests

    @property
    def deliveries(self) -> list[DeliveryAttempt]:
        """Every request to the webhook, oldest first."""
        return self.courier.attempts

    @property
    def replies_with_effect(self) -> int:
        """How many reply calls spent a token, whether their answer arrived or not."""
        return sum(request.has_effect for request in self.requests if request.path == "/v2/bot/message/reply")

    async def settled(self) -> None:
        """Every delivery was accepted or given up."""
        await self.courier.settled()

    async def close(self) -> None:
        """Deliveries under way are given up."""
        await self.courier.close()


async def _not_found(_request: Request, _error: Exception) -> Response:
    return JSONResponse({"message": "Not found"}, status_code=404)
