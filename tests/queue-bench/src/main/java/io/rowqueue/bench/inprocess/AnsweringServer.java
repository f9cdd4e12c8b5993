package io.rowqueue.bench.inprocess;

import static io.rowqueue.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.claim.Survey;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Result;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.jooq.tools.jdbc.MockConnection;
import org.jooq.tools.jdbc.MockDataProvider;
import org.jooq.tools.jdbc.MockExecuteContext;
import org.jooq.tools.jdbc.MockResult;
import org.jooq.tools.jdbc.SingleConnectionDataSource;
import org.jspecify.annotations.Nullable;

/**
 * Answers the statements of a claim and of an ack as a server would that has as many available
 * messages as are asked for. Thread-safe.
 */
final class AnsweringServer implements MockDataProvider {

  /** 200 bytes, as everywhere in the benchmark. */
  static final byte[] PAYLOAD =
      "{\"number\":1,\"text\":\"%s\"}".formatted("x".repeat(178)).getBytes(StandardCharsets.UTF_8);

  private static final Field<?>[] CANDIDATE = {
    QUEUE_MESSAGE.ID, QUEUE_MESSAGE.PRIORITY, QUEUE_MESSAGE.CLAIMS, QUEUE_MESSAGE.LOST
  };

  private static final Field<?>[] LOOKED = {
    DSL.field("topic", Integer.class),
    QUEUE_MESSAGE.ID,
    QUEUE_MESSAGE.PRIORITY,
    QUEUE_MESSAGE.CLAIMS,
    QUEUE_MESSAGE.LOST
  };

  private static final Field<?>[] CLAIMED = {
    QUEUE_MESSAGE.ID,
    QUEUE_MESSAGE.PRIORITY,
    QUEUE_MESSAGE.CLAIMS,
    QUEUE_MESSAGE.ATTEMPTS,
    QUEUE_MESSAGE.LOST,
    QUEUE_MESSAGE.CREATED_AT,
    DSL.field("delay_micros", Long.class),
    DSL.field("due_later", Boolean.class),
    QUEUE_MESSAGE.ORDERING_KEY,
    QUEUE_MESSAGE.BATCH_ID,
    DSL.field("payload_bytes", Long.class),
    DSL.field("headers_bytes", Long.class),
    DSL.field("payload", byte[].class),
    DSL.field("headers", String.class)
  };

  private static final Field<?>[] NAME = {DSL.field("queue_name", String.class)};

  private final DSLContext dsl = DSL.using(SQLDialect.MYSQL);
  private final Result<Record> looked = dsl.newResult(LOOKED);
  private final Result<Record> candidates = dsl.newResult(CANDIDATE);
  private final Result<Record> claimed = dsl.newResult(CLAIMED);
  private final Result<Record> name = dsl.newResult(NAME);

  AnsweringServer(int messages) {
    name.add(row(NAME, "bench"));
    for (long id = 1; id <= messages; id++) {
      if (id <= Survey.MOST_CANDIDATES) {
        looked.add(row(LOOKED, 0, id, (byte) 0, 0, 0));
      }
      candidates.add(row(CANDIDATE, id, (byte) 0, 0, 0));
      claimed.add(
          row(
              CLAIMED,
              id,
              (byte) 0,
              0,
              0,
              0,
              Instant.EPOCH,
              0L,
              false,
              null,
              null,
              (long) PAYLOAD.length,
              0L,
              PAYLOAD,
              null));
    }
  }

  private Record row(Field<?>[] fields, @Nullable Object... values) {
    Record row = dsl.newRecord(fields);
    row.fromArray(values);
    return row;
  }

  /** One connection to it, which nobody closes and everybody may use at once. */
  DataSource connections() {
    return new SingleConnectionDataSource(new MockConnection(this));
  }

  @Override
  public MockResult[] execute(MockExecuteContext context) {
    String sql = context.sql().toLowerCase(Locale.ROOT);
    if (!sql.startsWith("select") && !sql.startsWith("(select")) {
      return answer(new MockResult(changed(sql)));
    }
    if (sql.startsWith("select 0,") || sql.startsWith("(select 0,")) {
      return answer(new MockResult(looked.size(), looked));
    }
    if (sql.contains("queue_identity")) {
      return answer(new MockResult(1, name));
    }
    if (sql.contains("for update")) {
      return answer(new MockResult(claimed.size(), claimed));
    }
    return sql.contains("lost")
        ? answer(new MockResult(candidates.size(), candidates))
        : answer(new MockResult(0, dsl.newResult()));
  }

  /** Everything that a statement names is there. */
  private int changed(String sql) {
    return sql.contains("id in (") ? claimed.size() : 1;
  }

  private static MockResult[] answer(MockResult result) {
    return new MockResult[] {result};
  }
}
