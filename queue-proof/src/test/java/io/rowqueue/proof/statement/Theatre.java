package io.rowqueue.proof.statement;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.QueueException;
import io.rowqueue.database.TransactionProbe;
import io.rowqueue.database.Transition;
import io.rowqueue.proof.race.Rows;
import io.rowqueue.proof.statement.FaultTap.Strike;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Where plays are performed: a schema, and connections that can be made to fail. */
final class Theatre implements AutoCloseable {

  /** A transaction, and a look in the midst of it. */
  private static final int MOST_AT_ONCE = 2;

  private final QueueDatabase database;
  private final HikariDataSource pool;
  private final Scenery scenery;
  private final Connection onlooker;
  private final FaultTap tap = new FaultTap();
  private final List<String> repetitions = new ArrayList<>();
  private final DataSource tapped;

  Theatre(QueueDatabase database) {
    this.database = database;
    this.pool = pool(database);
    this.scenery = new Scenery(database, pool);
    this.onlooker = database.connect();
    this.tapped = TappedConnections.over(pool, tap);
  }

  /** As a worker's is. */
  private static HikariDataSource pool(QueueDatabase database) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(database.dataSource());
    config.setAutoCommit(false);
    config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    config.setMaximumPoolSize(MOST_AT_ONCE);
    config.setMinimumIdle(0);
    return new HikariDataSource(config);
  }

  /** Performs it undisturbed. */
  Performance perform(Play play) {
    return perform(play, null);
  }

  /** Performs it on an empty queue, and lets {@code strike} happen. */
  Performance perform(Play play, @Nullable Strike strike) {
    database.clean();
    Core core = new Core(tapped, new Repetitions());
    return run(play.scene().set(scenery, core), strike);
  }

  /** Does once more what {@code performance} did, on what that left. */
  Performance again(Performance performance) {
    return run(performance.act(), null);
  }

  private Performance run(Play.Act act, @Nullable Strike strike) {
    Rows before = rows();
    repetitions.clear();
    tap.begin(strike);
    Object answer = null;
    QueueException failure = null;
    try {
      answer = act.run();
    } catch (QueueException e) {
      failure = e;
    }
    return new Performance(
        act, answer, failure, tap.sent(), tap.strikes(), List.copyOf(repetitions), before, rows());
  }

  private Rows rows() {
    try {
      return Rows.committed(onlooker);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    pool.close();
    try {
      onlooker.close();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Writes down what the core reports to logs and metrics. */
  private final class Repetitions implements TransactionProbe {
    @Override
    public void repeated(Transition transition, Throwable cause) {
      repetitions.add(transition.label() + ": " + Errors.sql(cause).getErrorCode());
    }
  }
}
