package io.rowqueue.internal.claim;

import com.google.inject.Module;
import com.google.inject.util.Modules;
import io.rowqueue.ClaimSettings;
import io.rowqueue.ClaimSettings.Kind;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.ClaimConfig;
import java.util.List;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/** What tests of claims begin with. */
final class ClaimScene {

  static final Topic ORDER = new Topic("order");

  private static final MessageProducer PRODUCER = MessageProducer.create();

  private ClaimScene() {}

  /** The parts of a worker that claims in the way of {@code kind}. */
  static TestWorker parts(QueueDatabase database, Kind kind, Module... more) {
    return TestWorker.create(
        database,
        config ->
            config.withClaims(
                ClaimConfig.defaults().withSettings(ClaimSettings.defaults().withStrategy(kind))),
        Modules.combine(more),
        Handlers.bind("order", (order, context) -> {}));
  }

  static List<MessageId> enqueue(QueueDatabase database, int count) {
    return enqueue(database.dataSource(), count);
  }

  static List<MessageId> enqueue(DataSource dataSource, int count) {
    return PRODUCER.enqueueAll(
        dataSource,
        IntStream.range(0, count).mapToObj(i -> NewMessage.of("order", new Order(i))).toList());
  }

  static List<MessageId> ids(List<Claim> claims) {
    return claims.stream().map(Claim::id).toList();
  }
}
