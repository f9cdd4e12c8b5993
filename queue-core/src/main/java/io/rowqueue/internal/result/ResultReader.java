package io.rowqueue.internal.result;

import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.internal.table.Tables.QUEUE_RESULT;

import io.rowqueue.Topic;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record5;
import org.jooq.ResultQuery;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/** Looks up awaited messages: all three tables by primary key, in one snapshot, without locks. */
final class ResultReader {

  private static final String RESULT = "result";
  private static final String DEAD = "dead";
  private static final String QUEUED = "queue";

  private final DataSource dataSource;

  ResultReader(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /**
   * The state of each of {@code ids}; ids that are in no table are not in the map.
   *
   * @throws SQLException if the connection fails
   * @throws org.jooq.exception.DataAccessException if the query fails
   */
  Map<Long, ResultState> find(Collection<Long> ids) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      try {
        return find(Transactions.dsl(connection, ServerDialect.of(connection)), ids);
      } finally {
        if (!connection.getAutoCommit()) {
          connection.rollback();
        }
      }
    }
  }

  private static Map<Long, ResultState> find(DSLContext dsl, Collection<Long> ids) {
    Map<Long, ResultState> found = new HashMap<>();
    query(dsl, ids.stream().sorted().toList())
        .forEach(row -> found.put(row.value1(), whereabouts(row)));
    return found;
  }

  /** One statement and so one snapshot: a message is in exactly one of the tables. */
  private static ResultQuery<Record5<Long, String, String, String, byte[]>> query(
      DSLContext dsl, List<Long> ids) {
    Field<String> none = DSL.inline(null, SQLDataType.CLOB);
    Field<byte[]> nothing = DSL.inline(null, SQLDataType.BLOB);
    return dsl.select(
            QUEUE_RESULT.MESSAGE_ID,
            DSL.inline(RESULT),
            QUEUE_RESULT.TOPIC,
            QUEUE_RESULT.HEADERS,
            QUEUE_RESULT.CONTENT)
        .from(QUEUE_RESULT.forceIndex("PRIMARY"))
        .where(QUEUE_RESULT.MESSAGE_ID.in(ids))
        .unionAll(
            dsl.select(
                    QUEUE_DEAD_LETTER.ID,
                    DSL.inline(DEAD),
                    QUEUE_DEAD_LETTER.REASON,
                    QUEUE_DEAD_LETTER.DETAIL,
                    nothing)
                .from(QUEUE_DEAD_LETTER.forceIndex("PRIMARY"))
                .where(QUEUE_DEAD_LETTER.ID.in(ids)))
        .unionAll(
            dsl.select(QUEUE_MESSAGE.ID, DSL.inline(QUEUED), none, none, nothing)
                .from(QUEUE_MESSAGE.forceIndex("PRIMARY"))
                .where(QUEUE_MESSAGE.ID.in(ids)))
        .limit(DSL.inline(Integer.MAX_VALUE));
  }

  private static ResultState whereabouts(Record5<Long, String, String, String, byte[]> row) {
    return switch (row.value2()) {
      case RESULT -> new ResultState.Settled(new Topic(row.value3()), row.value4(), row.value5());
      case DEAD -> new ResultState.Dead(row.value3(), row.value4());
      default -> new ResultState.InQueue();
    };
  }
}
