package io.rowqueue.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.ClaimSettings.Kind;
import io.rowqueue.MessageId;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.TestWorker;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class SkipLockedIT {

  private final QueueDatabase database;
  private TestWorker parts;
  private ClaimStrategy strategy;

  SkipLockedIT(QueueDatabase database) {
    this.database = database;
  }

  @BeforeEach
  void parts() {
    parts = ClaimScene.parts(database, Kind.SKIP_LOCKED);
    strategy = parts.get(ClaimStrategy.class);
  }

  @AfterEach
  void closeConnections() {
    parts.close();
  }

  private List<Claim> claim(int limit) {
    return strategy.claim(new ClaimRequest(ClaimScene.ORDER, LockId.create("me", 1), limit, 1));
  }

  /** As if a worker stood still in the middle of its claim. */
  @Test
  void rowsThatOthersHold_arePassedBy() throws Exception {
    List<MessageId> ids = ClaimScene.enqueue(database, 460);
    database.execute("UPDATE queue_message SET priority = id % 2");
    try (Connection still = database.connect()) {
      hold(still, ids.get(449));
      List<MessageId> free = new ArrayList<>();
      for (List<Claim> next = claim(1); !next.isEmpty(); next = claim(1)) {
        free.addAll(ClaimScene.ids(next));
      }
      assertThat(free).containsExactlyInAnyOrderElementsOf(ids.subList(450, 460));
      still.commit();
    }
    assertThat(claim(460)).hasSize(450).allMatch(claim -> claim.attempts() == 7);
  }

  /** What became urgent since then is for the next one. */
  @Test
  void claimAfterALook_takesWhatItFound_withoutLookingItself() {
    List<MessageId> ids = ClaimScene.enqueue(database, 4);
    MessageId urgent = ids.get(3);
    database.execute("UPDATE queue_message SET state = 2 WHERE id = " + urgent);
    PollResult poll = parts.get(ClaimStore.class).poll(List.of(ClaimScene.ORDER));
    database.execute("UPDATE queue_message SET state = 0, priority = -9 WHERE id = " + urgent);
    ClaimRequest request =
        new ClaimRequest(ClaimScene.ORDER, LockId.create("me", 1), 500, 1).after(poll);

    List<Claim> claimed = strategy.claim(request);

    assertThat(ClaimScene.ids(claimed)).isEqualTo(ids.subList(0, 3));
  }

  /** They came back below the cursor's marks, where the look has no cursor. */
  @Test
  void rowsOfALookThatOthersHold_arePassedBy_belowTheMarksToo() throws SQLException {
    try (Connection still = database.connect()) {
      List<MessageId> ids = ClaimScene.enqueue(database, 60);
      assertThat(claim(60)).hasSize(60);
      database.execute(
          "UPDATE queue_message SET state = 0, lock_id = '' WHERE id <= " + ids.get(39));
      hold(still, ids.get(7));
      PollResult poll = parts.get(ClaimStore.class).poll(List.of(ClaimScene.ORDER));
      ClaimRequest request =
          new ClaimRequest(ClaimScene.ORDER, LockId.create("me", 1), 8, 1).after(poll);

      assertThat(request.candidates()).isNotEmpty();
      assertThat(ClaimScene.ids(strategy.claim(request))).isEqualTo(ids.subList(8, 16));
      still.rollback();
    }
  }

  /** Others may lie before offers: what they do not get is the next look's. */
  @Test
  void offersThatOthersHold_areMissed_withoutAnotherPoll() throws SQLException {
    try (Connection still = database.connect()) {
      List<MessageId> ids = ClaimScene.enqueue(database, 6);
      hold(still, "id = " + ids.get(4));

      assertThat(claimOffers(ids.get(4))).isEmpty();
      assertThat(claimOffers(ids.get(3), ids.get(4))).containsExactly(ids.get(3));
      assertThat(claimOffers(ids.get(3))).isEmpty();
      still.rollback();
    }
  }

  /** Behind the first claim it knows that its marks are new, and begins at them. */
  @Test
  void offers_raiseNoMarks() {
    List<MessageId> ids = ClaimScene.enqueue(database, 6);
    assertThat(ClaimScene.ids(claim(1))).containsExactly(ids.get(0));
    NavigableMap<Byte, Long> marks = strategy.marks(ClaimScene.ORDER);

    assertThat(claimOffers(ids.get(5))).containsExactly(ids.get(5));

    assertThat(marks).containsExactly(Map.entry((byte) 0, ids.get(0).value()));
    assertThat(strategy.marks(ClaimScene.ORDER)).isEqualTo(marks);
  }

  /** A suspect is left to a claim that looks. */
  @Test
  void offersThatMustBeHandledAlone_areLeft_asTheRequestSays() {
    List<MessageId> ids = ClaimScene.enqueue(database, 2);
    List<Candidate> offers =
        List.of(
            new Candidate(ids.get(0).value(), (byte) 0, 1, 1),
            new Candidate(ids.get(1).value(), (byte) 0, 0, 0));
    ClaimRequest request = new ClaimRequest(ClaimScene.ORDER, LockId.create("me", 1), 6, 0);
    assertThat(ClaimScene.ids(strategy.claim(request.among(offers)))).containsExactly(ids.get(1));
  }

  private List<MessageId> claimOffers(MessageId... ids) {
    List<Candidate> offers =
        Stream.of(ids).map(id -> new Candidate(id.value(), (byte) 0, 0, 0)).toList();
    ClaimRequest request = new ClaimRequest(ClaimScene.ORDER, LockId.create("me", 1), 6, 1);
    return ClaimScene.ids(strategy.claim(request.among(offers)));
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
}
