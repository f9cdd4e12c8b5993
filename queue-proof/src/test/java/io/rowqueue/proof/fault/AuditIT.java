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

/** What the audit says of a handling whose timeout was extended. */
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

  private List<String> audit(String outcome, long nanos, List<Strike> strikes) throws IOException {
    Files.writeString(
        home.resolve(PID + ".journal"),
        "begin 1 1 1 %d\nend 1 1 %s %d\n".formatted(BEGIN, outcome, BEGIN + nanos));
    return Audit.of(database, ledger, Journal.read(home), strikes).findings();
  }
}
