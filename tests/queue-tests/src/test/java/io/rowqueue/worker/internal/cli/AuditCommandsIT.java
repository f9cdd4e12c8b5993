package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.operate.JooqAudit;
import io.rowqueue.internal.operate.JooqAudit.Entry;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.ShippedCommand.Said;
import java.util.List;
import org.junit.jupiter.api.Test;

@QueueTest
class AuditCommandsIT extends CommandScene {

  AuditCommandsIT(QueueDatabase database) {
    super(database);
  }

  private List<String> rows() {
    return database.strings(
        "SELECT CONCAT_WS('|', action, target, result) FROM queue_audit ORDER BY id");
  }

  @Test
  void changes_byCommands_writeOneRowForEachTarget_andReadsWriteNone() {
    long id = enqueue(1);
    done("topics pause order");
    done("schedules set nightly --cron @daily --topic order --payload {\"secret\":1}");
    refused("messages prioritize %d 999999 --priority 3".formatted(id));
    database.execute(
        "INSERT INTO queue_dead_letter (id, topic, priority, claim_number, attempts, lost_claims,"
            + " reason, detail, worker, due_at, created_at, dead_at, payload) SELECT id + 1, topic,"
            + " 0, 1, 1, 0, 'permanent-failure', 'd', 'w', due_at, created_at, UTC_TIMESTAMP(6),"
            + " payload FROM queue_message");
    done("dead-letters delete --all --topic order");
    done("enqueue --topic order --payload 1");
    done("topics list");

    assertThat(rows())
        .satisfiesExactly(
            row -> assertThat(row).isEqualTo("topics pause|order|topic order paused"),
            row -> assertThat(row).startsWith("schedules set|nightly|schedule nightly set; its"),
            row ->
                assertThat(row)
                    .isEqualTo(
                        "messages prioritize|%1$d|message %1$d has priority 3".formatted(id)),
            row ->
                assertThat(row).startsWith("messages prioritize|999999|failed: message 999999 was"),
            row ->
                assertThat(row)
                    .isEqualTo(
                        "dead-letters delete|1 dead letter of topic order|1 dead letter of topic"
                            + " order deleted"));
    assertThat(
            database.count(
                "SELECT COUNT(*) FROM queue_audit WHERE actor <> '' AND origin <> '' AND at >"
                    + " UTC_TIMESTAMP(6) - INTERVAL 10 MINUTE"))
        .isEqualTo(5);
    assertThat(done("audit list --limit 1")).contains("dead-letters delete").hasLineCount(2);
    assertThat(done("audit list --json"))
        .contains("\"action\" : \"topics pause\"", "\"target\" : \"order\"")
        .doesNotContain("secret");
  }

  @Test
  void change_thatCannotBeRecorded_isMadeAndSaysSo() {
    database.execute("RENAME TABLE queue_audit TO queue_audit_elsewhere");
    try {
      Said said = run("topics pause --force order");
      assertThat(said.exitCode()).isZero();
      assertThat(said.out()).isEqualTo("topic order paused\n");
      assertThat(said.err()).contains("the change is missing in the table queue_audit: ");
      assertThat(database.strings("SELECT topic FROM queue_topic WHERE paused = 1"))
          .containsExactly("order");
    } finally {
      database.execute("RENAME TABLE queue_audit_elsewhere TO queue_audit");
    }
  }

  @Test
  void entries_areCutToTheirColumns_andPrunedAfterTheirRetention() {
    JooqAudit audit = new JooqAudit(Transactions.on(database.dataSource()));
    String long1 = "x".repeat(254) + "\uD83D\uDE00";
    audit.write(new Entry(long1, "h", "a", "\u00e4".repeat(6_000), "r"));
    audit.write(new Entry("ada", "h", "b", "t", "r"));
    database.execute(
        "UPDATE queue_audit SET at = UTC_TIMESTAMP(6) - INTERVAL 401 DAY WHERE action = 'a'");
    assertThat(audit.list(10)).extracting(row -> row.entry().action()).containsExactly("b", "a");
    assertThat(audit.list(10).get(1).entry().actor()).isEqualTo("x".repeat(254));
    assertThat(audit.list(10).get(1).entry().target()).hasSize(5_000);
    assertThat(audit.prune(10)).isEqualTo(1);
    assertThat(audit.prune(10)).isZero();
    assertThat(audit.list(10)).extracting(row -> row.entry().action()).containsExactly("b");
  }
}
