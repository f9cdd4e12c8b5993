package io.rowqueue.internal.database;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.Deduplication;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: times are exact to the microsecond, whatever the connection properties of a producer's own
 * pool. Method: each property that changes how Connector/J sends or reads a time, on every server;
 * MariaDB 10 greets as 5.5.5, and the driver sends it no fractions of a second.
 */
@QueueTest
@ParameterizedClass(name = "{0}")
@ValueSource(
    strings = {
      "",
      "useServerPrepStmts=true",
      "useServerPrepStmts=true&cachePrepStmts=true&useCursorFetch=true&defaultFetchSize=2",
      "sendFractionalSeconds=false",
      "rewriteBatchedStatements=true&allowMultiQueries=true",
      "connectionTimeZone=%2B09:00&forceConnectionTimeZoneToSession=true",
      "useLocalSessionState=true&useLocalTransactionState=true&elideSetAutoCommits=true",
      "useServerPrepStmts=true&connectionCollation=utf8mb4_bin&useCompression=true"
    })
class ProducerConnectionsIT {

  private static final String[] TIMES = {
    "2099-03-29T01:30:00.370890Z", "2026-03-29T00:59:59.999999Z", "2099-12-31T23:59:59.000001Z"
  };

  private static final Instant LATER = Instant.parse(TIMES[0]);

  private final DataSource pool;
  private final QueueDatabase database;
  private final MessageProducer producer = MessageProducer.create();

  ProducerConnectionsIT(String properties, QueueDatabase database) {
    this.database = database;
    pool =
        new FreshConnections(() -> DriverManager.getConnection(database.url() + "&" + properties));
  }

  private static NewMessage due(String time) {
    return NewMessage.of("order", "content").withDueAt(Instant.parse(time));
  }

  private void assertDueTimes(String... expected) {
    assertThat(
            database.strings(
                "SELECT CONCAT(state, DATE_FORMAT(due_at, ' %Y-%m-%dT%H:%i:%s.%fZ')) FROM"
                    + " queue_message ORDER BY id"))
        .containsExactly(expected);
  }

  @Test
  void enqueueAll_withDueTimes_keepsTheirFractions() {
    producer.enqueueAll(pool, Stream.of(TIMES).map(ProducerConnectionsIT::due).toList());
    assertDueTimes("2 " + TIMES[0], "0 " + TIMES[1], "2 " + TIMES[2]);
  }

  @Test
  void enqueue_ofNanoseconds_roundsToTheMicrosecond() {
    producer.enqueue(pool, due("2099-01-01T00:00:00.123456499Z"));
    producer.enqueue(pool, due("2099-01-01T00:00:00.999999500Z"));
    assertDueTimes("2 2099-01-01T00:00:00.123456Z", "2 2099-01-01T00:00:01.000000Z");
  }

  @Test
  void enqueue_inPlaceOfAWaitingMessage_keepsTheFraction() {
    for (String time : List.of(TIMES[2], TIMES[0])) {
      producer.enqueue(
          pool, due(time).withDeduplication(Deduplication.whileWaiting("key").replacing()));
    }
    assertDueTimes("2 " + TIMES[0]);
  }

  @Test
  void enqueue_withAnOrderingKey_keepsTheFraction() {
    producer.enqueue(pool, due(TIMES[0]).withOrderingKey("key"));
    assertDueTimes("2 " + TIMES[0]);
  }

  @Test
  void read_fromBothProtocols_isExact() throws SQLException {
    producer.enqueue(pool, due(TIMES[0]));
    try (Connection connection = pool.getConnection();
        PreparedStatement select =
            connection.prepareStatement("SELECT due_at FROM queue_message WHERE topic = ?")) {
      select.setString(1, "order");
      try (ResultSet row = select.executeQuery()) {
        assertThat(row.next()).isTrue();
        assertThat(UtcText.read(row, 1)).isEqualTo(LATER);
      }
    }
  }

  /** Where a time is not compared with a column, text alone would stay text. */
  @Test
  void boundTimes_inEveryExpression_areTimes() throws SQLException {
    producer.enqueue(pool, due(TIMES[0]));
    Field<Instant> time = DSL.val(LATER, DatabaseClock.type());
    Field<Instant> second = DSL.val(LATER.plusNanos(1000), DatabaseClock.type());
    try (Connection connection = pool.getConnection()) {
      DSLContext dsl = JooqSettings.dsl(connection, ServerDialect.of(connection));
      assertThat(
              dsl.select(
                      DSL.field("TIMESTAMPDIFF(MICROSECOND, {0}, {1})", Long.class, time, second),
                      DSL.greatest(time, QUEUE_MESSAGE.DUE_AT),
                      DSL.least(second, QUEUE_MESSAGE.DUE_AT),
                      DSL.coalesce(time, QUEUE_MESSAGE.DUE_AT),
                      DSL.when(QUEUE_MESSAGE.DUE_AT.lt(second), time)
                          .otherwise(DatabaseClock.now()),
                      DSL.field("{0} + INTERVAL 1 MICROSECOND", DatabaseClock.type(), time))
                  .from(QUEUE_MESSAGE)
                  .where(QUEUE_MESSAGE.DUE_AT.eq(time))
                  .and(QUEUE_MESSAGE.DUE_AT.between(time, second))
                  .and(QUEUE_MESSAGE.DUE_AT.in(time, second))
                  .fetchSingle()
                  .intoList())
          .containsExactly(1L, LATER, LATER, LATER, LATER, LATER.plusNanos(1000));
    }
  }

  @Test
  void boundTime_isSoughtInTheIndex() throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement explain =
            connection.prepareStatement(
                "EXPLAIN FORMAT=JSON SELECT topic FROM queue_dead_letter FORCE INDEX"
                    + " (queue_dead_letter_by_time) WHERE dead_at < "
                    + UtcText.PARAMETER)) {
      explain.setString(1, "2026-03-29 00:59:59.999999");
      try (ResultSet plan = explain.executeQuery()) {
        assertThat(plan.next()).isTrue();
        assertThat(plan.getString(1)).contains("queue_dead_letter_by_time", "range");
      }
    }
  }
}
