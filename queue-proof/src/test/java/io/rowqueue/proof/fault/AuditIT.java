package io.rowqueue.proof.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.proof.fault.plugin.Deed;
import io.rowqueue.testkit.QueueDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the audit says of a handling whose timeout was extended, and of what nobody knows. */
class AuditIT {

  private static final long PID = 7;
  private static final long BEGIN = Duration.ofMinutes(10).toNanos();
  private static final long WHOLE = Duration.ofMillis(Deed.LONG_MILLIS).toNanos();

  private final QueueDatabase database = QueueDatabase.create();
  private Ledger ledger;

  @TempDir private Path home;

  @BeforeEach
  void handleOne() {
    ledger = new Ledger(database);
    // The audit looks into its books.
    assertThat(new LimitLedger(database).findings()).isEmpty();
    database.execute(
        "INSERT INTO enqueued VALUES (1, '%s', 'SUCCEED', NULL, NULL, 0)".formatted(Deed.LONG),
        "INSERT INTO effect (message_id, claim, pid) VALUES (1, 1, %d)".formatted(PID));
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void whole_isFine() throws IOException {
    assertThat(audit("returned", WHOLE, List.of())).isEmpty();
  }

  @Test
  void short_isFound() throws IOException {
    assertThat(audit("returned", WHOLE - 1, List.of()))
        .singleElement()
        .asString()
        .startsWith("stopped in the time that it was granted");
  }

  @Test
  void failed_isFound_butForAFault() throws IOException {
    assertThat(audit("failed", WHOLE, List.of())).hasSize(1);
    Strike strike = new Strike(BEGIN, BEGIN + 1, Set.of(PID));
    assertThat(audit("failed", WHOLE, List.of(strike))).isEmpty();
  }

  @Test
  void cancelled_isFine_whereSomebodyHasAsked() throws IOException {
    assertThat(audit("cancelled", WHOLE - 1, List.of()))
        .singleElement()
        .asString()
        .startsWith("cancelled, and nobody asked for it");
    database.execute("INSERT INTO asked VALUES (1)");
    assertThat(audit("cancelled", WHOLE - 1, List.of())).isEmpty();
  }

  /** Nobody was stopped, by a timeout that was not over. */
  @Test
  void failed_beforeItsTimeout_isFine() throws IOException {
    long timeout = Deed.LONG_TIMEOUT.toNanos();
    assertThat(audit("failed", timeout - 1, List.of())).isEmpty();
    assertThat(audit("failed", timeout, List.of())).hasSize(1);
  }

  @Test
  void messageThatNobodyKnows_leftAlone_isFine() throws IOException {
    database.execute(booked(), unknown(0, 0));
    assertThat(audit("returned", WHOLE, List.of())).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 1, 'state 0, claimed 1 times'",
    "1, 1, 'state 1, claimed 1 times'",
    "2, 0, 'state 2, claimed 0 times'"
  })
  void messageThatNobodyKnows_touched_isFound(int state, int claims, String how)
      throws IOException {
    database.execute(booked(), unknown(state, claims));
    assertThat(audit("returned", WHOLE, List.of()))
        .containsExactly("message 2, which no worker knows, was not left alone: " + how);
  }

  @Test
  void messageThatNobodyKnows_setAside_isFound() throws IOException {
    database.execute(
        booked(),
        """
        INSERT INTO queue_dead_letter (id, topic, priority, claims, attempts, lost, reason, detail,
          worker, due_at, created_at, dead_at, payload)
        VALUES (2, '%s', 0, 1, 0, 0, 'unreadable', '', 'h-1-x', UTC_TIMESTAMP(6),
          UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), '{}')
        """
            .formatted(Deed.UNKNOWN));
    assertThat(audit("returned", WHOLE, List.of()))
        .containsExactly("message 2, which no worker knows, was not left alone: it is gone");
  }

  private static String booked() {
    return "INSERT INTO enqueued VALUES (2, '%s', 'ODD', NULL, NULL, 0)".formatted(Deed.UNKNOWN);
  }

  private static String unknown(int state, int claims) {
    return "INSERT INTO queue_message (id, topic, state, claims, lock_id, payload) VALUES (2, '%s',"
            .formatted(Deed.UNKNOWN)
        + " %d, %d, IF(%1$d = 1, 'h-1-x', ''), '{}')".formatted(state, claims);
  }

  private List<String> audit(String outcome, long nanos, List<Strike> strikes) throws IOException {
    Files.writeString(
        home.resolve(PID + ".journal"),
        "begin 1 1 1 %d\nend 1 1 %s %d\n".formatted(BEGIN, outcome, BEGIN + nanos));
    return Audit.of(database, ledger, Journal.read(home), strikes).findings();
  }
}
