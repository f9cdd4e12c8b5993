package io.rowqueue.internal.wrap;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.Module;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.handler.WrapperBinder;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.internal.seal.Keysets;
import io.rowqueue.operate.DeadLetters;
import io.rowqueue.spi.Deflate;
import io.rowqueue.spi.KeysetSource;
import io.rowqueue.spi.Sealed;
import io.rowqueue.spi.Wrapping;
import io.rowqueue.spi.Zstd;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.HandlingMode;
import io.rowqueue.tests.TestWorker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@QueueTest
class WrappingIT {

  private final KeysetSource keys = Keysets.fresh();
  private final Sealed sealed = Sealed.with(keys);

  @BeforeEach
  void openBooks(QueueDatabase database) {
    Orders.openBooks(database);
  }

  private static Module handler(HandlingMode mode) {
    return mode.bind("order", Order.class, Orders::write, HandlerSettings.defaults());
  }

  private Module readers() {
    return binder -> WrapperBinder.allow(binder, Zstd.reader(), Deflate.reader(), sealed);
  }

  /** Every fourth plain, deflated, sealed, and compressed before it is sealed. */
  private void enqueueMixed(QueueDatabase database, int count) {
    List<MessageProducer> producers =
        List.of(
            MessageProducer.create(),
            producer(Wrapping.none().forTopic("order", Deflate.above(0))),
            producer(Wrapping.none().forTopic("order", sealed)),
            producer(Wrapping.none().forTopic("order", Zstd.above(0), sealed)));
    for (int kind = 0; kind < producers.size(); kind++) {
      List<NewMessage> messages = new ArrayList<>();
      for (int number = kind; number < count; number += producers.size()) {
        messages.add(message(number));
      }
      producers.get(kind).enqueueAll(database.dataSource(), messages);
    }
  }

  private static MessageProducer producer(Wrapping wrapping) {
    return MessageProducer.create().wrapping(wrapping);
  }

  private static NewMessage message(int number) {
    record Wordy(int number, String words) {}
    return NewMessage.of("order", new Wordy(number, "as before, ".repeat(30)));
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "WITHOUT_TRANSACTION")
  void rows_plainAndWrapped_areHandledOnceEach(HandlingMode mode, QueueDatabase database) {
    enqueueMixed(database, 80);
    assertThat(database.count("SELECT COUNT(DISTINCT COALESCE(headers, '')) FROM queue_message"))
        .isEqualTo(4);
    Orders.drain(database, TestWorker.start(database, config -> config, handler(mode), readers()));
    Orders.assertHandled(database, 80, Set.of());
    assertThat(database.count(Orders.DEAD)).isZero();
  }

  @Test
  void sealedMessage_inTheTableAndAsADeadLetter_staysSealed(QueueDatabase database) {
    MessageId id =
        producer(Wrapping.none().forTopic("order", sealed))
            .enqueue(database.dataSource(), message(4711));
    AtomicBoolean mended = new AtomicBoolean();
    Module handler =
        Handlers.bind(
            "order",
            (order, context) -> {
              if (!mended.get()) {
                throw new PermanentFailure("not yet");
              }
              Orders.write(order, context);
            });
    try (TestWorker worker = TestWorker.start(database, config -> config, handler, readers())) {
      assertThat(Orders.awaitDeadLetter(database)).isEqualTo("permanent-failure");
      assertThat(
              database.count(
                  "SELECT COUNT(*) FROM queue_dead_letter WHERE INSTR(payload, '4711') = 0"))
          .isOne();
      mended.set(true);
      worker.get(DeadLetters.class).redrive(id);
      Orders.awaitNoneLeft(database);
      Orders.awaitCount(database, Orders.HANDLED, 1);
    }
    assertThat(database.strings("SELECT number FROM handled")).containsExactly("4711");
  }

  @Test
  void workerWithoutTheKey_concurrentWithOneThatHasIt_costsNoAttemptAndNoDeadLetter(
      QueueDatabase database) {
    Sealed other = Sealed.with(Keysets.fresh());
    Module otherReaders = binder -> WrapperBinder.allow(binder, Zstd.reader(), other);
    try (TestWorker without =
        TestWorker.start(database, config -> config, handler(HandlingMode.ALONE), otherReaders)) {
      enqueueMixed(database, 40);
      Orders.awaitCount(database, "SELECT COUNT(*) > 0 FROM queue_message WHERE state = 2", 1);
      try (TestWorker with =
          TestWorker.start(database, config -> config, handler(HandlingMode.ALONE), readers())) {
        // Ten of them are plain, and anybody's; chance says who looks first when others come back.
        Orders.awaitWithoutRests(
            database, "one of the others", () -> database.count(Orders.HANDLED) > 10);
        without.close();
        Orders.awaitNoneLeftWithoutRests(database);
      }
    }
    Orders.assertHandled(database, 40, Set.of());
    assertThat(database.strings("SELECT DISTINCT attempt FROM handled")).containsExactly("1");
    assertThat(database.count(Orders.DEAD)).isZero();
  }

  @Test
  void plainRow_whereASealIsRequired_isADeadLetter(QueueDatabase database) {
    Orders.enqueue(database, 1);
    HandlerSettings sealedOnly = HandlerSettings.defaults().withRequiredWrappers(Sealed.NAME);
    Orders.assertDies(
        database,
        "not-wrapped",
        TestWorker.start(
            database,
            config -> config,
            Handlers.bind("order", Orders::write, sealedOnly),
            readers()));
    assertThat(database.count(Orders.HANDLED)).isZero();
  }

  @Test
  void batch_ofSmallRowsWithLargePayloads_endsWhereTheyFillMemory(QueueDatabase database) {
    producer(Wrapping.none().forTopic("order", Deflate.above(0)))
        .enqueueAll(
            database.dataSource(),
            IntStream.range(0, 40)
                .mapToObj(
                    i -> NewMessage.of("order", Map.of("number", i, "x", "a".repeat(1 << 20))))
                .toList());
    AtomicInteger largest = new AtomicInteger();
    Module handler =
        Handlers.bindBatch(
            "order",
            batch -> {
              largest.accumulateAndGet(batch.size(), Math::max);
              batch.forEach(each -> Orders.write(each.payload(), each.context()));
            },
            HandlerSettings.defaults().withBatchSize(1_000));
    Orders.drain(database, TestWorker.start(database, config -> config, handler, readers()));
    Orders.assertHandled(database, 40, Set.of());
    assertThat(largest.get()).isBetween(1, 16);
  }

  @Test
  void bombAndChangedSeal_payAlone(QueueDatabase database) {
    producer(Wrapping.none().forTopic("order", Deflate.above(0)))
        .enqueue(database.dataSource(), NewMessage.of("order", new byte[1 << 20]));
    producer(Wrapping.none().forTopic("order", sealed)).enqueue(database.dataSource(), message(1));
    database.execute(
        // Another byte whatever it was: a random one is any given one now and then.
        "UPDATE queue_message SET payload = INSERT(payload, LENGTH(payload), 1,"
            + " CHAR(ORD(RIGHT(payload, 1)) ^ 1)) WHERE headers LIKE '%sealed%'");
    Orders.enqueue(database, 0);
    Orders.drain(
        database,
        TestWorker.start(
            database,
            config -> config.withLimits(config.limits().withPayloadBytes(1 << 19)),
            handler(HandlingMode.BATCH),
            readers()));
    Orders.assertHandled(database, 1, Set.of());
    assertThat(database.strings("SELECT reason FROM queue_dead_letter ORDER BY id"))
        .containsExactly("too-large", "undecodable");
  }
}
