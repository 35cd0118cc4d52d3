"""What keeps things: in memory, or in SQLite."""
