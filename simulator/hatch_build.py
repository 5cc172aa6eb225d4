"""The description of the package for registries: the README without the parts that only a checkout can show.

A registry resolves no relative link, and the project has no public address for absolute links.
Source: hatch.pypa.io, "Custom metadata hook"; packaging.python.org, "Making a PyPI-friendly README".
"""

import re
from pathlib import Path
from typing import Any, Final

from hatchling.metadata.plugin.interface import MetadataHookInterface

_PICTURE: Final = re.compile(r"^!\[[^\]]*\]\((?!https?://)[^)]*\)\n+", re.MULTILINE)
_LINK: Final = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?://)[^)]*\)")


def self_contained(readme: str) -> str:
    """Return the text without relative pictures, and with only the words of relative links.

    For example, `[the tests](tests/README.md)` becomes `the tests`.
    """
    return _LINK.sub(r"\1", _PICTURE.sub("", readme))


class DescriptionHook(MetadataHookInterface):
    """Sets the description."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the description from the README of the package."""
        text = (Path(self.root) / "line" / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": self_contained(text)}
