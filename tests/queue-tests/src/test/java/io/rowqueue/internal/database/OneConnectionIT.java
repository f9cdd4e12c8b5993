package io.rowqueue.internal.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.statement.Tap;
import io.rowqueue.tests.statement.TappedConnections;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What {@link Transactions#onOneConnection} sends, over a pool without auto-commit. */
@QueueTest
class OneConnectionIT {

  private final List<Tap.Sent> sent = new ArrayList<>();
  private final Transactions transactions;

  OneConnectionIT(QueueDatabase database) {
    Tap recording =
        new Tap() {
          @Override
          public void before(Sent next, Connection real) {
            sent.add(next);
          }
        };
    Transactions own = Transactions.on(database.dataSource());
    transactions =
        new Transactions(
            TappedConnections.over(database.dataSource(), recording),
            own.dialect(),
            TransactionProbe.NONE);
  }

  private int read(int number) {
    return transactions.read(dsl -> dsl.fetchSingle("SELECT " + number).get(0, int.class));
  }

  private int change(int number) {
    return transactions.run(
        Transition.CLAIM, tx -> tx.dsl().fetchSingle("SELECT " + number).get(0, int.class));
  }

  private void assertSent(String... expected) {
    assertThat(sent.stream().map(Tap.Sent::sql)).containsExactly(expected);
  }

  @Test
  void transaction_thatFollowsReads_isOneWithThem() {
    assertThat(transactions.onOneConnection(() -> read(1) + read(2) + change(3) + change(4)))
        .isEqualTo(10);
    assertSent("SELECT 1", "SELECT 2", "SELECT 3", "COMMIT", "SELECT 4", "COMMIT");
    assertThat(sent.subList(0, 4)).extracting(Tap.Sent::connection).containsOnly(1);
  }

  @Test
  void reads_thatNoTransactionFollows_areRolledBackOnce() {
    transactions.onOneConnection(() -> change(1) + read(2) + read(3));
    assertSent("SELECT 1", "COMMIT", "SELECT 2", "SELECT 3", "ROLLBACK");
    read(4);
    assertThat(sent).extracting(Tap.Sent::sql).endsWith("SELECT 4", "ROLLBACK");
  }

  @Test
  void work_thatFails_leavesNoTransactionOpen() {
    assertThatThrownBy(
            () ->
                transactions.onOneConnection(
                    () -> {
                      read(1);
                      throw new IllegalStateException("failed");
                    }))
        .hasMessage("failed");
    assertSent("SELECT 1", "ROLLBACK");
  }

  @Test
  void readThatFails_costsItsConnection() {
    transactions.onOneConnection(
        () -> {
          read(1);
          assertThatThrownBy(() -> transactions.read(dsl -> dsl.execute("SELECT nothing")))
              .isInstanceOf(DatabaseUnavailableException.class);
          return change(2);
        });
    assertSent("SELECT 1", "SELECT nothing", "ROLLBACK", "SELECT 2", "COMMIT");
  }

  @Test
  void snapshot_isATransactionOfItsOwn() {
    transactions.onOneConnection(
        () -> read(1) + transactions.readSnapshot(dsl -> dsl.execute("SELECT 2")));
    assertThat(sent).extracting(Tap.Sent::connection).containsExactly(1, 2, 2, 2, 1);
  }
}
