"""Front matter: fields as YAML between `---` above a body, the form of entries' files.

YAML takes as long to import as fifteen modules of this package, so only the first file imports YAML. Words of people and models can stand
anywhere in a file, so the YAML is read without tags and without aliases.
Source: python-frontmatter 1.3, `YAMLHandler`; PyYAML 6, `SafeLoader`.
"""

from collections.abc import Mapping
from typing import Final

import frontmatter
import yaml
from frontmatter.default_handlers import YAMLHandler

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the fast one, where PyYAML was built with it
_YAML: Final = YAMLHandler()


class UnreadableFrontMatterError(ValueError):
    """The text has no front matter, or no mapping of names in the front matter."""


def format_front_matter(fields: Mapping[str, object], body: str) -> str:
    """Return the text: the fields in their order between two lines `---`, then the body."""
    return frontmatter.dumps(frontmatter.Post(body, None, **fields), handler=_YAML, sort_keys=False)


def read_front_matter(text: str) -> tuple[Mapping[str, object], str]:
    """Return the fields and the body.  Raises: UnreadableFrontMatterError."""
    head, body = _YAML.split(text)
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(head, Loader=_LOADER)):
            raise UnreadableFrontMatterError("an alias, a few bytes of which can stand for gigabytes")
        fields = _YAML.load(head, Loader=_LOADER)
    except yaml.YAMLError as cause:
        raise UnreadableFrontMatterError("no YAML") from cause
    if not isinstance(fields, dict) or not all(isinstance(name, str) for name in fields):
        raise UnreadableFrontMatterError("no mapping of names")
    return fields, body.strip()
