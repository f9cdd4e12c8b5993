package io.rowqueue.bench;

import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.aead.AeadConfig2026;
import com.google.crypto.tink.aead.PredefinedAeadParameters;
import com.google.inject.Module;
import io.rowqueue.bench.Commits.Way;
import io.rowqueue.bench.QueueTable.Records;
import io.rowqueue.bench.measure.Contender;
import io.rowqueue.bench.measure.Contest;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.message.MessageLimits;
import io.rowqueue.message.PayloadCodec;
import io.rowqueue.seal.Sealed;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.wakeup.Ring;
import io.rowqueue.wrap.Deflate;
import io.rowqueue.wrap.WrapperBinder;
import io.rowqueue.wrap.Wrapping;
import io.rowqueue.wrap.Zstd;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What it costs to compress and to encrypt payloads, to whoever enqueues and handles them. */
final class Codecs implements Workload {

  private static final int SMALL = 1_024;
  private static final int LARGE = 20 * 1_024;
  private static final int BULK = 100;
  private static final int LEAST = 200;

  @Override
  public String name() {
    return "codecs";
  }

  @Override
  public String what() {
    return "messages enqueued and handled a second with payloads compressed and encrypted";
  }

  @Override
  public void run(Stage stage) throws Exception {
    Map<String, Wrapping> wrappings = new LinkedHashMap<>();
    Sealed sealed = sealed();
    wrappings.put("plain", Wrapping.none());
    wrappings.put("deflate", Wrapping.none().forTopic(QueueTable.TOPIC, Deflate.above(0)));
    wrappings.put("zstd", Wrapping.none().forTopic(QueueTable.TOPIC, Zstd.above(0)));
    wrappings.put("sealed", Wrapping.none().forTopic(QueueTable.TOPIC, sealed));
    wrappings.put(
        "zstd, sealed", Wrapping.none().forTopic(QueueTable.TOPIC, Zstd.above(0), sealed));
    Module readers = binder -> WrapperBinder.allow(binder, Deflate.reader(), Zstd.reader(), sealed);
    measure(stage, wrappings, readers, new Size("1 KB", Records.of(SMALL), 8_000));
    measure(stage, wrappings, readers, new Size("20 KB", Records.of(LARGE), 2_000));
  }

  private static Sealed sealed() throws GeneralSecurityException {
    KeysetHandle keyset =
        KeysetHandle.generateNew(
            PredefinedAeadParameters.XAES_256_GCM_192_BIT_NONCE, AeadConfig2026.get());
    return Sealed.with(() -> keyset);
  }

  /**
   * Payloads of one size.
   *
   * @param messages in a turn
   */
  private record Size(String words, Records records, int messages) {}

  private static void measure(
      Stage stage, Map<String, Wrapping> wrappings, Module readers, Size size) throws Exception {
    QueueDatabase database = stage.database();
    List<Contender> producers = new ArrayList<>();
    List<Contender> drainers = new ArrayList<>();
    wrappings.forEach(
        (name, wrapping) -> {
          MessageProducer producer =
              MessageProducer.create().ringing(Ring.SILENT).wrapping(wrapping);
          producers.add(Commits.of(name, new Way(database, 1, BULK), producer, size.records));
          drainers.add(
              RowQueueDrainer.doing(
                      name,
                      new QueueTable(database, producer, size.records),
                      HandlerSettings.defaults(),
                      (work, context) -> {})
                  .beside(List.of(readers)));
        });
    show(stage, "enqueue 100 a call, " + size.words, size.messages, producers);
    show(stage, "drain, " + size.words, size.messages, drainers);
  }

  private static void show(Stage stage, String title, int messages, List<Contender> contenders)
      throws Exception {
    new Contest(stage, "codecs", title, stage.scaled(messages, LEAST))
        .show(contenders.get(0), contenders);
  }

  /** Payloads of several sizes in their rows, and beside them: from which size on that pays. */
  static final class LargePayloads implements Workload {

    private static final int KIB = 1_024;
    private static final int CALL = 10;
    private static final int LEAST = 20;

    /** What each turn moves, but for small payloads. */
    private static final int BYTES = 64 * KIB * KIB;

    @Override
    public String name() {
      return "payloads";
    }

    @Override
    public String what() {
      return "messages enqueued and handled a second with payloads in the row, and beside it";
    }

    @Override
    public void run(Stage stage) throws Exception {
      for (int kib : new int[] {8, 32, 128, 1_000}) {
        measure(stage, kib);
      }
    }

    private static void measure(Stage stage, int kib) throws Exception {
      Records records = Records.of(kib * KIB);
      int messages = stage.scaled(Math.min(BYTES / (kib * KIB), 2_000), LEAST);
      MessageLimits limits = MessageLimits.defaults();
      MessageProducer within = producer(limits.withBodyAbove(2 * kib * KIB));
      MessageProducer beside = producer(limits.withBodyAbove(KIB));
      String size = ", %,d KiB".formatted(kib);
      show(
          new Contest(stage, "payloads", "enqueue, ten a call" + size, messages),
          produces("in the row", stage.database(), within, records),
          produces("beside it", stage.database(), beside, records));
      show(
          new Contest(stage, "payloads", "drain" + size, messages),
          drains("in the row", stage.database(), within, records),
          drains("beside it", stage.database(), beside, records));
    }

    private static MessageProducer producer(MessageLimits limits) {
      return MessageProducer.create(PayloadCodec.json(), limits).ringing(Ring.SILENT);
    }

    private static Contender produces(
        String name, QueueDatabase database, MessageProducer producer, Records records) {
      return Commits.of(name, new Way(database, 1, CALL), producer, records);
    }

    private static Contender drains(
        String name, QueueDatabase database, MessageProducer producer, Records records) {
      return RowQueueDrainer.doing(
          name,
          new QueueTable(database, producer, records),
          HandlerSettings.defaults(),
          (work, context) -> {});
    }

    private static void show(Contest contest, Contender within, Contender beside) throws Exception {
      contest.show(within, List.of(within, beside));
    }
  }
}
