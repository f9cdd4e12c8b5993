package io.rowqueue.internal.result;

import io.rowqueue.internal.database.Jdbc;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import java.time.Duration;

/**
 * The rows by which workers find processes that await results; by JDBC, since producers do it.
 * Thread-safe.
 */
public final class ResultWaiters {

  private static final Duration LEASE = Duration.ofSeconds(60);

  private static final String REGISTER =
      "INSERT INTO queue_result_listener (listener, listener_connection, server_identity,"
          + " lease_until) VALUES (?, ?, ?, UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND) ON DUPLICATE"
          + " KEY UPDATE listener_connection = VALUES(listener_connection), server_identity ="
          + " VALUES(server_identity), lease_until = VALUES(lease_until)";

  private final Transactions transactions;

  public ResultWaiters(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * Registers that {@code waiter} waits on {@code connection}, for one minute.
   *
   * @param server the {@link io.rowqueue.internal.database.ServerDialect#identity identity} of the
   *     server at the other end of the connection
   * @throws io.rowqueue.QueueException if the database still fails after all retries
   */
  public void register(String waiter, long connection, String server) {
    transactions.run(
        Transition.REGISTER_RESULT_LISTENER,
        tx ->
            Jdbc.update(tx.connection(), REGISTER, waiter, connection, server, Jdbc.micros(LEASE)));
  }
}
