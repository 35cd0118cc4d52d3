"""Where answers are made: each provider behind one protocol."""
