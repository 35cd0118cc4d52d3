"""What can go wrong, drawn as a tree: each branch is for another reader to act on.

BotError
├── ConfigError      the operator: the configuration
├── PluginError      the operator or a plugin's author: a plugin
├── StoreError       the operator: the disk or the database
├── AdapterError     the platform refused or failed
│   ├── RateLimited
│   ├── Forbidden
│   ├── Unavailable
│   └── Unauthorized
├── UserError        the person who wrote: shown to them, translated
└── Erased           nobody: the person was erased while the work went on
"""


class BotError(Exception):
    """The root of all errors that this program raises on purpose."""


class ConfigError(BotError):
    """The configuration is wrong; ``faults`` holds one finished line for each fault."""

    def __init__(self, *faults: str) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults


class PluginError(BotError):
    """A plugin is missing, broken, or does not offer what another one needs."""


class StoreError(BotError):
    """The store cannot be opened or written; the message says what to do about it."""


class AdapterError(BotError):
    """A platform refused a request or could not be reached."""


class RateLimited(AdapterError):
    """The platform asks to wait ``retry_after`` seconds."""

    def __init__(self, message: str, retry_after: float) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Forbidden(AdapterError):
    """The bot may not write there: it was blocked, removed, or lacks a right."""


class Unavailable(AdapterError):
    """The platform cannot be reached or fails at the moment."""


class Unauthorized(AdapterError):
    """The platform does not accept the token; only the operator can mend that."""


class UserError(BotError):
    """A refusal that the person should read.

    ``message`` is a message id of the catalogs (mark it with `gettext_noop`);
    ``values`` fill its ``{placeholders}`` after it was translated.
    """

    def __init__(self, message: str, **values: object) -> None:
        super().__init__(message)
        self.message = message
        self.values = values


class Erased(BotError):
    """The person was erased after this work began, so that it may write nothing."""
