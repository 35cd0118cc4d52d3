"""Long-term memory: facts about people, learned, reviewed, recalled and forgotten."""

from plugins.ai.memory.memory import Memory
from plugins.ai.memory.offering import Remembering
from plugins.ai.memory.options import MemoryConfig
from plugins.ai.memory.recalling import Recalled

__all__ = ["Memory", "MemoryConfig", "Recalled", "Remembering"]
