package io.rowqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.Deduplication;
import io.rowqueue.message.NewMessage;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.sql.Connection;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many producers of the same keys, in transactions of either isolation. */
@QueueTest
class DeduplicationRaceIT {

  private static final int TURNS = 25;
  private static final int KEYS = 10;

  private final MessageProducer producer = MessageProducer.create();
  private final AtomicInteger numbers = new AtomicInteger();

  private NewMessage message(Deduplication rule) {
    return NewMessage.of("race", numbers.incrementAndGet()).withDeduplication(rule);
  }

  private List<NewMessage> some(Random random) {
    return IntStream.range(0, 1 + random.nextInt(5))
        .mapToObj(i -> "key-" + random.nextInt(KEYS))
        .map(key -> message(Deduplication.whileWaiting(key)))
        .toList();
  }

  @ParameterizedTest
  @ValueSource(
      ints = {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ})
  void producers_ofOneKey_makeOneMessageInNoCircle(int isolation, QueueDatabase database)
      throws Exception {
    for (int round = 0; round < TURNS; round++) {
      Deduplication rule = Deduplication.whileAlive("key-" + round);
      CounterScene.writeInNoCircle(
          database,
          isolation,
          connection -> {
            producer.enqueue(connection, message(rule));
            CounterScene.commit(connection);
          });
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(TURNS);
  }

  @ParameterizedTest
  @ValueSource(
      ints = {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ})
  void producers_ofSeveralKeysAtOnce_makeOneMessageOfEachInNoCircle(
      int isolation, QueueDatabase database) throws Exception {
    CounterScene.writeInNoCircle(
        database,
        isolation,
        connection -> {
          Random random = new Random(numbers.incrementAndGet());
          for (int turn = 0; turn < TURNS; turn++) {
            producer.enqueueAll(connection, some(random));
            CounterScene.commit(connection);
          }
        });
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(KEYS);
    assertNoKeyWaitsTwice(database);
  }

  @ParameterizedTest
  @ValueSource(
      ints = {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ})
  void replacers_andThoseWhoLeaveOut_ofSeveralKeys_meetInNoCircle(
      int isolation, QueueDatabase database) throws Exception {
    CounterScene.writeInNoCircle(
        database,
        isolation,
        connection -> {
          Random random = new Random(numbers.incrementAndGet());
          for (int turn = 0; turn < TURNS; turn++) {
            List<NewMessage> messages =
                random.nextBoolean()
                    ? some(random)
                    : List.of(
                        message(Deduplication.whileWaiting("key-1").replacing()),
                        message(Deduplication.whileWaiting("key-2")),
                        message(Deduplication.whileWaiting("key-3").replacing()));
            producer.enqueueAll(connection, messages);
            CounterScene.commit(connection);
          }
        });
    assertNoKeyWaitsTwice(database);
  }

  private static void assertNoKeyWaitsTwice(QueueDatabase database) {
    assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE state IN (0, 2)"))
        .isEqualTo(
            database.count(
                "SELECT COUNT(*) FROM queue_deduplication JOIN queue_message ON id = message_id"
                    + " WHERE state IN (0, 2)"));
  }
}
