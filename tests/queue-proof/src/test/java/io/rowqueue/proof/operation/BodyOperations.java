package io.rowqueue.proof.operation;

import io.rowqueue.body.BodySweep;
import io.rowqueue.body.StoredBodySweep;
import io.rowqueue.database.Transactions;
import io.rowqueue.database.Transition;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.NewMessage;
import io.rowqueue.tests.MemoryStore;
import io.rowqueue.tests.statement.Core;
import io.rowqueue.wakeup.Ring;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Payloads beside their messages' rows. */
final class BodyOperations {

  private static final String TOPIC = "play";
  private static final int CHUNK = 256 << 10;

  private BodyOperations() {}

  static List<Operation> all() {
    return List.of(
        Operation.of(
            Transition.ENQUEUE,
            "with a payload beside the row",
            (fixture, core) -> () -> enqueue(fixture, core, NewMessage.of(TOPIC, bytes(40_000)))),
        Operation.more(
            Transition.ENQUEUE,
            "streamed",
            (fixture, core) -> () -> enqueue(fixture, core, streamed())),
        Operation.of(
            Transition.ENQUEUE,
            "with a payload in a store",
            (fixture, core) ->
                () ->
                    fixture.payloads(
                        producer()
                            .storing(new OneBody(), 0)
                            .enqueueAll(core.connections(), List.of(streamed())))),
        Operation.of(
            Transition.SWEEP_BODIES,
            (fixture, core) -> {
              fixture.sql(
                  "INSERT INTO queue_body (message_id, seq, bytes) VALUES (1, 0, 'a'), (1, 1,"
                      + " 'b')");
              return () -> core.get(BodySweep.class).sweepAll(10);
            }),
        Operation.of(
            Transition.SWEEP_STORED,
            (fixture, core) -> {
              fixture.sql(
                  "INSERT INTO queue_stored_body (message_id, store, reference, bytes, sha256)"
                      + " VALUES (1, 'memory', 'body-1', 1, REPEAT('x', 32))");
              return () -> sweep(core.get(Transactions.class));
            }));
  }

  /** A transaction that runs again is to leave the same row. */
  private static final class OneBody extends MemoryStore {
    @Override
    public String write(InputStream body) throws IOException {
      bodies.clear();
      return super.write(body);
    }
  }

  private static byte[] bytes(int length) {
    return new byte[length];
  }

  private static NewMessage streamed() {
    return NewMessage.streamed(TOPIC, () -> new ByteArrayInputStream(bytes(2 * CHUNK)));
  }

  private static MessageProducer producer() {
    return MessageProducer.create().ringing(Ring.SILENT);
  }

  private static Object enqueue(Fixture fixture, Core core, NewMessage message) {
    return fixture.payloads(producer().enqueueAll(core.connections(), List.of(message)));
  }

  private static int sweep(Transactions transactions) {
    StoredBodySweep sweep = StoredBodySweep.over(transactions, Set.of(new MemoryStore()));
    return sweep.sweepRows(10) + sweep.sweepStores(Duration.ZERO);
  }
}
