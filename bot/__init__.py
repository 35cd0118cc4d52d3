"""The chat-bot host: everything but the plugins."""
