package io.rowqueue.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.bench.Bindings.Bare;
import io.rowqueue.bench.Drainer.Effect;
import io.rowqueue.bench.Drainer.Progress;
import io.rowqueue.bench.RowQueueDrainer.QueueTable;
import io.rowqueue.bench.RowQueueDrainer.QueueTable.Work;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.Threads;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

final class Rivals {

  private Rivals() {}

  /**
   * One transaction for each message, of ids that are known, by primary key. Nobody who commits
   * each message by itself can do less.
   */
  static final class DeleteBaseline extends Drainer.OfQueue {
    private final Effect effect;
    private final int threads;

    DeleteBaseline(QueueDatabase database, Effect effect, int threads) {
      super("baseline: DELETE by id, COMMIT", new QueueTable(database));
      this.effect = effect;
      this.threads = threads;
      effect.prepare(database);
    }

    @Override
    public void drain(Progress progress) throws Exception {
      List<Long> ids = table.ids();
      AtomicInteger next = new AtomicInteger();
      Threads.run(threads, () -> deleteAll(ids, next, progress));
      progress.finish();
    }

    private void deleteAll(List<Long> ids, AtomicInteger next, Progress progress)
        throws SQLException {
      try (Connection connection = Bare.connect(database);
          PreparedStatement delete =
              connection.prepareStatement("DELETE FROM queue_message WHERE id = ?")) {
        for (int i = next.getAndIncrement(); i < ids.size(); i = next.getAndIncrement()) {
          effect.happen(connection, i);
          delete.setLong(1, ids.get(i));
          delete.executeUpdate();
          connection.commit();
          progress.done(1);
        }
      }
    }
  }

  /**
   * The loop that most teams write: each thread takes {@code batch} rows with SKIP LOCKED, handles
   * them, deletes them, and commits.
   */
  static final class SkipLockedLoop implements Drainer {

    private static final String TABLE =
        "CREATE TABLE IF NOT EXISTS naive_job (id BIGINT AUTO_INCREMENT PRIMARY KEY, payload"
            + " LONGBLOB NOT NULL, created_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6))";
    private static final String INSERT = "INSERT INTO naive_job (payload) VALUES (?)";
    private static final String SELECT =
        "SELECT id, payload FROM naive_job ORDER BY id LIMIT %d FOR UPDATE SKIP LOCKED";
    private static final String DELETE =
        "DELETE j FROM naive_job j FORCE INDEX (PRIMARY) WHERE j.id IN (%s)";
    private static final int CHUNK = 1_000;

    private final QueueDatabase database;
    private final Effect effect;
    private final int batch;
    private final ObjectMapper json = new ObjectMapper();

    SkipLockedLoop(QueueDatabase database, Effect effect, int batch) {
      this.database = database;
      this.effect = effect;
      this.batch = batch;
      effect.prepare(database);
      database.execute(TABLE);
    }

    @Override
    public String name() {
      return batch == 1
          ? "hand-written loop, SKIP LOCKED"
          : "hand-written loop, %d at a time".formatted(batch);
    }

    @Override
    public int fewer() {
      return 3;
    }

    @Override
    public void fill(int messages) throws SQLException, IOException {
      try (Connection connection = Bare.connect(database);
          PreparedStatement insert = connection.prepareStatement(INSERT)) {
        for (int number = 0; number < messages; number++) {
          insert.setBytes(1, json.writeValueAsBytes(Work.of(number)));
          insert.addBatch();
          if (number % CHUNK == CHUNK - 1) {
            insert.executeBatch();
          }
        }
        insert.executeBatch();
        connection.commit();
      }
    }

    @Override
    public void drain(Progress progress) throws Exception {
      Threads.run(RowQueueDrainer.THREADS, () -> handleAll(progress));
      progress.finish();
    }

    private void handleAll(Progress progress) throws SQLException, IOException {
      String parameters = String.join(",", Collections.nCopies(batch, "?"));
      try (Connection connection = Bare.connect(database);
          PreparedStatement select = connection.prepareStatement(SELECT.formatted(batch));
          PreparedStatement delete = connection.prepareStatement(DELETE.formatted(parameters))) {
        while (true) {
          try {
            int handled = handleBatch(connection, select, delete);
            connection.commit();
            if (handled == 0) {
              return;
            }
            progress.done(handled);
          } catch (SQLTransactionRollbackException e) {
            // Where a DELETE of many ids walks over others' rows, it may be a deadlock's victim.
            connection.rollback();
          }
        }
      }
    }

    private int handleBatch(
        Connection connection, PreparedStatement select, PreparedStatement delete)
        throws SQLException, IOException {
      List<Long> ids = handle(connection, select);
      if (!ids.isEmpty()) {
        // A batch that is not full names its last row again.
        for (int i = 0; i < batch; i++) {
          delete.setLong(1 + i, ids.get(Math.min(i, ids.size() - 1)));
        }
        delete.executeUpdate();
      }
      return ids.size();
    }

    private List<Long> handle(Connection connection, PreparedStatement select)
        throws SQLException, IOException {
      List<Long> ids = new ArrayList<>();
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          ids.add(rows.getLong(1));
          effect.happen(connection, json.readValue(rows.getBytes(2), Work.class).number());
        }
      }
      return ids;
    }
  }

  /**
   * db-scheduler, tuned as its documentation says for throughput: lock-and-fetch between 4 and 20
   * times its threads, or, on MariaDB, where it refuses that, fetch with the same limits; looks
   * every 100 ms. Its effect is in a transaction of its own, since its jobs have none.
   */
  static final class DbSchedulerDrainer implements Drainer {

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
    private final HikariDataSource pool;
    private final AtomicReference<@Nullable Progress> progress = new AtomicReference<>();
    private final OneTimeTask<String> task;
    private final Effect effect;
    private int round;

    DbSchedulerDrainer(QueueDatabase database, Effect effect) {
      this.database = database;
      this.effect = effect;
      effect.prepare(database);
      database.execute(TABLE);
      HikariConfig config = new HikariConfig();
      config.setJdbcUrl(
          database.url()
              + "&useServerPrepStmts=true&cachePrepStmts=true&rewriteBatchedStatements=true");
      config.setMaximumPoolSize(RowQueueDrainer.THREADS + 4);
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
      Objects.requireNonNull(progress.get(), "a job of no round was handled").done(1);
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
          Scheduler.create(pool, task)
              .threads(RowQueueDrainer.THREADS)
              .pollingInterval(Duration.ofMillis(100));
      Scheduler scheduler =
          (database.isMariaDb()
                  ? builder.pollUsingFetch(4.0, 20.0)
                  : builder.pollUsingLockAndFetch(4.0, 20.0))
              .build();
      scheduler.start();
      try (Connection watch = database.connect()) {
        now.awaitAll();
        QueueTable.awaitEmpty(watch, "scheduled_tasks");
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
}
