"""In-memory twins of the adapters, for tests and for trying things out: they behave, and they keep encoded bytes."""

from shared.adapters.memory.clock import FixedClock
from shared.adapters.memory.event_bus import MemoryEventBus
from shared.adapters.memory.line_api import MemoryLineApi
from shared.adapters.memory.line_people import MemoryMedia, MemoryProfiles
from shared.adapters.memory.notion import MemoryNotion
from shared.adapters.memory.object_store import MemoryObjectStore
from shared.adapters.memory.scripted_model import ScriptedJsonModel, ScriptedModel

__all__ = [
    "FixedClock",
    "MemoryEventBus",
    "MemoryLineApi",
    "MemoryMedia",
    "MemoryNotion",
    "MemoryObjectStore",
    "MemoryProfiles",
    "ScriptedJsonModel",
    "ScriptedModel",
]
