package io.rowqueue.bench.drain;

import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.aead.AeadConfig2026;
import com.google.crypto.tink.aead.PredefinedAeadParameters;
import com.google.inject.Module;
import io.rowqueue.bench.Stage;
import io.rowqueue.bench.Workload;
import io.rowqueue.bench.contest.Contender;
import io.rowqueue.bench.contest.Contest;
import io.rowqueue.bench.enqueue.Commits;
import io.rowqueue.bench.enqueue.Commits.Way;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerSettings;
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
public final class Codecs implements Workload {

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
}
