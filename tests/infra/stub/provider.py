"""A Terraform provider that knows a schema and makes no calls: enough for `validate`, `plan` with imports, and `test` with Google mocked.

Usage: provider.py SCHEMA.json.  Terraform starts it, through an executable that offline.py writes. It runs in a separate environment,
because the gRPC stubs of the package `tf` need another protobuf than Google's clients. The data source `archive_file` works as the real one
does, so that the tests can unpack the archive that would be deployed. An import finds every id, and of the resource only that.
Source: hashicorp/terraform, docs/plugin-protocol/tfplugin6.proto; hashicorp/go-plugin, docs/internals.md (the handshake);
hashicorp/terraform-provider-archive, internal/provider/zip_archiver.go (a walk by name that follows links, one fixed date).
"""

import hashlib
import json
import re
import sys
import tempfile
import threading
import zipfile
from concurrent import futures
from pathlib import Path
from typing import NamedTuple

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
UNKNOWN = msgpack.ExtType(0, b"\0")  # of hashicorp/go-cty, docs/serialization: a value that is known after apply
PROJECT = {"google_project": {"number": "123456789012"}}


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


class File(NamedTuple):
    """A file of an archive: its name there, and where it is read."""

    name: str
    path: Path


def glob(pattern):
    """Return the pattern of `excludes` as an expression: `**/` matches any folders or none, `*` and `?` no slash."""
    parts = {"**/": "(?:.*/)?", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(parts.get(part, re.escape(part)) for part in re.split(r"(\*\*/|\*|\?)", pattern)))


def files_within(folder, name, excluded):
    """Yield the files of a folder in the order of their names, also behind links; a folder that is excluded is not entered."""
    if any(pattern.fullmatch(name) for pattern in excluded):
        return
    for path in sorted(folder.iterdir()):
        inner = path.name if name == "." else f"{name}/{path.name}"
        if path.is_dir():
            yield from files_within(path, inner, excluded)
        elif not any(pattern.fullmatch(inner) for pattern in excluded):
            yield File(inner, path)


def write_archive(config):
    """Write the archive that the data source describes; return its state."""
    path = Path(config["output_path"])
    path.parent.mkdir(parents=True, exist_ok=True)
    excluded = [glob(pattern) for pattern in config["excludes"]]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files_within(Path(config["source_dir"]), ".", excluded):
            entry = zipfile.ZipInfo(file.name, FIXED_DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = int(config["output_file_mode"] or "0644", 8) << 16
            archive.writestr(entry, file.path.read_bytes())
    data = path.read_bytes()
    sha256 = hashlib.sha256(data).hexdigest()
    return {**config, "id": sha256, "output_sha256": sha256, "output_size": len(data)}


def imported(spec, identifier):
    """Return the state of a resource of which only the id is known."""
    blocks = {name: None if inner["nesting_mode"] == "single" else [] for name, inner in spec["block_types"].items()}
    return {**dict.fromkeys(spec["attributes"]), **blocks, "id": identifier}


def planned(spec, proposed):
    """Return the state that is planned: what only Google computes is known after apply, write-only values are left out."""
    state = dict(proposed)
    for name, one in spec["attributes"].items():
        if one.get("write_only"):
            state[name] = None
        elif proposed[name] is None and one.get("computed") and (name == "id" or not one.get("optional")):
            state[name] = UNKNOWN
    for name, inner in spec["block_types"].items():
        if isinstance(proposed[name], list):
            state[name] = [planned(inner["block"], one) for one in proposed[name]]
    return state


class Provider(wire_grpc.ProviderServicer):
    """Returns its schema, accepts every configuration, reads archives and the project, and plans."""

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
        config = msgpack.unpackb(request.config.msgpack)
        if request.type_name == "archive_file":
            state = write_archive(config)
        elif request.type_name in PROJECT:
            state = {**config, **PROJECT[request.type_name]}
        else:
            context.abort(grpc.StatusCode.UNIMPLEMENTED, f"nothing reads {request.type_name} here; mock it")
        return wire.ReadDataSource.Response(state=wire.DynamicValue(msgpack=msgpack.packb(state)))

    def ImportResourceState(self, request, _context):
        state = imported(self.known["resources"][request.type_name]["block"], request.id)
        one = wire.ImportResourceState.ImportedResource(
            type_name=request.type_name, state=wire.DynamicValue(msgpack=msgpack.packb(state))
        )
        return wire.ImportResourceState.Response(imported_resources=[one])

    def ReadResource(self, request, _context):
        return wire.ReadResource.Response(new_state=request.current_state)

    def PlanResourceChange(self, request, _context):
        spec = self.known["resources"][request.type_name]["block"]
        proposed = msgpack.unpackb(request.proposed_new_state.msgpack)
        state = None if proposed is None else planned(spec, proposed)
        return wire.PlanResourceChange.Response(
            planned_state=wire.DynamicValue(msgpack=msgpack.packb(state)), legacy_type_system=True
        )

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
