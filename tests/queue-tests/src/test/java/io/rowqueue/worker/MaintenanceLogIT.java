package io.rowqueue.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.CapturedLog;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.OwnThreads;
import io.rowqueue.tests.TestWorker;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

@ExtendWith(OwnThreads.class)
@ResourceLock(CapturedLog.LEVELS)
@QueueTest
class MaintenanceLogIT {

  private static final Duration SOON = Duration.ofSeconds(30);

  private final QueueDatabase database;

  MaintenanceLogIT(QueueDatabase database) {
    this.database = database;
  }

  /** What is logged while a worker runs that claims nothing of this, until all of {@code lines}. */
  private List<String> assertLogged(String... lines) {
    try (CapturedLog log = CapturedLog.fromDebugOn("io.rowqueue.worker.internal.maintain")) {
      try (TestWorker worker =
          TestWorker.start(
              database,
              config -> config.withLeaseDuration(Duration.ofSeconds(2)),
              Handlers.bind("elsewhere", (order, context) -> {}))) {
        Await.until("all is logged", SOON, log::lines, said -> said.containsAll(List.of(lines)));
      }
      assertThat(log.lines()).contains(lines).doesNotHaveDuplicates();
      return log.lines();
    }
  }

  private void claimed(int count, int lost) {
    for (int i = 0; i < count; i++) {
      database.execute(
          "INSERT INTO queue_message (topic, payload, state, lock_id, claim_number, lost_claims,"
              + " handler_started) VALUES"
              + " ('order', '1', 1, 'gone-1-x', 1, %d, 1)".formatted(lost));
    }
  }

  /** Somebody has to know: a process is gone, and a message may be what ended it. */
  @Test
  void reaped_isAWarning_andQuarantinedAnError() {
    claimed(2, 0);
    claimed(3, 2);
    database.execute(
        "INSERT INTO queue_worker (lock_id, host, pid, is_alive, lease_until, version, topics,"
            + " started_at, updated_at) VALUES ('gone-1-x', 'gone', 1, 1, UTC_TIMESTAMP(6) -"
            + " INTERVAL 1 SECOND, 'v', 'order', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))");
    assertLogged(
        "WARN 1 worker was declared dead and its messages are reaped: its lease expired",
        "WARN 2 messages of dead workers are available again",
        "ERROR 3 messages were lost too often with their workers and quarantined; redrive them"
            + " once the cause is fixed");
  }

  /** Nobody has to know what goes by its age, all day long. */
  @Test
  void pruned_isSaidToWhoDebugs() {
    for (int id = 1; id <= 2; id++) {
      database.execute(
          "INSERT INTO queue_archive (id, settled_day, topic, priority, claim_number, attempts,"
              + " lost_claims,"
              + " worker, due_at, created_at, settled_at, payload) VALUES (%d, UTC_DATE() -"
                  .formatted(id)
              + " INTERVAL 3 DAY, 'order', 0, 1, 0, 0, 'w', UTC_TIMESTAMP(), UTC_TIMESTAMP(),"
              + " UTC_TIMESTAMP(), 'p')");
    }
    database.execute(
        "INSERT INTO queue_deduplication (dedup_id, topic, dedup_key, version, updated_at) VALUES"
            + " (REPEAT('x', 16), 'order', 'k', 1, UTC_TIMESTAMP(6) - INTERVAL 1 DAY)");
    List<String> said =
        assertLogged(
            "DEBUG 2 archived messages past their topics' retention were deleted",
            "DEBUG 1 unused deduplication key was deleted");
    assertThat(said).noneMatch(line -> !line.startsWith("DEBUG ") && line.contains("deleted"));
  }
}
