"""The parts of a release: an SBOM (CycloneDX 1.6) of the locked requirements, and the licences of the installed packages.

Source: CycloneDX 1.6, "JSON reference" (components, purl, hashes, licenses).
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any, Final

_PIN: Final = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)")
_HASH: Final = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_PERMISSIVE: Final = re.compile(r"MIT|BSD|Apache|PSF|Python|ISC|MPL|Unlicense|Zlib|CC0|HPND", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """A pinned package; `licence` is empty if the package is not installed here or states no licence."""

    name: str
    version: str
    hashes: tuple[str, ...]
    licence: str

    @property
    def is_permissive(self) -> bool:
        """Whether this project may be distributed with the package, for example under MIT or MPL (MPL covers only its own files)."""
        return _PERMISSIVE.search(self.licence) is not None


def components(requirements: str) -> tuple[Component, ...]:
    """Return the packages of a locked requirements file: `components("idna==3.10")[0].version -> "3.10"`."""
    entries = requirements.replace("\\\n", " ").splitlines()
    return tuple(component for entry in entries for component in _component(entry))


def sbom(name: str, version: str, packages: Sequence[Component]) -> str:
    """Return the bill of materials of an artefact as CycloneDX JSON; equal input gives equal output."""
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": name, "version": version}},
        "components": [_component_document(component) for component in packages],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def licences(packages: Sequence[Component]) -> str:
    """Return a line for each package, for example "idna 3.10: BSD-3-Clause"."""
    return "".join(f"{one.name} {one.version}: {one.licence or 'not installed on this platform'}\n" for one in packages)


def _component(entry: str) -> Iterator[Component]:
    pin = _PIN.match(entry)
    if pin is not None:
        yield Component(name=pin[1], version=pin[2], hashes=tuple(_HASH.findall(entry)), licence=_licence(pin[1]))


def _component_document(component: Component) -> Mapping[str, Any]:
    purl = f"pkg:pypi/{re.sub(r'[-_.]+', '-', component.name).lower()}@{component.version}"
    licence = [{"license": {"name": component.licence}}] if component.licence else []
    # A component has a file for each platform; each hash belongs to one of the files.
    files = [
        {"type": "distribution", "url": "https://pypi.org/", "hashes": [{"alg": "SHA-256", "content": digest}]}
        for digest in component.hashes
    ]
    return {
        "type": "library",
        "name": component.name,
        "version": component.version,
        "purl": purl,
        "licenses": licence,
        "externalReferences": files,
    }


def _licence(name: str) -> str:
    try:
        package = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return ""
    if "License-Expression" in package:
        return package["License-Expression"]
    classifiers = package.get_all("Classifier", [])
    classified = [one.rsplit(" :: ", 1)[-1] for one in classifiers if one.startswith("License ::")]
    text = package["License"] if "License" in package else ""  # noqa: SIM401 - the type has no `get`
    return "; ".join(classified) or text.partition("\n")[0][:80]
