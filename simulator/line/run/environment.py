"""The variables of the bot's environment: the certificate authority for each runtime, and the secrets under usual names."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from .certificates import Certificates

PRELOAD: Final = Path(__file__).parent / "preload"
_BUNDLES: Final = (
    *("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE"),
    *("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "HTTPLIB2_CA_CERTS", "DENO_CERT"),
)
_SECRETS: Final = ("LINE_CHANNEL_SECRET", "CHANNEL_SECRET", "LINE_BOT_CHANNEL_SECRET", "LINE_SECRET")
_TOKENS: Final = (
    *("LINE_CHANNEL_ACCESS_TOKEN", "CHANNEL_ACCESS_TOKEN", "LINE_CHANNEL_TOKEN", "LINE_BOT_CHANNEL_TOKEN"),
    *("CHANNEL_TOKEN", "LINE_ACCESS_TOKEN"),
)
_PROXIES: Final = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")
_LOCAL: Final = "127.0.0.1,localhost,::1"


def trusting(certificates: Certificates) -> dict[str, str]:
    """Return the variables that make runtimes trust the authority."""
    bundle = str(certificates.bundle)
    return {**dict.fromkeys(_BUNDLES, bundle), "NODE_EXTRA_CA_CERTS": str(certificates.authority)}


def secrets(environment: Mapping[str, str], *, secret: str, token: str) -> dict[str, str]:
    """Return the channel's secret and token under the names that samples use; what the bot's environment has already stays."""
    named = dict.fromkeys(_SECRETS, secret) | dict.fromkeys(_TOKENS, token)
    return {name: value for name, value in named.items() if name not in environment}


def without_proxies(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without the proxies of this machine: they are not reached from the namespaces."""
    return {name: value for name, value in environment.items() if name not in _PROXIES}


def redirecting(environment: Mapping[str, str], *, proxy_port: int, line_port: int, allowed: str) -> dict[str, str]:
    """Return the variables with which runtimes reach LINE's hosts without namespaces.

    Go, Ruby, curl and the like go by the proxy. Python and Node.js load a module that leads LINE's names to `line_port` and refuses others:
    LINE's Python SDK takes a proxy only from its own configuration, Node's fetch only with a switch.
    """
    proxy = f"http://127.0.0.1:{proxy_port}"
    python_path = os.pathsep.join(filter(None, (str(PRELOAD), environment.get("PYTHONPATH"))))
    node = f"--require {PRELOAD / 'line_hosts.cjs'}"
    return {
        **dict.fromkeys(_PROXIES, proxy),
        "NO_PROXY": _LOCAL,
        "no_proxy": _LOCAL,
        "PYTHONPATH": python_path,
        "NODE_OPTIONS": " ".join(filter(None, (environment.get("NODE_OPTIONS"), node))),
        "LINE_SIMULATOR_TLS_PORT": str(line_port),
        "LINE_SIMULATOR_ALLOWED": allowed,
        "LINE_SIMULATOR_PROXY_PORT": str(proxy_port),
    }
