package io.rowqueue.testkit;

import com.google.inject.Injector;
import com.google.inject.Key;
import com.google.inject.TypeLiteral;
import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.claim.Body;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.database.FreshConnections;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.handle.HandlerPipeline;
import io.rowqueue.internal.handle.HandlerRegistry;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.spi.Wrapping;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Lends the producer's connection to the pipeline, with a savepoint in place of a transaction.
 * Confined to one thread.
 */
final class InlineConnection {

  static final Key<Set<Wrapping>> WRAPPINGS = Key.get(new TypeLiteral<>() {});

  private static final LockId ME = new LockId("inline-1-test");

  /** Detects endless recursion of handlers that enqueue for each other. */
  private static final int DEEPEST = 50;

  private final ServerDialect dialect;
  private final Deque<Connection> callers = new ArrayDeque<>();

  InlineConnection(ServerDialect dialect) {
    this.dialect = dialect;
  }

  ServerDialect dialect() {
    return dialect;
  }

  DataSource dataSource() {
    return new FreshConnections(
        () -> {
          Connection caller = callers.peek();
          if (caller == null) {
            throw new SQLException("an inline handler has no connection but its producer's");
          }
          return lent(caller);
        });
  }

  /** Processes message {@code id}, just enqueued by {@code caller}, unless it has to wait. */
  void handle(Connection caller, MessageId id, Injector parts) throws SQLException {
    Claim claim = claim(caller, id, parts.getInstance(HandlerRegistry.class));
    if (claim == null) {
      return;
    }
    if (callers.size() == DEEPEST) {
      throw new AssertionError(
          "handlers enqueue recursively, %d levels deep; %s would be the next"
              .formatted(DEEPEST, claim));
    }
    Handover watch = new Handover(List.of(claim));
    callers.push(caller);
    try {
      parts.getInstance(HandlerPipeline.class).handle(claim, () -> null, watch);
      for (Claim handled : watch.handledWithoutTransaction()) {
        parts.getInstance(Settler.class).ackAll(List.of(handled));
      }
    } finally {
      callers.pop();
    }
    Outcome outcome = watch.ended().get(0).outcome();
    if (outcome != Outcome.ACKED && outcome != Outcome.HANDLED) {
      throw new AssertionError(
          "%s was not handled inline, but %s: %s".formatted(claim, outcome, why(caller, id)));
    }
  }

  private static String why(Connection caller, MessageId id) throws SQLException {
    try (Statement statement = caller.createStatement();
        ResultSet row =
            statement.executeQuery(
                """
                SELECT CONCAT(error_class, ': ', error_message) FROM queue_attempt
                WHERE message_id = %s
                UNION ALL SELECT CONCAT(reason, ', ', detail) FROM queue_dead_letter WHERE id = %s
                """
                    .formatted(id, id))) {
      return row.next() ? row.getString(1) : "no details";
    }
  }

  /** Returns null if it does not exist, waits, or has no handler here. */
  private static @Nullable Claim claim(Connection caller, MessageId id, HandlerRegistry registry)
      throws SQLException {
    Claim claim;
    try (Statement statement = caller.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT topic, created_at, headers, payload FROM queue_message"
                    + " WHERE state = 0 AND id = "
                    + id)) {
      if (!row.next()) {
        return null;
      }
      Topic topic = new Topic(row.getString(1));
      if (!registry.topics().contains(topic)) {
        return null;
      }
      var created = row.getObject(2, LocalDateTime.class).toInstant(ZoneOffset.UTC);
      claim = new Claim(id, topic, ME, 1, 0, 0, false, created, null, body(row));
    }
    try (Statement statement = caller.createStatement()) {
      statement.executeUpdate(
          "UPDATE queue_message SET state = 1, claim_number = 1, lock_id = '%s' WHERE id = %s"
              .formatted(ME, id));
    }
    return claim;
  }

  private static Body body(ResultSet row) throws SQLException {
    byte[] payload = row.getBytes(4);
    String headers = row.getString(3);
    int headersBytes = headers == null ? 0 : headers.getBytes(StandardCharsets.UTF_8).length;
    return new Body(true, payload, headers, payload.length, headersBytes);
  }

  /** Ends with its savepoint; the transaction is the caller's. */
  private Connection lent(Connection caller) throws SQLException {
    String savepoint = "rowqueue_inline_" + callers.size();
    execute(caller, "SAVEPOINT " + savepoint);
    return (Connection)
        Proxy.newProxyInstance(
            InlineConnection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              boolean whole = arguments == null || arguments.length == 0;
              switch (method.getName()) {
                case "commit", "close" -> {
                  return null;
                }
                case "rollback" -> {
                  if (whole) {
                    execute(caller, "ROLLBACK TO SAVEPOINT " + savepoint);
                    return null;
                  }
                }
                default -> {}
              }
              try {
                return method.invoke(caller, arguments);
              } catch (InvocationTargetException e) {
                throw e.getTargetException();
              }
            });
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
