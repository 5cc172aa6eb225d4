"""The whole deployment as a single process: database, queue, the functions' endpoints, ticks and two HTTP servers."""

import asyncio
import contextlib
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from functions.agent_worker.compose import compose_on as compose_worker
from functions.unsend.compose import compose_on as compose_unsend
from functions.webhook.receive import Receive, WebhookEndpoint
from selfhost.control import Commands, Control
from selfhost.dispatcher import AT_ONCE, Dispatcher
from selfhost.line_channel import channel_of
from selfhost.operator import back_up, backups_of, desk_of, print_line
from selfhost.registration import Registrations
from selfhost.restoration import drop_unfinished, finish_restoration
from selfhost.retention import Retention, retention_days
from selfhost.servers import LOOPBACK, listening_socket, public_app, serving, status_app
from selfhost.settings import ServeSettings
from selfhost.status import ModelStatus, Status
from selfhost.ticks import Ticks
from selfhost.tunnel import Tunnel
from selfhost.usage import tokens_spent
from selfhost.withdrawal_cleanup import WithdrawalCleanup, withdrawal_cleanup_on
from shared import logs
from shared.adapters.gemini import GeminiModel
from shared.adapters.sqlite import Database, SqliteEventQueue, SqliteObjectStore
from shared.clock import Clock, SystemClock

if TYPE_CHECKING:
    from selfhost.feeds import ServedFeeds
    from selfhost.hooks import ServedHooks

_TUNNEL: Final = (
    "no PUBLIC_URL is set: start a tunnel to {address}, set PUBLIC_URL to its https address, and start again;"
    " or start with --tunnel cloudflared"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """The parts with the lifetime of the process."""

    database: Database
    store: SqliteObjectStore
    queue: SqliteEventQueue
    dispatcher: Dispatcher
    cleanup: WithdrawalCleanup
    webhook: WebhookEndpoint
    clock: Clock


@contextlib.contextmanager
def deployed(settings: ServeSettings, clock: Clock) -> Iterator[Deployment]:
    """Open the deployment for the block, and take messages.  Raises: DatabaseRefusedError."""
    logs.configure(sys.stderr)
    finish_restoration(settings.folder)
    with contextlib.closing(Database(settings.folder)) as database:
        drop_unfinished(settings.folder)
        store, queue = SqliteObjectStore(database, clock=clock), SqliteEventQueue(database, clock=clock)
        cleanup = withdrawal_cleanup_on(database, store, queue, settings, clock)
        dispatcher = Dispatcher(
            queue,
            worker=compose_worker(store, settings.worker, turns=2 * AT_ONCE),
            unsend=compose_unsend(store, settings.unsend),
            clean_up=cleanup,
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
                cleanup=cleanup,
                webhook=WebhookEndpoint(receive=receive),
                clock=clock,
            )
        finally:
            dispatcher.stop()


async def serve(settings: ServeSettings, *, has_tunnel: bool = False) -> None:
    """Serve until SIGINT or SIGTERM.  With a tunnel, the tunnel's address replaces PUBLIC_URL.

    Raises: SettingsError, DatabaseRefusedError.
    """
    registrations = Registrations(channel_of(settings), report=print_line)
    tunnel = Tunnel(settings.port, registrations.register, report=print_line) if has_tunnel else None
    public, private = listening_socket(settings.port, "PORT"), listening_socket(settings.admin_port, "ADMIN_PORT")
    clock = SystemClock()
    stopping = asyncio.Event()
    for signal_number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(signal_number, stopping.set)
    with public, private, deployed(settings, clock) as deployment:
        ticks = _ticks(settings, deployment)
        status = _status(settings, deployment, registrations)
        async with (
            serving(
                public_app(deployment.webhook, _hooks_of(settings, deployment), _feeds_of(settings, deployment)), public
            ),
            serving(status_app(status, port=settings.admin_port), private),
        ):
            print_line(
                f"The webhook listens on http://{LOOPBACK}:{settings.port}; status: http://{LOOPBACK}:{settings.admin_port}"
            )
            if tunnel is not None:
                tunnel.start()
            elif settings.public_url is not None:
                registrations.register(settings.public_url)
            else:
                print_line(_TUNNEL.format(address=f"http://{LOOPBACK}:{settings.port}"))
            ticks.start()
            with _accept_commands(settings, deployment, registrations):
                await stopping.wait()
            if tunnel is not None:
                await asyncio.to_thread(tunnel.stop)
        ticks.stop()
        registrations.stop()


def _hooks_of(settings: ServeSettings, deployment: Deployment) -> "ServedHooks | None":
    key = settings.worker.hook_key
    if key is None:
        return None
    from selfhost.hooks import ServedHooks  # noqa: PLC0415 - only with HOOKS=on

    return ServedHooks.on(deployment.dispatcher, key, deployment.clock)


def _feeds_of(settings: ServeSettings, deployment: Deployment) -> "ServedFeeds | None":
    if not settings.worker.has_calendar:
        return None
    from selfhost.feeds import ServedFeeds  # noqa: PLC0415 - only with CALENDAR=on

    return ServedFeeds.on(deployment.store)


@contextlib.contextmanager
def _accept_commands(settings: ServeSettings, deployment: Deployment, registrations: Registrations) -> Iterator[None]:
    """Accept the operator's commands within the block."""
    commands = Commands(
        queue=deployment.queue,
        bus=deployment.dispatcher,
        clean_up=deployment.cleanup,
        back_up=lambda: back_up(settings, deployment.database, deployment.clock),
        channel=channel_of(settings),
        public_url=lambda: registrations.public_url,
    )
    try:
        control = Control(settings.folder, desk_of(settings, deployment.store, sys.stdout), commands)
    except OSError as cause:
        logs.warning("control_unavailable", error_type=type(cause).__name__)
        yield
        return
    control.start()
    try:
        yield
    finally:
        control.stop()


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
        deployment.cleanup.messages,  # erased words, and withdrawn words of messages whose delivery failed afterwards
        retention,
        backups_of(settings, deployment.clock).drop_old,
        empty_log,
    )
    return Ticks(works, clock=deployment.clock)


def _status(settings: ServeSettings, deployment: Deployment, registrations: Registrations) -> Status:
    model = GeminiModel(settings.worker.gemini)
    return Status(
        registration=lambda: registrations.state,
        gemini=ModelStatus(model, name=model.name, clock=deployment.clock),
        queue=deployment.queue,
        store=deployment.store,
        folder=settings.folder,
        last_message_ms=lambda: deployment.dispatcher.last_message_ms,
        spent_today=lambda: tokens_spent(deployment.store, settings.worker.bot.time_zone, deployment.clock.now_ms()),
        tokens_per_day=settings.worker.limits.tokens_per_day,
        clock=deployment.clock,
    )
