package io.rowqueue.internal.order;

import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_GROUP;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Candidate;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.RenderedStatement;
import io.rowqueue.internal.message.TopicKeyId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jooq.Query;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * The work of {@link JooqGroups} for one group, when a message is acked by itself. Its statements
 * are rendered only once, because it runs for every such message. Thread-safe.
 */
final class JooqOneGroup {

  private static final byte[] NO_LINE = new byte[0];

  private final RenderedStatement lock;
  private final RenderedStatement lowest;
  private final RenderedStatement lockNext;
  private final RenderedStatement makeAvailable;
  private final RenderedStatement leave;
  private final RenderedStatement write;

  JooqOneGroup(SQLDialect dialect) {
    this.lock = new RenderedStatement(dialect, one -> lock());
    this.lowest =
        new RenderedStatement(dialect, one -> JooqGroups.lowest(TopicKeyId.of(NO_LINE), 0, 1));
    this.lockNext = new RenderedStatement(dialect, one -> JooqGroups.lockWaiting(List.of(0L)));
    this.makeAvailable =
        new RenderedStatement(dialect, one -> JooqGroups.makeAvailable(List.of(0L)));
    this.leave =
        new RenderedStatement(
            dialect,
            one ->
                JooqGroups.leave(
                    List.of(new JooqGroups.Place(TopicKeyId.of(NO_LINE), 0)), JooqGroups.WAITING));
    this.write = new RenderedStatement(dialect, one -> write());
  }

  private static Query lock() {
    return DSL.select(
            QUEUE_ORDERING_GROUP.MESSAGE_ID,
            QUEUE_ORDERING_GROUP.SCAN_FROM,
            QUEUE_ORDERING_GROUP.HAS_CONCURRENT,
            JooqLimits.IN_FLIGHT,
            JooqLimits.PER_SECOND)
        .from(QUEUE_ORDERING_GROUP.forceIndex("PRIMARY"))
        .where(QUEUE_ORDERING_GROUP.GROUP_ID.eq(NO_LINE))
        .forUpdate();
  }

  private static Query write() {
    return DSL.update(QUEUE_ORDERING_GROUP.forceIndex("PRIMARY"))
        .set(QUEUE_ORDERING_GROUP.MESSAGE_ID, 0L)
        .set(QUEUE_ORDERING_GROUP.SCAN_FROM, 0L)
        .set(QUEUE_ORDERING_GROUP.NEEDS_RELEASE, (byte) 0)
        .set(QUEUE_ORDERING_GROUP.VERSION, QUEUE_ORDERING_GROUP.VERSION.plus(DSL.inline(1)))
        .set(QUEUE_ORDERING_GROUP.UPDATED_AT, DatabaseClock.now())
        .where(QUEUE_ORDERING_GROUP.GROUP_ID.eq(NO_LINE));
  }

  /**
   * Locks the row of {@code line}.
   *
   * @return null if there is none
   */
  @Nullable Row lock(Connection connection, TopicKeyId line) throws SQLException {
    try (PreparedStatement select = lock.prepare(connection, 1)) {
      select.setBytes(1, line.bytes());
      try (ResultSet row = select.executeQuery()) {
        return row.next() ? row(row) : null;
      }
    }
  }

  private static Row row(ResultSet row) throws SQLException {
    GroupLimits limits =
        GroupLimits.of(row.getObject(4, Integer.class), row.getObject(5, Integer.class));
    return new Row(
        row.getObject(1, Long.class), row.getLong(2), row.getInt(3) == 0 && limits.isNone());
  }

  /**
   * Makes the next message of {@code line} available after its first has ended.
   *
   * @param row locked, and plain
   * @return the new first message; null if there is none, or if another transaction has locked it
   */
  @Nullable ReleasedMessage admitNext(Connection connection, TopicKeyId line, Row row)
      throws SQLException {
    Long next = lowest(connection, line, row.nextFrom());
    if (next == null) {
      write(connection, line, new Row(null, row.nextFrom(), true), false);
      return null;
    }
    ReleasedMessage released = free(connection, line, next);
    write(connection, line, new Row(released == null ? null : next, next, true), released == null);
    return released;
  }

  private @Nullable Long lowest(Connection connection, TopicKeyId line, long from)
      throws SQLException {
    try (PreparedStatement select = lowest.prepare(connection, 1)) {
      select.setBytes(1, line.bytes());
      select.setLong(2, from);
      select.setLong(3, 1);
      try (ResultSet row = select.executeQuery()) {
        return row.next() ? row.getLong(2) : null;
      }
    }
  }

  private @Nullable ReleasedMessage free(Connection connection, TopicKeyId line, long id)
      throws SQLException {
    ReleasedMessage next = lockNext(connection, id);
    if (next != null) {
      try (PreparedStatement update = makeAvailable.prepare(connection, 1)) {
        update.setLong(1, id);
        update.executeUpdate();
      }
      try (PreparedStatement delete = leave.prepare(connection, 1)) {
        delete.setBytes(1, line.bytes());
        delete.setByte(2, JooqGroups.WAITING);
        delete.setLong(3, id);
        delete.executeUpdate();
      }
    }
    return next;
  }

  private @Nullable ReleasedMessage lockNext(Connection connection, long id) throws SQLException {
    try (PreparedStatement select = lockNext.prepare(connection, 1)) {
      select.setLong(1, id);
      try (ResultSet row = select.executeQuery()) {
        return row.next()
            ? new ReleasedMessage(
                new Topic(row.getString(2)),
                new Candidate(id, row.getByte(3), row.getInt(4), row.getInt(5)))
            : null;
      }
    }
  }

  private void write(Connection connection, TopicKeyId line, Row row, boolean stalled)
      throws SQLException {
    try (PreparedStatement update = write.prepare(connection, 1)) {
      update.setObject(1, row.messageId());
      update.setLong(2, row.nextFrom());
      update.setInt(3, stalled ? 1 : 0);
      update.setBytes(4, line.bytes());
      update.executeUpdate();
    }
  }

  /**
   * A locked row of an ordering group.
   *
   * @param isPlain whether its messages are handled one after the other, without a rate limit
   */
  record Row(@Nullable Long messageId, long nextFrom, boolean isPlain) {}
}
