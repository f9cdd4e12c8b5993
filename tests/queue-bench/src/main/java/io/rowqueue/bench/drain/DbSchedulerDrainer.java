package io.rowqueue.bench.drain;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * db-scheduler, tuned as its documentation says for throughput: lock-and-fetch between 4 and 20
 * times its threads, or, on MariaDB, where it refuses that, fetch with the same limits; looks every
 * 100 ms. Its effect is in a transaction of its own, since its jobs have none.
 */
final class DbSchedulerDrainer implements Drainer {

  private static final String TABLE =
      """
      CREATE TABLE IF NOT EXISTS scheduled_tasks (
        task_name VARCHAR(100) NOT NULL,
        task_instance VARCHAR(100) NOT NULL,
        task_data BLOB,
        execution_time TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
        picked BOOLEAN NOT NULL,
        picked_by VARCHAR(50),
        last_success TIMESTAMP(6) NULL,
        last_failure TIMESTAMP(6) NULL,
        consecutive_failures INT,
        last_heartbeat TIMESTAMP(6) NULL,
        version BIGINT NOT NULL,
        priority SMALLINT,
        PRIMARY KEY (task_name, task_instance),
        KEY execution_time_idx (execution_time),
        KEY last_heartbeat_idx (last_heartbeat))\
      """;

  private static final int CHUNK = 1_000;

  private final QueueDatabase database;
  private final int threads;
  private final HikariDataSource pool;
  private final AtomicReference<@Nullable Progress> progress = new AtomicReference<>();
  private final OneTimeTask<String> task;
  private final Effect effect;
  private int round;

  DbSchedulerDrainer(QueueDatabase database, int threads, Effect effect) {
    this.database = database;
    this.threads = threads;
    this.effect = effect;
    effect.prepare(database);
    database.execute(TABLE);
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(
        database.url()
            + "&useServerPrepStmts=true&cachePrepStmts=true&rewriteBatchedStatements=true");
    config.setMaximumPoolSize(threads + 4);
    config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    this.pool = new HikariDataSource(config);
    this.task =
        Tasks.oneTime("bench", String.class).execute((instance, context) -> handle(instance));
  }

  @Override
  public String name() {
    return database.isMariaDb() ? "db-scheduler, fetch" : "db-scheduler, lock-and-fetch";
  }

  private void handle(TaskInstance<String> instance) {
    try {
      if (effect != Effect.NONE) {
        try (Connection connection = pool.getConnection()) {
          effect.happen(connection, instance.getId().hashCode());
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    Progress now = progress.get();
    if (now == null) {
      throw new IllegalStateException("a job of no round was handled");
    }
    now.done();
  }

  @Override
  public int fewer() {
    return 3;
  }

  @Override
  public void fill(int messages) {
    round++;
    Scheduler client = Scheduler.create(pool, task).build();
    List<TaskInstance<?>> some = new ArrayList<>();
    String data = QueueTable.Work.of(0).filler();
    for (int number = 0; number < messages; number++) {
      some.add(task.instance(round + "-" + number, data));
      if (some.size() == CHUNK || number == messages - 1) {
        client.scheduleBatch(some, Instant.now());
        some = new ArrayList<>();
      }
    }
    client.stop();
  }

  @Override
  public void drain(Progress now) throws Exception {
    progress.set(now);
    SchedulerBuilder builder =
        Scheduler.create(pool, task).threads(threads).pollingInterval(Duration.ofMillis(100));
    Scheduler scheduler =
        (database.isMariaDb()
                ? builder.pollUsingFetchAndLockOnExecute(4.0, 20.0)
                : builder.pollUsingLockAndFetch(4.0, 20.0))
            .build();
    scheduler.start();
    try {
      now.awaitAll();
      EmptyTable.await(database, "scheduled_tasks");
      now.finish();
    } finally {
      scheduler.stop();
    }
  }

  @Override
  public void close() {
    pool.close();
  }
}
