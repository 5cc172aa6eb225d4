"""In-memory implementations of the ports, with the behaviour of the real systems and with encoded bytes; for tests."""

from shared.adapters.memory.clock import FixedClock
from shared.adapters.memory.event_bus import MemoryEventBus
from shared.adapters.memory.files import MemoryFiles
from shared.adapters.memory.line_api import MemoryLineApi
from shared.adapters.memory.line_people import MemoryMedia, MemoryProfiles
from shared.adapters.memory.notion import MemoryNotion
from shared.adapters.memory.object_store import MemoryObjectStore
from shared.adapters.memory.scripted_model import ScriptedJsonModel, ScriptedModel
from shared.adapters.memory.tool_server import MemoryToolServer

__all__ = [
    "FixedClock",
    "MemoryEventBus",
    "MemoryFiles",
    "MemoryLineApi",
    "MemoryMedia",
    "MemoryNotion",
    "MemoryObjectStore",
    "MemoryProfiles",
    "MemoryToolServer",
    "ScriptedJsonModel",
    "ScriptedModel",
]
