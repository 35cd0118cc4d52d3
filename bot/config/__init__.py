"""The operator's YAML file, read into validated models, with every fault at its line and column.

`load` reads a file; `schema` describes it for editors; `data_folder`, `enabled`, `plugin_block` and
`store_options` read a part of it. A block under ``platforms`` or ``plugins`` is validated with the
model that its platform or plugin declares (pydantic), which may use:

* ``info.context["folder"]`` in a validator: the folder of the file, to which paths are relative;
* `bot.api.Duration`, `bot.api.Size` and `bot.api.Id` for ``90d``, ``20MiB`` and ids of platforms;
* pydantic's ``SecretStr`` for a key or token: it then takes nothing but ``${NAME}``.

Give a validator that reads another form of a value (``mode="before"``) its
``json_schema_input_type``: the type of a place decides how a scalar there is read. A text is kept
as it was written; numbers, true, false and null are those of YAML 1.2's core schema. What comes out
of ``${NAME}`` or stands in quotes is text for the model to read.
"""

from bot.config.loading import Models, load
from bot.config.parts import data_folder, enabled, plugin_block, store_options
from bot.config.schema import schema
from bot.config.settings import Config, Dispatching, Logging

__all__ = [
    "Config",
    "Dispatching",
    "Logging",
    "Models",
    "data_folder",
    "enabled",
    "load",
    "plugin_block",
    "schema",
    "store_options",
]
