"""The variables of the bot's environment: the certificate authority for each runtime, and the secrets under usual names."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from .certificates import JAVA_PASSWORD, Certificates

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
JAVA_OPTIONS: Final = "JAVA_TOOL_OPTIONS"
_LOCAL: Final = "127.0.0.1,localhost,::1"


def trusting(environment: Mapping[str, str], certificates: Certificates) -> dict[str, str]:
    """Return the variables for trust in the authority, by runtime, for example `NODE_EXTRA_CA_CERTS` for Node.js."""
    bundle = str(certificates.bundle)
    return {
        **dict.fromkeys(_BUNDLES, bundle),
        "NODE_EXTRA_CA_CERTS": str(certificates.authority),
        JAVA_OPTIONS: _with_java(environment, trustStore=certificates.java, trustStorePassword=JAVA_PASSWORD),
    }


def _with_java(environment: Mapping[str, str], **store: object) -> str:
    """Return the options of Java with the trust store.  Source: JSSE Reference Guide, "Customizing the Default Keystores"."""
    options = [f"-Djavax.net.ssl.{name}={value}" for name, value in {**store, "trustStoreType": "PKCS12"}.items()]
    return " ".join(filter(None, (environment.get(JAVA_OPTIONS), *options)))


def secrets(environment: Mapping[str, str], *, secret: str, token: str) -> dict[str, str]:
    """Return the channel's secret and token under the usual names of samples, without names already in the bot's environment.

    For example, `secrets({}, secret="s", token="t")["LINE_CHANNEL_SECRET"]` is "s".
    """
    values = dict.fromkeys(_SECRETS, secret) | dict.fromkeys(_TOKENS, token)
    return {name: value for name, value in values.items() if name not in environment}


def without_proxies(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without this machine's proxies, because the namespaces cannot reach any proxy."""
    return {name: value for name, value in environment.items() if name not in _PROXIES}


def redirecting(environment: Mapping[str, str], *, proxy_port: int, line_port: int, allowed: str) -> dict[str, str]:
    """Return the variables by which runtimes reach the simulator without namespaces.

    Go, Java, Ruby, curl and the like use the proxy. Python and Node.js load a module instead: LINE's names lead to `line_port`, other
    names are refused. LINE's Python SDK takes a proxy only from its own configuration, Node's fetch only with a switch.
    """
    proxy = f"http://127.0.0.1:{proxy_port}"
    python_path = os.pathsep.join(filter(None, (str(PRELOAD), environment.get("PYTHONPATH"))))
    java = [f"-D{kind}.proxyHost=127.0.0.1 -D{kind}.proxyPort={proxy_port}" for kind in ("http", "https")]
    node = f"--require {PRELOAD / 'line_hosts.cjs'}"
    return {
        **dict.fromkeys(_PROXIES, proxy),
        "NO_PROXY": _LOCAL,
        "no_proxy": _LOCAL,
        JAVA_OPTIONS: " ".join(filter(None, (environment.get(JAVA_OPTIONS), *java))),
        "PYTHONPATH": python_path,
        "NODE_OPTIONS": " ".join(filter(None, (environment.get("NODE_OPTIONS"), node))),
        "LINE_SIMULATOR_TLS_PORT": str(line_port),
        "LINE_SIMULATOR_ALLOWED": allowed,
        "LINE_SIMULATOR_PROXY_PORT": str(proxy_port),
    }
