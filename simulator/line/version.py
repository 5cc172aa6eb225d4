"""The version of the package, for `--version` and the wheel."""

__version__ = "0.1.0"
