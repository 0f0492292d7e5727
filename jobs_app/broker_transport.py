"""Celery's broker on PostgreSQL: kombu's SQLAlchemy transport, whose workers are notified of messages.

kombu's own polls, which costs an idle worker some percent of a core. Here whoever puts a message into a queue notifies
those who listen for that queue, in the same transaction. A notification may get lost, as behind a pooler of
transactions: a worker looks for messages after each wait all the same, and Celery waits for two seconds at most.
"""

import json
from queue import Empty
from time import monotonic, sleep
from typing import Any, Final

import psycopg
from amqp import RecoverableConnectionError
from kombu.transport import sqlalchemy as transport
from psycopg import sql
from sqlalchemy import text
from sqlalchemy.exc import OperationalError, PendingRollbackError, SQLAlchemyError

WAIT_S: Final = 2.0
"""Seconds after which a worker looks for messages without a notification."""
FULL_S: Final = 0.1
"""Seconds between two looks at whether a worker that holds as many messages as it may has finished one."""


# Rows that another worker is taking are passed over: after waiting for one, the query would find none, not the next.
_TAKE: Final = text("""
UPDATE kombu_message SET visible = false WHERE id = (
    SELECT message.id FROM kombu_message message JOIN kombu_queue queue ON queue.id = message.queue_id
    WHERE queue.name = :queue AND message.visible ORDER BY message.id LIMIT 1 FOR UPDATE OF message SKIP LOCKED
) RETURNING payload
""")


# Stores nothing and notifies nobody where the queue does not exist.
_PUT: Final = text("""
WITH stored AS (
    INSERT INTO kombu_message (id, visible, payload, version, queue_id)
    SELECT nextval('message_id_sequence'), true, :payload, 1, id FROM kombu_queue WHERE name = :queue RETURNING id
) SELECT pg_notify(:name, '') FROM stored
""")


class NotifyingChannel(transport.Channel):
    """Puts each message with its notification by one statement, and takes each by one: neither needs a transaction."""

    def _engine_from_config(self) -> Any:
        return super()._engine_from_config().execution_options(isolation_level="AUTOCOMMIT")

    def _put(  # type: ignore[override]  # kombu's own name for the message differs from its base's, too
        self, queue: str, payload: Any, **options: Any
    ) -> None:
        values = {"queue": queue, "payload": json.dumps(payload), "name": _notification(queue)}
        try:
            if self.session.execute(_PUT, values).first() is None:
                self._new_queue(queue)
                self.session.execute(_PUT, values)
            self.session.commit()
        except SQLAlchemyError:
            # Whoever publishes is told, and may try again on a session that works.
            self.session.rollback()
            raise

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        try:
            payload = self.session.execute(_TAKE, {"queue": queue}).scalar()
        finally:
            self.session.commit()
        if payload is None:
            raise Empty
        return json.loads(payload)


class NotifiedTransport(transport.Transport):
    """Waits for notifications.

    A connection that breaks during a wait must not end a worker, and one that was closed while the database was away
    must not stop beat for ever: all these errors mean a lost connection.
    """

    Channel = NotifyingChannel
    # The type stubs know fewer errors, and expect each of the others to be None at times.
    connection_errors: Any = (
        *(OperationalError, PendingRollbackError, RecoverableConnectionError),
        psycopg.OperationalError,
    )
    channels: list[Any]
    cycle: Any
    _callbacks: dict[str, Any]

    def __init__(self, client: Any, **options: Any) -> None:
        super().__init__(client, **options)
        self._listener: psycopg.Connection[Any] | None = None
        self._heard: set[str] = set()

    def drain_events(  # type: ignore[override]  # kombu's own transports have this signature, too
        self, connection: Any, timeout: float | None = None
    ) -> None:
        """Deliver one message; raises TimeoutError if none comes within `timeout` seconds."""
        ends_at = None if timeout is None else monotonic() + timeout
        while True:
            # Before the look, so that a message is either seen or notified of.
            listener = self._listen()
            try:
                self.cycle.get(self._deliver, timeout=timeout)
                return
            except Empty:
                left = WAIT_S if ends_at is None else min(WAIT_S, ends_at - monotonic())
                if left <= 0:
                    raise TimeoutError from None
                self._wait(listener, left)

    def _wait(self, listener: psycopg.Connection[Any], seconds: float) -> None:
        if all(channel.qos.can_consume() for channel in self.channels):
            list(listener.notifies(timeout=seconds, stop_after=1))
        else:
            sleep(min(seconds, FULL_S))

    def _listen(self) -> psycopg.Connection[Any]:
        """Return a connection that listens for all queues that are consumed here."""
        if self._listener is None or self._listener.closed:
            self._listener, self._heard = self._connect(), set()
        for queue in self._callbacks.keys() - self._heard:
            self._listener.execute(sql.SQL("LISTEN {}").format(sql.Identifier(_notification(queue))))
            self._heard.add(queue)
        return self._listener

    def _connect(self) -> psycopg.Connection[Any]:
        engine, _ = self.channels[0]._open()
        pooled = engine.raw_connection()
        driver: psycopg.Connection[Any] = pooled.driver_connection
        pooled.detach()
        driver.autocommit = True
        return driver

    def close_connection(self, connection: Any) -> None:
        super().close_connection(connection)
        if self._listener is not None:
            self._listener.close()


def _notification(queue: str) -> str:
    return f"walle_queue_{queue}"
