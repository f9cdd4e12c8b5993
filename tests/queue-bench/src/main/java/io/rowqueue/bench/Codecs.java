package io.rowqueue.bench;

import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.aead.AeadConfig2026;
import com.google.crypto.tink.aead.PredefinedAeadParameters;
import com.google.inject.Module;
import io.rowqueue.bench.QueueTable.Work;
import io.rowqueue.bench.measure.Contender;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.message.MessageLimits;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.PayloadCodec;
import io.rowqueue.seal.Sealed;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.wakeup.Ring;
import io.rowqueue.wrap.Deflate;
import io.rowqueue.wrap.WrapperBinder;
import io.rowqueue.wrap.Wrapping;
import io.rowqueue.wrap.Zstd;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** What it costs to compress, to encrypt and to store payloads apart, on both sides. */
final class Codecs {

  private static final int KIB = 1_024;

  /** What each turn moves, but for small payloads. */
  private static final int BYTES = 64 * KIB * KIB;

  private Codecs() {}

  static void run(Stage stage) throws Exception {
    KeysetHandle keyset =
        KeysetHandle.generateNew(
            PredefinedAeadParameters.XAES_256_GCM_192_BIT_NONCE, AeadConfig2026.get());
    Sealed sealed = Sealed.with(() -> keyset);
    Map<String, Wrapping> wrappings = new LinkedHashMap<>();
    wrappings.put("plain", Wrapping.none());
    wrappings.put("deflate", Wrapping.none().forTopic(QueueTable.TOPIC, Deflate.above(0)));
    wrappings.put("zstd", Wrapping.none().forTopic(QueueTable.TOPIC, Zstd.above(0)));
    wrappings.put("sealed", Wrapping.none().forTopic(QueueTable.TOPIC, sealed));
    wrappings.put(
        "zstd, sealed", Wrapping.none().forTopic(QueueTable.TOPIC, Zstd.above(0), sealed));
    Map<String, MessageProducer> producers = new LinkedHashMap<>();
    wrappings.forEach(
        (name, wrapping) ->
            producers.put(name, MessageProducer.create().ringing(Ring.SILENT).wrapping(wrapping)));
    Module readers = binder -> WrapperBinder.allow(binder, Deflate.reader(), Zstd.reader(), sealed);
    for (Turns turns :
        List.of(
            new Turns(", 1 KB", records(KIB), stage.scaled(8_000, 200), 100),
            new Turns(", 20 KB", records(20 * KIB), stage.scaled(2_000, 200), 100))) {
      measure(stage, turns, producers, List.of(readers));
    }
  }

  /** Payloads of several sizes in their rows, and beside them: from which size on that pays. */
  static void largePayloads(Stage stage) throws Exception {
    for (int kib : new int[] {8, 32, 128, 1_000}) {
      MessageLimits limits = MessageLimits.defaults();
      Map<String, MessageProducer> producers = new LinkedHashMap<>();
      producers.put("in the row", producer(limits.withBodyAbove(2 * kib * KIB)));
      producers.put("beside it", producer(limits.withBodyAbove(KIB)));
      int messages = stage.scaled(Math.min(BYTES / (kib * KIB), 2_000), 20);
      measure(
          stage,
          new Turns(", %,d KiB".formatted(kib), records(kib * KIB), messages, 10),
          producers,
          List.of());
    }
  }

  private static MessageProducer producer(MessageLimits limits) {
    return MessageProducer.create(PayloadCodec.json(), limits).ringing(Ring.SILENT);
  }

  /**
   * Turns with payloads of one size.
   *
   * @param each how many messages a call enqueues
   */
  private record Turns(String size, IntFunction<NewMessage> records, int messages, int each) {}

  private static void measure(
      Stage stage, Turns turns, Map<String, MessageProducer> producers, List<Module> readers)
      throws Exception {
    QueueDatabase database = stage.database();
    List<Contender> enqueue = new ArrayList<>();
    List<Contender> drain = new ArrayList<>();
    producers.forEach(
        (name, producer) -> {
          enqueue.add(
              Commits.of(
                  name, new Commits.Calls(database, 1, turns.each), producer, turns.records));
          drain.add(
              RowQueueDrainer.idle(
                      name,
                      new QueueTable(database, producer, turns.records),
                      HandlerSettings.defaults())
                  .beside(readers));
        });
    stage.contest(
        "enqueue, %d a call%s".formatted(turns.each, turns.size), turns.messages, enqueue);
    stage.contest("drain" + turns.size, turns.messages, drain);
  }

  /**
   * Payloads of about {@code bytes} that shrink as records of real life do: names that recur, and
   * numbers that do not; the same in every run.
   */
  private static IntFunction<NewMessage> records(int bytes) {
    List<String> texts = IntStream.range(0, 64).mapToObj(number -> text(number, bytes)).toList();
    return number ->
        NewMessage.of(QueueTable.TOPIC, new Work(number, texts.get(number % texts.size())));
  }

  private static String text(int number, int bytes) {
    Random random = new Random(number);
    StringBuilder text = new StringBuilder();
    while (text.length() < bytes) {
      text.append(
          "article: %08x, quantity: %d, price: %d.%02d EUR, shelf: %c%d; "
              .formatted(
                  random.nextInt(),
                  1 + random.nextInt(20),
                  random.nextInt(1_000),
                  random.nextInt(100),
                  'A' + random.nextInt(26),
                  random.nextInt(100)));
    }
    return text.substring(0, bytes);
  }
}
