"""A Terraform provider that knows a schema and makes no calls: enough for `validate`, and for `test` with Google mocked.

Usage: provider.py SCHEMA.json.  Terraform starts it, through an executable that offline.py writes. It runs in a separate environment,
because the gRPC stubs of the package `tf` need another protobuf than Google's clients. The data source `archive_file` works as the real one
does, so that the tests can unpack the archive that would be deployed.
Source: hashicorp/terraform, docs/plugin-protocol/tfplugin6.proto; hashicorp/go-plugin, docs/internals.md (the handshake);
hashicorp/terraform-provider-archive, internal/provider/zip_archiver.go (entries by name, one fixed date).
"""

import hashlib
import json
import sys
import tempfile
import threading
import zipfile
from concurrent import futures
from pathlib import Path

import grpc
import msgpack
from tf.gen import grpc_controller_pb2 as controller
from tf.gen import grpc_controller_pb2_grpc as controller_grpc
from tf.gen import grpc_stdio_pb2_grpc as stdio_grpc
from tf.gen import tfplugin_pb2 as wire
from tf.gen import tfplugin_pb2_grpc as wire_grpc

NESTING = {"list": 2, "set": 3, "single": 1, "map": 4}
WRITE_ONLY = b"\x58\x01"  # field 11 = true, which the stubs of the package lack
PROVIDER_TEXTS = ("billing_project", "project", "region")
FIXED_DATE = (2049, 1, 1, 0, 0, 0)


def attribute(name, spec):
    """Return the attribute as a message of the protocol."""
    message = wire.Schema.Attribute(
        name=name,
        type=json.dumps(spec["type"]).encode(),
        required=spec.get("required", False),
        optional=spec.get("optional", False),
        computed=spec.get("computed", False),
    )
    if spec.get("write_only"):
        message = wire.Schema.Attribute.FromString(message.SerializeToString() + WRITE_ONLY)
    return message


def block(spec):
    """Return the block with its nested blocks, as a message of the protocol."""
    nested = [
        wire.Schema.NestedBlock(
            type_name=name,
            nesting=NESTING[inner["nesting_mode"]],
            min_items=inner.get("min_items", 0),
            max_items=inner.get("max_items", 0),
            block=block(inner["block"]),
        )
        for name, inner in spec["block_types"].items()
    ]
    return wire.Schema.Block(
        attributes=[attribute(name, one) for name, one in spec["attributes"].items()], block_types=nested
    )


def schemas(specs):
    """Return the schemas of resources or data sources, by type."""
    return {name: wire.Schema(version=spec["version"], block=block(spec["block"])) for name, spec in specs.items()}


def settings():
    """Return the schema of the `provider` block."""
    texts = {name: {"type": "string", "optional": True} for name in PROVIDER_TEXTS}
    flags = {"user_project_override": {"type": "bool", "optional": True}}
    return wire.Schema(version=0, block=block({"attributes": {**texts, **flags}, "block_types": {}}))


def write_archive(config):
    """Write the archive that the data source describes; return its state."""
    path = Path(config["output_path"])
    path.parent.mkdir(parents=True, exist_ok=True)
    entries = sorted((source["filename"], source["content"]) for source in config["source"])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries:
            entry = zipfile.ZipInfo(name, FIXED_DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = int(config["output_file_mode"] or "0644", 8) << 16
            archive.writestr(entry, content)
    data = path.read_bytes()
    sha256 = hashlib.sha256(data).hexdigest()
    return {**config, "id": sha256, "output_sha256": sha256, "output_size": len(data)}


class Provider(wire_grpc.ProviderServicer):
    """Returns its schema, accepts every configuration, and reads archives."""

    def __init__(self, known):
        self.known = known

    def GetMetadata(self, _request, context):
        context.abort(grpc.StatusCode.UNIMPLEMENTED, "")

    def GetProviderSchema(self, _request, _context):
        return wire.GetProviderSchema.Response(
            provider=settings(),
            resource_schemas=schemas(self.known["resources"]),
            data_source_schemas=schemas(self.known["data_sources"]),
        )

    def ValidateProviderConfig(self, _request, _context):
        return wire.ValidateProviderConfig.Response()

    def ValidateResourceConfig(self, _request, _context):
        return wire.ValidateResourceConfig.Response()

    def ValidateDataResourceConfig(self, _request, _context):
        return wire.ValidateDataResourceConfig.Response()

    def ConfigureProvider(self, _request, _context):
        return wire.ConfigureProvider.Response()

    def ReadDataSource(self, request, context):
        if request.type_name != "archive_file":
            context.abort(grpc.StatusCode.UNIMPLEMENTED, f"nothing reads {request.type_name} here; mock it")
        state = write_archive(msgpack.unpackb(request.config.msgpack))
        return wire.ReadDataSource.Response(state=wire.DynamicValue(msgpack=msgpack.packb(state)))

    def StopProvider(self, _request, _context):
        return wire.StopProvider.Response()


class Controller(controller_grpc.GRPCControllerServicer):
    """Ends the process when Terraform requests it."""

    def __init__(self, done):
        self.done = done

    def Shutdown(self, _request, _context):
        self.done.set()
        return controller.Empty()


class Stdio(stdio_grpc.GRPCStdioServicer):
    """Streams no output; the stream ends with the process."""

    def __init__(self, done):
        self.done = done

    def StreamStdio(self, _request, _context):
        self.done.wait()
        return iter([])


def main():
    """Serve until Terraform requests the shutdown."""
    done = threading.Event()
    server = grpc.server(futures.ThreadPoolExecutor(8), options=[("grpc.max_send_message_length", -1)])
    wire_grpc.add_ProviderServicer_to_server(Provider(json.loads(Path(sys.argv[1]).read_text())), server)
    controller_grpc.add_GRPCControllerServicer_to_server(Controller(done), server)
    stdio_grpc.add_GRPCStdioServicer_to_server(Stdio(done), server)
    with tempfile.TemporaryDirectory() as folder:
        socket = f"{folder}/provider"
        server.add_insecure_port(f"unix://{socket}")
        server.start()
        sys.stdout.write(f"1|6|unix|{socket}|grpc|\n")  # versions of the core and plugin protocols, and the address
        sys.stdout.flush()
        done.wait()
        server.stop(None).wait()


if __name__ == "__main__":
    main()
