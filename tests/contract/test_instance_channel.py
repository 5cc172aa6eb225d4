"""The webhook's channel to Google: over TLS, to a server that keeps what it was sent, with tokens of a metadata server."""

import datetime as dt
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from shared.adapters.pubsub import PubSubEventBus, instance_channels
from shared.adapters.pubsub_messages import Request, Response
from shared.bus.messages import BusMessage
from shared.clock import SystemClock
from shared.errors import PublishFailedError
from tests.support.metadata_server import MetadataServer, running_metadata_server

MESSAGES = [BusMessage(data=b"{}", attributes={"type": "message"})]
PEM = serialization.Encoding.PEM


class Google(grpc.GenericRpcHandler):  # type: ignore[type-arg]  # no generic at run time
    """A Pub/Sub; `sent` are the method and the metadata of each call."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, dict[str, Any]]] = []

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> "grpc.RpcMethodHandler[Any, Any]":
        def publish(request: Any, context: grpc.ServicerContext) -> Any:  # noqa: ANN401 - messages of protobuf
            self.sent.append((handler_call_details.method, dict(context.invocation_metadata())))
            return Response(message_ids=["7"] * len(request.messages))

        return grpc.unary_unary_rpc_method_handler(publish, Request.FromString, Response.SerializeToString)


@pytest.fixture
def metadata() -> Iterator[MetadataServer]:
    with running_metadata_server() as running:
        running.answer = b'{"access_token": "of the instance", "expires_in": 3600}'
        yield running


@pytest.fixture(scope="module")
def certificate() -> tuple[bytes, bytes]:
    """Return the key and the certificate of `localhost`."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    valid_from = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
    made = (
        x509.CertificateBuilder(issuer_name=name, subject_name=name, public_key=key.public_key())
        .serial_number(1)
        .not_valid_before(valid_from)
        .not_valid_after(valid_from + dt.timedelta(days=365 * 100))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return private, made.public_bytes(PEM)


@pytest.fixture
def google(certificate: tuple[bytes, bytes]) -> Iterator[tuple[Google, int]]:
    service = Google()
    server = grpc.server(ThreadPoolExecutor(2))
    server.add_generic_rpc_handlers((service,))
    port = server.add_secure_port("localhost:0", grpc.ssl_server_credentials([certificate]))
    server.start()
    yield service, port
    server.stop(None).wait()


@pytest.fixture
def bus(
    google: tuple[Google, int], metadata: MetadataServer, certificate: tuple[bytes, bytes]
) -> Iterator[PubSubEventBus]:
    open_channel = instance_channels(
        SystemClock(),
        metadata_host=f"127.0.0.1:{metadata.server_port}",
        host=f"localhost:{google[1]}",
        root_certificates=certificate[1],
    )
    bus = PubSubEventBus(project_id="p", topic_id="t", timeout_s=3.0, open_channel=open_channel)
    yield bus
    bus.close()


def test_events_are_published_as_the_account_of_the_instance(bus: PubSubEventBus, google: tuple[Google, int]) -> None:
    assert bus.publish(MESSAGES) == ("7",)

    [(method, metadata)] = google[0].sent
    assert method == "/google.pubsub.v1.Publisher/Publish"
    assert metadata["authorization"] == "Bearer of the instance"
    assert metadata["x-goog-request-params"] == "topic=projects/p/topics/t"


def test_a_token_that_came_late_delays_the_call(
    bus: PubSubEventBus, google: tuple[Google, int], metadata: MetadataServer
) -> None:
    metadata.statuses = [503, 404]

    assert bus.publish(MESSAGES) == ("7",)
    assert len(google[0].sent) == 1


def test_nothing_is_sent_without_a_token(
    bus: PubSubEventBus, google: tuple[Google, int], metadata: MetadataServer
) -> None:
    metadata.statuses = [503] * 1_000

    with pytest.raises(PublishFailedError, match="confirm"):
        bus.publish(MESSAGES)

    assert google[0].sent == []
