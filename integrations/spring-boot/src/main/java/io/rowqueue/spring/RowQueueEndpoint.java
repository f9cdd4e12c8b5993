package io.rowqueue.spring;

import io.rowqueue.worker.WorkerHealth;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** Actuator's endpoint with the topics and this application's worker. */
@Endpoint(id = "rowqueue")
final class RowQueueEndpoint {

  private final QueueState state;

  RowQueueEndpoint(QueueState state) {
    this.state = state;
  }

  /** Returns the counts of each topic, and the worker if there is one. */
  @ReadOperation
  Map<String, Object> read() {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("topics", state.topics());
    WorkerHealth worker = state.worker();
    if (worker != null) {
      answer.put(
          "worker", Map.of("threads", worker.threads(), "busyThreads", worker.busyThreads()));
    }
    return answer;
  }
}
