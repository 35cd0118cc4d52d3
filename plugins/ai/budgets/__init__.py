"""Budgets: who pays for what a model does, and how far."""

from plugins.ai.budgets.budgets import Budgets, Payer, paying
from plugins.ai.budgets.metered import Metered
from plugins.ai.budgets.rate import Rate
from plugins.ai.budgets.usage import usage

__all__ = ["Budgets", "Metered", "Payer", "Rate", "paying", "usage"]
