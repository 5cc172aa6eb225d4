"""A part of a schedule: what people still do, which faults still happen, and another draw of how long calls take."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from tests.simulation.world import World


def _without_outage(world: World) -> None:
    world.weather.outage_s = (0.0, 0.0)


def _without_stalls(world: World) -> None:
    world.stalls = 0


def _weather(field: str, value: float) -> Callable[[World], None]:
    return lambda world: setattr(world.weather, field, value)


FAULTS: Final[Mapping[str, Callable[[World], None]]] = {
    "kills": _weather("kills", 0),
    "stalls": _without_stalls,
    "failures": _weather("failures", 0.0),
    "lost-answers": _weather("lost_answers", 0.0),
    "lossiness": _weather("lossiness", 0.0),
    "lags": _weather("lags", 0.0),
    "late-deletions": _weather("late_deletions", 0.0),
    "backlog": _weather("backlog_s", 1.0),
    "outage": _without_outage,
}
"""How each fault is taken out of a world in which nothing has happened yet (see `Weather`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """What to leave out of a schedule: nothing by default.

    `dropped` are numbers of happenings, counted from 0 in the order in which the schedule draws them; `calmed` are faults. `roll` is 0 for
    the schedule's own chance; with another number, everything after the people's plans is drawn anew, since a schedule of fewer happenings
    meets the same race at other moments.
    """

    dropped: frozenset[int] = frozenset()
    calmed: frozenset[str] = frozenset()
    roll: int = 0

    def calm(self, world: World) -> None:
        """Take the faults out of the world."""
        for fault in self.calmed:
            FAULTS[fault](world)

    @property
    def arguments(self) -> str:
        """What `python -m tests.simulation` has to be given, for example `--drop 0,1,4 --calm kills --roll 3`."""
        parts = {
            "--drop": ",".join(map(str, sorted(self.dropped))),
            "--calm": ",".join(sorted(self.calmed)),
            "--roll": str(self.roll or ""),
        }
        return " ".join(f"{option} {value}" for option, value in parts.items() if value)


NOTHING: Final = Cut()
