package io.rowqueue.spring;

import io.rowqueue.internal.claim.QueueCounts;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.schema.QueueSchema;
import io.rowqueue.spring.RowQueueAutoConfiguration.QueueDataSource;
import io.rowqueue.worker.WorkerHealth;
import io.rowqueue.worker.internal.observe.StatusReader;
import io.rowqueue.worker.internal.observe.TopicStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/**
 * The queue and this application's worker as Actuator shows them; of the queue alone if there is no
 * worker. Thread-safe.
 */
final class QueueState {

  private final QueueDataSource source;
  private final ObjectProvider<ApplicationWorker> workers;

  QueueState(QueueDataSource source, ObjectProvider<ApplicationWorker> workers) {
    this.source = source;
    this.workers = workers;
  }

  /** Returns the worker's state; null if the application only enqueues. */
  @Nullable WorkerHealth worker() {
    ApplicationWorker worker = workers.getIfAvailable();
    return worker == null ? null : worker.health();
  }

  /** Returns why the application's messages are not enqueued or handled; null if they are. */
  @Nullable String trouble() {
    try {
      WorkerHealth worker = worker();
      if (worker != null) {
        return worker.notLive() == null ? worker.notReady() : worker.notLive();
      }
      QueueSchema.of(Transactions.on(source.target())).check();
      return null;
    } catch (RuntimeException e) {
      return e.getMessage() == null ? e.toString() : e.getMessage();
    }
  }

  /** Returns the counts of each topic; each stops at 100,000. */
  Map<String, Map<String, Long>> topics() {
    List<TopicStatus> topics =
        new StatusReader(Transactions.on(source.target())).read(QueueCounts.MOST).topics();
    Map<String, Map<String, Long>> counts = new LinkedHashMap<>();
    topics.forEach(topic -> counts.put(topic.topic(), counts(topic)));
    return counts;
  }

  private static Map<String, Long> counts(TopicStatus topic) {
    Map<String, Long> counts = new LinkedHashMap<>();
    counts.put("available", topic.available());
    counts.put("scheduled", topic.scheduled());
    counts.put("blocked", topic.blocked());
    counts.put("inFlight", topic.inFlight());
    counts.put("deadLetters", topic.deadLetters());
    if (topic.oldestAvailable() != null) {
      counts.put("oldestAvailableSeconds", topic.oldestAvailable().toSeconds());
    }
    return counts;
  }
}
