"""The platforms, each behind the Adapter protocol."""
