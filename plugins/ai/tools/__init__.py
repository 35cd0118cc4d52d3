"""Functions that the model may call while it answers."""

from plugins.ai.tools.toolbox import Outcome, Toolbox

__all__ = ["Outcome", "Toolbox"]
