package io.rowqueue.proof.race;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.internal.database.Transition;
import io.rowqueue.proof.race.Player.Gate;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.LockWaits;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** What comes while another one stands before its COMMIT. */
final class ExternalBody {

  private static final Duration SOON = Duration.ofSeconds(40);

  private final QueueDatabase database;
  private final Gate gate;

  ExternalBody(QueueDatabase database, Gate gate) {
    this.database = database;
    this.gate = gate;
  }

  static <T> T answer(CompletableFuture<T> answer) throws Exception {
    return answer.get(SOON.toSeconds(), TimeUnit.SECONDS);
  }

  /** Starts {@code move}, which waits for a row of {@code table}. */
  <T> CompletableFuture<T> waiting(String table, Supplier<T> move) throws SQLException {
    CompletableFuture<T> answer = CompletableFuture.supplyAsync(move);
    try (Connection onlooker = database.connect()) {
      LockWaits waits = new LockWaits(onlooker, database.isMariaDb());
      Await.that(
          "it waits for a row of " + table,
          SOON,
          () -> {
            assertThat(answer).isNotDone();
            return tables(waits).contains(table);
          });
    }
    return answer;
  }

  private static List<String> tables(LockWaits waits) {
    try {
      return waits.tables();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Plays {@code second} while {@code move} stands before the COMMIT of its {@code transition}, and
   * sees it wait for a row of {@code table}.
   */
  <T> T follows(Transition transition, Supplier<?> move, String table, Supplier<T> second)
      throws Exception {
    Gate.Hold hold = gate.closeFor(transition);
    try {
      CompletableFuture<?> first = CompletableFuture.supplyAsync(move);
      answer(CompletableFuture.anyOf(hold.reached(), first));
      CompletableFuture<T> answer = waiting(table, second);
      hold.admitNext();
      answer(first);
      return answer(answer);
    } finally {
      hold.admitNext();
    }
  }

  /** Plays {@code second} while {@code move} stands before the COMMIT of its {@code transition}. */
  <T> T passes(Transition transition, Supplier<?> move, Supplier<T> second) throws Exception {
    Gate.Hold hold = gate.closeFor(transition);
    try {
      CompletableFuture<?> first = CompletableFuture.supplyAsync(move);
      answer(CompletableFuture.anyOf(hold.reached(), first));
      T answer = answer(CompletableFuture.supplyAsync(second));
      assertThat(first).isNotDone();
      hold.admitNext();
      answer(first);
      return answer;
    } finally {
      hold.admitNext();
    }
  }
}
