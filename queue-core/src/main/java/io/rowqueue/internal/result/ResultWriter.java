package io.rowqueue.internal.result;

import static io.rowqueue.internal.table.Tables.QUEUE_RESULT;

import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.HandlerResult;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Jdbc;
import io.rowqueue.internal.database.RenderedStatement;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.Transaction;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jooq.Field;
import org.jooq.Query;
import org.jooq.Row6;
import org.jooq.impl.DSL;

/** Writes handlers' results, in the transaction that acks. Thread-safe. */
public final class ResultWriter {

  /** A limit on the number of statement texts that the driver and the server keep prepared. */
  private static final int MOST_ROWS = 64;

  /**
   * A statement's bytes may double when they are encoded, and 1 MiB is the smallest
   * max_allowed_packet in use.
   */
  private static final int MOST_BYTES = 256 << 10;

  private static final int ROW_BYTES = 256;

  private static final Field<Instant> EXPIRES_AT =
      DSL.field("UTC_TIMESTAMP(6) + INTERVAL {0} MICROSECOND", DatabaseClock.type(), DSL.val(0L));

  private final RenderedStatement insert;

  public ResultWriter(ServerDialect dialect) {
    this.insert = new RenderedStatement(dialect, ResultWriter::insert);
  }

  /**
   * Writes the results of those of {@code claims} that have one; sends nothing if none has.
   *
   * @param claims whose messages this transaction has deleted
   */
  public void keep(Transaction transaction, Collection<Claim> claims) throws SQLException {
    List<Claim> given =
        claims.stream()
            .filter(claim -> claim.result() != null)
            .sorted(Comparator.comparing(Claim::id))
            .toList();
    int from = 0;
    while (from < given.size()) {
      int to = end(given, from);
      write(transaction, given.subList(from, to));
      from = to;
    }
  }

  /** The end of the statement that starts with {@code from}. */
  private static int end(List<Claim> given, int from) {
    int most = Integer.highestOneBit(Math.min(MOST_ROWS, given.size() - from));
    long bytes = bytes(given.get(from));
    int to = from + 1;
    while (to < from + most && bytes + bytes(given.get(to)) <= MOST_BYTES) {
      bytes += bytes(given.get(to));
      to++;
    }
    return to - from == most ? to : from + Integer.highestOneBit(to - from);
  }

  private static long bytes(Claim claim) {
    byte[] content = result(claim).content();
    return (long) ROW_BYTES + (content == null ? 0 : content.length);
  }

  private void write(Transaction transaction, List<Claim> given) throws SQLException {
    try (PreparedStatement statement = insert.prepare(transaction.connection(), given.size())) {
      int parameter = 1;
      for (Claim claim : given) {
        parameter = bind(statement, parameter, claim);
      }
      statement.executeUpdate();
    }
    given.stream()
        .map(claim -> result(claim).waiter())
        .filter(Objects::nonNull)
        .forEach(transaction.afterCommit()::onResult);
  }

  private static int bind(PreparedStatement statement, int first, Claim claim) throws SQLException {
    HandlerResult result = result(claim);
    statement.setLong(first, claim.id().value());
    statement.setString(first + 1, claim.topic().name());
    statement.setLong(first + 2, Jdbc.micros(result.keepFor()));
    statement.setString(first + 3, result.headers());
    byte[] content = result.content();
    if (content == null) {
      statement.setNull(first + 4, Types.LONGVARBINARY);
    } else {
      statement.setBytes(first + 4, content);
    }
    return first + 5;
  }

  private static HandlerResult result(Claim claim) {
    return Objects.requireNonNull(claim.result());
  }

  private static Query insert(int rows) {
    return DSL.insertInto(
            QUEUE_RESULT,
            QUEUE_RESULT.MESSAGE_ID,
            QUEUE_RESULT.TOPIC,
            QUEUE_RESULT.SETTLED_AT,
            QUEUE_RESULT.EXPIRES_AT,
            QUEUE_RESULT.HEADERS,
            QUEUE_RESULT.CONTENT)
        .valuesOfRows(Collections.nCopies(rows, row()));
  }

  private static Row6<Long, String, Instant, Instant, String, byte[]> row() {
    return DSL.row(
        DSL.val(0L),
        DSL.val(""),
        DatabaseClock.now(),
        EXPIRES_AT,
        DSL.val("", QUEUE_RESULT.HEADERS),
        DSL.val(new byte[0], QUEUE_RESULT.CONTENT));
  }
}
