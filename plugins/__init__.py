"""The bundled plugins, loaded as anyone's would be."""
