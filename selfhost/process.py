"""The whole deployment as one process: database, queue, the three functions' endpoints, ticks and two HTTP servers."""

import asyncio
import contextlib
import signal
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, TextIO

from functions.agent_worker.compose import compose_on as compose_worker
from functions.unsend.compose import compose_on as compose_unsend
from functions.webhook.receive import Receive, WebhookEndpoint
from operations.commands import Desk
from operations.dead_letters import is_withdrawn
from selfhost.control import Control, ask_running, commands_parser, perform
from selfhost.dead_letters import WithdrawnMessages
from selfhost.dispatcher import Dispatcher
from selfhost.gemini_check import GeminiModelCheck
from selfhost.line_channel import HttpLineChannel
from selfhost.registration import Registrations
from selfhost.retention import Retention, retention_days
from selfhost.servers import LOOPBACK, listening_socket, public_app, serving, status_app
from selfhost.settings import ServeSettings
from selfhost.status import Status
from selfhost.ticks import Ticks
from selfhost.tunnel import Tunnel
from selfhost.usage import tokens_spent
from shared import logs
from shared.adapters.sqlite import Database, SqliteEventQueue, SqliteObjectStore
from shared.clock import Clock, SystemClock
from shared.conversation.store import Conversations
from shared.storage.object_store import ObjectStore

_READ_THREADS: Final = 2
_TUNNEL: Final = (
    "no PUBLIC_URL is set: start a tunnel to {address}, set PUBLIC_URL to its https address, and start again;"
    " or start with --tunnel cloudflared"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """The parts that live as long as the process."""

    database: Database
    store: SqliteObjectStore
    queue: SqliteEventQueue
    dispatcher: Dispatcher
    forgotten: "Forgotten"
    webhook: WebhookEndpoint
    clock: Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What follows a withdrawal, so that no file holds its words: neither queue, nor the copy of an upgrade, nor the log."""

    messages: WithdrawnMessages
    database: Database

    def __call__(self) -> None:
        """Raises: StorageUnavailableError; safe to repeat."""
        self.messages()
        self.database.drop_copies()
        self.database.truncate_log()


def forgotten_on(
    database: Database, store: ObjectStore, queue: SqliteEventQueue, settings: ServeSettings, clock: Clock
) -> Forgotten:
    """Return it for this database."""
    reads = ThreadPoolExecutor(_READ_THREADS, thread_name_prefix="withdrawn")
    conversations = Conversations.on(store, reads=reads, clock=clock, lease_s=settings.worker.lease_s)
    messages = WithdrawnMessages(queue=queue, is_withdrawn=lambda letter: is_withdrawn(letter, conversations))
    return Forgotten(messages=messages, database=database)


@contextlib.contextmanager
def deployed(settings: ServeSettings, clock: Clock) -> Iterator[Deployment]:
    """The deployment is open within the block, and takes messages.  Raises: DatabaseRefusedError."""
    logs.configure(sys.stderr)
    with contextlib.closing(Database(settings.folder)) as database:
        store, queue = SqliteObjectStore(database, clock=clock), SqliteEventQueue(database, clock=clock)
        forgotten = forgotten_on(database, store, queue, settings, clock)
        dispatcher = Dispatcher(
            queue,
            worker=compose_worker(store, settings.worker),
            unsend=compose_unsend(store, settings.unsend),
            forgotten=forgotten,
            clock=clock,
        )
        receive = Receive(bus=dispatcher, channel_secret=settings.channel_secret, clock=clock)
        dispatcher.start()
        try:
            yield Deployment(
                database=database,
                store=store,
                queue=queue,
                dispatcher=dispatcher,
                forgotten=forgotten,
                webhook=WebhookEndpoint(receive=receive),
                clock=clock,
            )
        finally:
            dispatcher.stop()


def desk_of(settings: ServeSettings, store: ObjectStore, out: TextIO) -> Desk:
    """Return what the operator's commands work on."""
    return Desk(open_store=lambda: store, lease_s=settings.worker.lease_s, shows_pseudonyms=True, out=out)


def command(settings: ServeSettings, arguments: Sequence[str]) -> int:
    """Carry out an operator's command, in the process that serves if there is one; return its status.  Raises: DatabaseRefusedError."""
    options = commands_parser().parse_args(arguments)
    status = ask_running(settings.folder, arguments, sys.stdout)
    if status is not None:
        return status
    logs.configure(sys.stderr)
    logs.key_pseudonyms(settings.worker.channel_access_token.value())
    clock = SystemClock()
    with contextlib.closing(Database(settings.folder)) as database:
        store, queue = SqliteObjectStore(database, clock=clock), SqliteEventQueue(database, clock=clock)
        desk = desk_of(settings, store, sys.stdout)
        forgotten = forgotten_on(database, store, queue, settings, clock)
        return perform(desk, options, queue=queue, bus=queue, forgotten=forgotten)


async def serve(settings: ServeSettings, *, has_tunnel: bool = False) -> None:
    """Serve until SIGINT or SIGTERM.  With a tunnel its address takes the place of PUBLIC_URL.

    Raises: SettingsError, DatabaseRefusedError.
    """
    registrations = _registrations(settings)
    tunnel = Tunnel(settings.port, registrations.register, report=_say) if has_tunnel else None
    public, private = listening_socket(settings.port, "PORT"), listening_socket(settings.admin_port, "ADMIN_PORT")
    clock = SystemClock()
    stopping = asyncio.Event()
    for wanted in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(wanted, stopping.set)
    with public, private, deployed(settings, clock) as deployment:
        ticks = _ticks(settings, deployment)
        status = _status(settings, deployment, registrations)
        async with (
            serving(public_app(deployment.webhook), public),
            serving(status_app(status, port=settings.admin_port), private),
        ):
            _say(
                f"The webhook listens on http://{LOOPBACK}:{settings.port}; status: http://{LOOPBACK}:{settings.admin_port}"
            )
            if tunnel is not None:
                tunnel.start()
            elif settings.public_url is not None:
                registrations.register(settings.public_url)
            else:
                _say(_TUNNEL.format(address=f"http://{LOOPBACK}:{settings.port}"))
            ticks.start()
            with _controlled(settings, deployment):
                await stopping.wait()
            if tunnel is not None:
                await asyncio.to_thread(tunnel.stop)
        ticks.stop()
        registrations.stop()


@contextlib.contextmanager
def _controlled(settings: ServeSettings, deployment: Deployment) -> Iterator[None]:
    """The operator's commands reach this process within the block."""
    try:
        control = Control(
            settings.folder,
            desk_of(settings, deployment.store, sys.stdout),
            queue=deployment.queue,
            bus=deployment.dispatcher,
            forgotten=deployment.forgotten,
        )
    except OSError as cause:
        logs.warning("control_unavailable", error_type=type(cause).__name__)
        yield
        return
    control.start()
    try:
        yield
    finally:
        control.stop()


def _registrations(settings: ServeSettings) -> Registrations:
    channel = HttpLineChannel(
        channel_access_token=settings.worker.channel_access_token.value(), base_url=settings.worker.line_api_base_url
    )
    return Registrations(channel, report=_say)


def _ticks(settings: ServeSettings, deployment: Deployment) -> Ticks:
    written = -1

    def empty_log() -> None:
        nonlocal written
        if deployment.database.commits != written:  # an idle machine writes nothing
            deployment.database.truncate_log()
            written = deployment.database.commits

    retention = Retention(
        store=deployment.store, days=retention_days(archive_days=settings.worker.archive_days), clock=deployment.clock
    )
    works = (
        deployment.dispatcher.tick,
        deployment.queue.drop_old_dead_letters,
        deployment.forgotten.messages,  # what was erased in a chat, and what failed since it was withdrawn
        retention,
        empty_log,
    )
    return Ticks(works, clock=deployment.clock)


def _status(settings: ServeSettings, deployment: Deployment, registrations: Registrations) -> Status:
    return Status(
        registration=lambda: registrations.state,
        gemini=GeminiModelCheck(settings.worker.gemini, deployment.clock),
        queue=deployment.queue,
        store=deployment.store,
        folder=settings.folder,
        last_message_ms=lambda: deployment.dispatcher.last_message_ms,
        spent_today=lambda: tokens_spent(deployment.store, settings.worker.bot.time_zone, deployment.clock.now_ms()),
        tokens_per_day=settings.worker.limits.tokens_per_day,
        clock=deployment.clock,
    )


def _say(text: str) -> None:
    """Print for the person who started the process; the log goes to stderr."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
