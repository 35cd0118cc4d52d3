"""What every part of the plugin's configuration is made of."""

from pydantic import BaseModel, ConfigDict


class Block(BaseModel):
    """Options that stay as they are, without unknown ones."""

    model_config = ConfigDict(extra="forbid", frozen=True)
