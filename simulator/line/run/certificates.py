"""A certificate authority for one run.

The authority signs certificates for LINE's hosts, and the bot trusts the authority in addition to the system's.
"""

import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import trustme
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import PrivateFormat, pkcs12
from cryptography.x509 import Certificate, load_pem_x509_certificate

from ..line_hosts import LINE_HOSTS
from .bundles import system_bundle

JAVA_PASSWORD: Final = "changeit"  # noqa: S105 - as of Java's own store, which holds no secret
_ROUNDS: Final = 1_000
_PEM: Final = re.compile(rb"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificates:
    """The files of a run. `authority` is the new authority alone; `bundle` and `java` also have the system's authorities."""

    authority: Path
    bundle: Path
    java: Path
    chain: Path


def issue_certificates(folder: Path) -> Certificates:
    """Write a new authority and a certificate for LINE's hosts into the folder."""
    authority = trustme.CA()
    certificates = Certificates(
        authority=folder / "ca.pem", bundle=folder / "bundle.pem", java=folder / "java.p12", chain=folder / "line.pem"
    )
    authority.cert_pem.write_to_path(str(certificates.authority))
    authority.issue_cert(*LINE_HOSTS).private_key_and_cert_chain_pem.write_to_path(str(certificates.chain))
    system_path = system_bundle()
    system_certificates = system_path.read_bytes() if system_path is not None else b""
    certificates.bundle.write_bytes(system_certificates.rstrip() + b"\n" + certificates.authority.read_bytes())
    certificates.java.write_bytes(_java_trust_store(certificates.bundle.read_bytes()))
    return certificates


def _java_trust_store(bundle: bytes) -> bytes:
    """Return the certificates as a PKCS#12 trust store, not secret, with ciphers for every Java since 8.

    Source: cryptography.io, "PKCS12", serialize_java_truststore; Java Security Standard Algorithm Names, "KeyStore Types".
    """
    certificates = dict.fromkeys(_readable(bundle))
    java_certificates = [
        pkcs12.PKCS12Certificate(certificate, f"authority-{number}".encode())
        for number, certificate in enumerate(certificates)
    ]
    encryption = (
        PrivateFormat.PKCS12.encryption_builder()
        .kdf_rounds(_ROUNDS)
        .key_cert_algorithm(pkcs12.PBES.PBESv1SHA1And3KeyTripleDESCBC)
        .hmac_hash(hashes.SHA1())  # noqa: S303 - required by old Java
        .build(JAVA_PASSWORD.encode())
    )
    return pkcs12.serialize_java_truststore(java_certificates, encryption)


def _readable(bundle: bytes) -> Iterator[Certificate]:
    """Yield the certificates of the bundle. For some old certificates, e.g. with the serial number 0, the library warns or raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for pem in _PEM.findall(bundle):
            with suppress(ValueError):
                yield load_pem_x509_certificate(pem)
