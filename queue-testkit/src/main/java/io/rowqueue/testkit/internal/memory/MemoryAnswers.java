package io.rowqueue.testkit.internal.memory;

import io.rowqueue.DepthSample;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record5;
import org.jooq.Record8;
import org.jooq.Result;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.jooq.tools.jdbc.MockExecuteContext;
import org.jooq.tools.jdbc.MockResult;
import org.jspecify.annotations.Nullable;

/**
 * Answers the SQL of RowQueue's classes that run without a worker, which only have a data source.
 */
final class MemoryAnswers {

  private static final DSLContext JOOQ = DSL.using(SQLDialect.MYSQL);

  private static final Field<Long> ID = DSL.field("id", Long.class);
  private static final Field<String> PLACE = DSL.field("place", String.class);
  private static final Field<String> FIRST = DSL.field("first", String.class);
  private static final Field<String> SECOND = DSL.field("second", String.class);
  private static final Field<String> TOPIC = DSL.field("topic", String.class);
  private static final Field<Long> MAX_DEPTH = DSL.field("max_depth", Long.class);
  private static final Field<Integer> MAX_AGE = DSL.field("max_age_seconds", Integer.class);
  private static final Field<Byte> FULL = DSL.field("is_full", Byte.class);
  private static final Field<Long> DEPTH = DSL.field("depth", Long.class);
  private static final Field<Integer> OLDEST = DSL.field("oldest_seconds", Integer.class);
  private static final Field<LocalDateTime> AT = DSL.field("sampled_at", LocalDateTime.class);
  private static final Field<Integer> STALE = DSL.field("is_stale", Integer.class);
  private static final Field<byte[]> CONTENT = DSL.field("content", byte[].class);

  /** The beginning of a listener's SLEEP statement. */
  private static final String SLEEP = "SELECT /* rowqueue listener";

  private static final Duration SLEPT = Duration.ofSeconds(1);

  private final Memory memory;

  MemoryAnswers(Memory memory) {
    this.memory = memory;
  }

  /** Returns the answer; null if the statement is not one of theirs. */
  @Nullable MockResult to(MockExecuteContext context) {
    String sql = context.sql();
    if (sql.startsWith("SET TRANSACTION ")) {
      return new MockResult(0);
    }
    if (sql.startsWith("SELECT queue_result.") && sql.contains("queue_dead_letter")) {
      return whereabouts(context.bindings());
    }
    if (sql.contains("FROM queue_topic t LEFT JOIN queue_depth d")) {
      return samples();
    }
    return listening(sql);
  }

  /** Answers for topics with a limit; they need no new sample. */
  private MockResult samples() {
    Result<Record8<String, Long, Integer, Byte, Long, Integer, LocalDateTime, Integer>> rows =
        JOOQ.newResult(TOPIC, MAX_DEPTH, MAX_AGE, FULL, DEPTH, OLDEST, AT, STALE);
    synchronized (memory) {
      memory
          .limits
          .all()
          .forEach(
              (topic, of) -> {
                DepthSample sample =
                    of.settings().depthLimit().isNone() ? null : memory.depths.of(topic);
                if (sample != null) {
                  var row =
                      JOOQ.newRecord(TOPIC, MAX_DEPTH, MAX_AGE, FULL, DEPTH, OLDEST, AT, STALE);
                  Duration age = of.settings().maxAge();
                  row.fromArray(
                      topic.name(),
                      of.settings().maxDepth(),
                      age == null ? null : (int) age.toSeconds(),
                      (byte) (sample.full() ? 1 : 0),
                      sample.depth(),
                      (int) sample.oldest().toSeconds(),
                      LocalDateTime.ofInstant(sample.sampledAt(), ZoneOffset.UTC),
                      0);
                  rows.add(row);
                }
              });
    }
    return new MockResult(rows.size(), rows);
  }

  /** Answers where awaited messages are. */
  private MockResult whereabouts(Object[] ids) {
    TreeSet<Long> requested = new TreeSet<>();
    for (Object id : ids) {
      requested.add(((Number) id).longValue());
    }
    Result<Record5<Long, String, String, String, byte[]>> rows =
        JOOQ.newResult(ID, PLACE, FIRST, SECOND, CONTENT);
    synchronized (memory) {
      requested.stream().flatMap(id -> Stream.ofNullable(whereabouts(id))).forEach(rows::add);
    }
    return new MockResult(rows.size(), rows);
  }

  private @Nullable Record5<Long, String, String, String, byte[]> whereabouts(long id) {
    MemoryResults.Kept kept = memory.results.of(id);
    MemoryDead dead = memory.dead.get(id);
    if (kept == null && dead == null && !memory.rows.containsKey(id)) {
      return null;
    }
    Record5<Long, String, String, String, byte[]> row =
        JOOQ.newRecord(ID, PLACE, FIRST, SECOND, CONTENT);
    row.value1(id);
    if (kept != null) {
      row.value2("result").value3(kept.topic().name());
      row.set(SECOND, kept.headers());
      row.set(CONTENT, kept.content());
    } else if (dead != null) {
      row.value2("dead").value3(dead.cause().reason().label()).value4(dead.cause().detail());
    } else {
      row.value2("queue");
    }
    return row;
  }

  /** Blocks a connection that awaits results until there is another result. */
  private @Nullable MockResult listening(String sql) {
    if (sql.startsWith("SELECT CONNECTION_ID(), ")) {
      return row("1", "memory");
    }
    if (sql.startsWith("INSERT INTO queue_result_listener")) {
      return new MockResult(1);
    }
    return sql.startsWith(SLEEP) ? row(memory.results.sleep(SLEPT) ? "1" : "0") : null;
  }

  private static MockResult row(String... values) {
    return new MockResult(1, JOOQ.fetchFromStringData(List.of(values, values)));
  }
}
