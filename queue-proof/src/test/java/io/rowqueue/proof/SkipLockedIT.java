package io.rowqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.claim.Claim;
import io.rowqueue.claim.ClaimRequest;
import io.rowqueue.claim.ClaimStore;
import io.rowqueue.claim.ClaimStrategy;
import io.rowqueue.claim.ClaimStrategy.Kind;
import io.rowqueue.claim.LockId;
import io.rowqueue.claim.LowWaters;
import io.rowqueue.claim.Survey;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.Topic;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What skip-locked promises beyond what every strategy does; the others wait instead. */
@QueueTest
class SkipLockedIT {

  private static List<Claim> claim(ClaimStrategy strategy, int limit) {
    return strategy.claim(new ClaimRequest(ClaimScene.ORDER, LockId.create("me", 1), limit, 1));
  }

  /** As if a worker stood still in the middle of its claim. */
  @Test
  void rowsThatOthersHold_arePassedBy(QueueDatabase database) throws Exception {
    try (TestWorker parts = ClaimScene.parts(database, Kind.SKIP_LOCKED)) {
      assertPassedBy(database, parts.get(ClaimStrategy.class));
    }
  }

  /** What became urgent since then is for the next one. */
  @Test
  void claimAfterALook_takesWhatItFound_withoutLookingItself(QueueDatabase database) {
    try (TestWorker parts = ClaimScene.parts(database, Kind.SKIP_LOCKED)) {
      List<MessageId> ids = ClaimScene.enqueue(database, 4);
      MessageId urgent = ids.get(3);
      database.execute("UPDATE queue_message SET state = 2 WHERE id = " + urgent);
      Survey look = parts.get(ClaimStore.class).survey(List.of(ClaimScene.ORDER));
      database.execute("UPDATE queue_message SET state = 0, priority = -9 WHERE id = " + urgent);
      ClaimRequest request =
          new ClaimRequest(ClaimScene.ORDER, LockId.create("me", 1), 500, 1).after(look);

      List<Claim> claimed = parts.get(ClaimStrategy.class).claim(request);

      assertThat(ClaimScene.ids(claimed)).isEqualTo(ids.subList(0, 3));
    }
  }

  /** They came back below the cursor's marks, where the look has no cursor. */
  @Test
  void rowsOfALookThatOthersHold_arePassedBy_belowTheMarksToo(QueueDatabase database)
      throws SQLException {
    try (TestWorker parts = ClaimScene.parts(database, Kind.SKIP_LOCKED);
        Connection still = database.connect()) {
      ClaimStrategy strategy = parts.get(ClaimStrategy.class);
      List<MessageId> ids = ClaimScene.enqueue(database, 60);
      assertThat(claim(strategy, 60)).hasSize(60);
      database.execute(
          "UPDATE queue_message SET state = 0, lock_id = '' WHERE id <= " + ids.get(39));
      hold(still, ids.get(7));
      Survey look = parts.get(ClaimStore.class).survey(List.of(ClaimScene.ORDER));
      ClaimRequest request =
          new ClaimRequest(ClaimScene.ORDER, LockId.create("me", 1), 8, 1).after(look);

      assertThat(request.candidates()).isNotEmpty();
      assertThat(ClaimScene.ids(strategy.claim(request))).isEqualTo(ids.subList(8, 16));
      still.rollback();
    }
  }

  /** To walk from the beginning again for them would be dear, and is the next look's. */
  @Test
  void rowsAboveTheMarksThatOthersHold_areMissed_withoutALookBelow(QueueDatabase database)
      throws SQLException {
    try (TestWorker parts = ClaimScene.parts(database, Kind.SKIP_LOCKED);
        Connection still = database.connect()) {
      ClaimStrategy strategy = parts.get(ClaimStrategy.class);
      List<MessageId> ids = ClaimScene.enqueue(database, 6);
      assertThat(claim(strategy, 4)).hasSize(4);
      Survey look = strategy.lookAbove(List.of(ClaimScene.ORDER)).orElseThrow();
      MessageId back = ids.get(1);
      database.execute("UPDATE queue_message SET state = 0, lock_id = '' WHERE id = " + back);
      hold(still, "id > " + ids.get(3));
      ClaimRequest request =
          new ClaimRequest(ClaimScene.ORDER, LockId.create("me", 1), 2, 1).after(look);

      assertThat(request.candidates()).hasSize(2);
      assertThat(strategy.claim(request)).isEmpty();
      Survey whole = parts.get(ClaimStore.class).survey(List.of(ClaimScene.ORDER));
      assertThat(ClaimScene.ids(strategy.claim(request.after(whole)))).containsExactly(back);
      still.rollback();
    }
  }

  /** What has come back below is for a look from the beginning. */
  @Test
  void lookAbove_sees_whatLiesAboveTheMarks(QueueDatabase database) {
    try (TestWorker parts = ClaimScene.parts(database, Kind.SKIP_LOCKED)) {
      ClaimStrategy strategy = parts.get(ClaimStrategy.class);
      List<MessageId> ids = ClaimScene.enqueue(database, 6);
      assertThat(seenAbove(strategy)).isEqualTo(ids);

      assertThat(claim(strategy, 4)).hasSize(4);
      MessageId back = ids.get(1);
      database.execute(
          "UPDATE queue_message SET state = 0, lock_id = '' WHERE id = " + back,
          "UPDATE queue_message SET priority = 3 WHERE id = " + ids.get(4));
      assertThat(seenAbove(strategy)).containsExactly(ids.get(5), ids.get(4));

      assertThat(claim(strategy, 2)).hasSize(2);
      List<MessageId> more = ClaimScene.enqueue(database, 3);
      database.execute("UPDATE queue_message SET priority = 3 WHERE id = " + more.get(0));
      assertThat(seenAbove(strategy)).containsExactly(more.get(1), more.get(2), more.get(0));

      parts.get(LowWaters.class).appeared(ClaimScene.ORDER, (byte) 0, back.value());
      assertThat(seenAbove(strategy)).containsExactly(back, more.get(1), more.get(2), more.get(0));
    }
  }

  private static List<MessageId> seenAbove(ClaimStrategy strategy) {
    Survey survey = strategy.lookAbove(List.of(new Topic("quiet"), ClaimScene.ORDER)).orElseThrow();
    assertThat(survey.available()).containsExactly(ClaimScene.ORDER);
    return survey.candidates().getOrDefault(ClaimScene.ORDER, List.of()).stream()
        .map(one -> new MessageId(one.id()))
        .toList();
  }

  /** Without a cursor claims begin at the beginning, and so does every look. */
  @Test
  void lookAbove_withoutACursor_isNone(QueueDatabase database) {
    try (TestWorker parts = ClaimScene.parts(database, Kind.OPTIMISTIC)) {
      assertThat(parts.get(ClaimStrategy.class).lookAbove(List.of(ClaimScene.ORDER))).isEmpty();
    }
  }

  /** Locks everything up to {@code last} until the transaction ends. */
  private static void hold(Connection still, MessageId last) throws SQLException {
    hold(still, "id <= " + last);
  }

  private static void hold(Connection still, String which) throws SQLException {
    still.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    still.setAutoCommit(false);
    try (Statement update = still.createStatement()) {
      update.executeUpdate(
          "UPDATE queue_message FORCE INDEX (PRIMARY) SET attempts = 7 WHERE " + which);
    }
  }

  private static void assertPassedBy(QueueDatabase database, ClaimStrategy strategy)
      throws SQLException {
    List<MessageId> ids = ClaimScene.enqueue(database, 460);
    database.execute("UPDATE queue_message SET priority = id % 2");
    try (Connection still = database.connect()) {
      hold(still, ids.get(449));
      List<MessageId> free = new ArrayList<>();
      for (List<Claim> next = claim(strategy, 1); !next.isEmpty(); next = claim(strategy, 1)) {
        free.addAll(ClaimScene.ids(next));
      }
      assertThat(free).containsExactlyInAnyOrderElementsOf(ids.subList(450, 460));
      still.commit();
    }
    assertThat(claim(strategy, 460)).hasSize(450).allMatch(claim -> claim.attempts() == 7);
  }
}
