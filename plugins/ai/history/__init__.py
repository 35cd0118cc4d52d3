"""What was said in each chat, and where that is kept."""

from plugins.ai.history.history import Checkpoint, History
from plugins.ai.history.keeping import opened
from plugins.ai.history.log import Log
from plugins.ai.history.own import OwnLog
from plugins.ai.history.summaries import Summaries

__all__ = ["Checkpoint", "History", "Log", "OwnLog", "Summaries", "opened"]
