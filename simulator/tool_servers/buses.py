"""A stand-in of a village's bus company, made with the official SDK's server class: `python -m simulator.tool_servers.buses 9000`."""

import sys
from itertools import count
from typing import Final

import uvicorn
from mcp.server import MCPServer
from starlette.applications import Starlette

from simulator.line.servers import LOOPBACK

_DEPARTURES: Final = {"駅": "09:40", "港": "09:55", "station": "09:40", "harbour": "09:55"}


def buses_app() -> Starlette:
    """Return the company's server; `next_bus` reads, `book_seat` counts its seats from 1."""
    server = MCPServer("buses")
    seats = count(1)

    @server.tool()
    def next_bus(stop: str) -> str:
        """Returns the time of the next bus from a stop."""
        departure = _DEPARTURES.get(stop)
        return f"{stop}: {departure}" if departure else f"{stop}: no bus stops there"

    @server.tool()
    def book_seat(stop: str) -> str:
        """Books a seat on the next bus from a stop."""
        return f"{stop}: seat {next(seats)}"

    return server.streamable_http_app(stateless_http=True, json_response=True)


if __name__ == "__main__":
    uvicorn.run(buses_app(), host=LOOPBACK, port=int(sys.argv[1]), log_level="warning")
