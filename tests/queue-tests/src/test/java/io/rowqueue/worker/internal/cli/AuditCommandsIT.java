package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.operate.JooqAudit;
import io.rowqueue.internal.operate.JooqAudit.Entry;
import io.rowqueue.internal.operate.JooqAudit.Filter;
import io.rowqueue.internal.operate.JooqAudit.Found;
import io.rowqueue.internal.operate.JooqAudit.Written;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.ShippedCommand.Said;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

@QueueTest
class AuditCommandsIT extends CommandScene {

  private static final Duration LONG = Duration.ofMinutes(1);

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
    assertThat(all(audit)).extracting(Entry::action).containsExactly("b", "a");
    assertThat(all(audit).get(1).actor()).isEqualTo("x".repeat(254));
    assertThat(all(audit).get(1).target()).hasSize(5_000);
    assertThat(audit.prune(10)).isEqualTo(1);
    assertThat(audit.prune(10)).isZero();
    assertThat(all(audit)).extracting(Entry::action).containsExactly("b");
  }

  private static List<Entry> all(JooqAudit audit) {
    return audit.find(Filter.ANY, null, 10, LONG).entries().stream().map(Written::entry).toList();
  }

  /** In several steps of a search. */
  private void makeOthers(int changes) {
    database.execute(
        "INSERT INTO queue_audit (at, actor, origin, action, target, result)"
            + " WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)"
            + " SELECT UTC_TIMESTAMP(6), 'bob', 'h', 'message.cancel', a.i * 500 + b.i, 'done'"
            + " FROM n a JOIN n b LIMIT "
            + changes);
  }

  @Test
  void list_withFilters_findsAChangeBehindThousandsOfOthers() {
    JooqAudit audit = new JooqAudit(Transactions.on(database.dataSource()));
    audit.write(new Entry("ada", "10.1.2.3", "topic.purge", "orders", "completed: 7 deleted"));
    audit.write(new Entry("eve", "10.1.2.4", "topic.purge", "mail_100%", "completed: 8 deleted"));
    database.execute("UPDATE queue_audit SET at = UTC_TIMESTAMP(6) - INTERVAL 3 DAY");
    makeOthers(2_500);
    audit.write(new Entry("ada", "10.1.2.3", "topic.pause", "orders", "done"));

    assertThat(done("audit list --limit 2")).contains("orders", "cancel").doesNotContain("purge");
    for (String purge :
        List.of(
            "--target order --action purge",
            "--by ada --action topic.purge",
            "--by 10.1.2.3 --until 2d",
            "--since 4d --until 2d --target orders")) {
      assertThat(done("audit list " + purge))
          .as(purge)
          .contains("completed: 7 deleted")
          .doesNotContain("completed: 8 deleted", "message.cancel", "done");
    }
    assertThat(done("audit list --target _100%")).contains("eve").hasLineCount(2);
    assertThat(done("audit list --since 1d --by ada")).contains("topic.pause").hasLineCount(2);
    assertThat(done("audit list --by ad")).isEqualTo("No changes.");
    assertThat(done("audit list --by eve --json")).contains("\"allExamined\" : true");
  }

  @Test
  void search_thatStops_continuesBeforeTheOldestThatItExamined() {
    JooqAudit audit = new JooqAudit(Transactions.on(database.dataSource()));
    audit.write(new Entry("ada", "h", "topic.purge", "orders", "done"));
    makeOthers(10);
    Found none = audit.find(Filter.ANY, null, 10, Duration.ZERO);
    assertThat(none.entries()).isEmpty();
    assertThat(none.before()).as("nothing was examined").isNotNull();
    Found first = audit.find(Filter.ANY, none.before(), 10, LONG);
    assertThat(first.entries()).hasSize(10);
    Found last = audit.find(Filter.ANY, first.before(), 10, LONG);
    assertThat(last.entries())
        .extracting(row -> row.entry().action())
        .containsExactly("topic.purge");
    assertThat(last.before()).isNull();
  }
}
