"""A certificate authority for one run: LINE's hosts have certificates of it, and the bot trusts it beside those that it knows."""

from dataclasses import dataclass
from pathlib import Path

import trustme

from ..line_hosts import LINE_HOSTS
from .bundles import system_bundle


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificates:
    """The files of a run. `authority` is the new authority alone, `bundle` has those of the system too."""

    authority: Path
    bundle: Path
    chain: Path


def issue_certificates(folder: Path) -> Certificates:
    """Write a new authority and a certificate for LINE's hosts into the folder."""
    authority = trustme.CA()
    found = Certificates(authority=folder / "ca.pem", bundle=folder / "bundle.pem", chain=folder / "line.pem")
    authority.cert_pem.write_to_path(str(found.authority))
    authority.issue_cert(*LINE_HOSTS).private_key_and_cert_chain_pem.write_to_path(str(found.chain))
    system = system_bundle()
    known = system.read_bytes() if system is not None else b""
    found.bundle.write_bytes(known.rstrip() + b"\n" + found.authority.read_bytes())
    return found
