package io.rowqueue.internal.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.internal.claim.QueueCounts.Count;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.deadletter.DeadLetterGroups.Group;
import io.rowqueue.internal.deadletter.DeadLetterGroups.Groups;
import io.rowqueue.operate.DeadLetterFilter;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

@QueueTest
class DeadLetterGroupsIT {

  private static final String DEAD =
      """
      INSERT INTO queue_dead_letter (id, topic, priority, claim_number, attempts, lost_claims, reason, detail,
          fingerprint, worker, due_at, created_at, dead_at, payload)
        WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %3$d - 1)
        SELECT %2$d + i, '%1$s', 0, 1, 1, 0, 'permanent-failure', CONCAT('a.B: order ', i), %4$d, 'w',
            UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), '2026-11-28 02:00:00' + INTERVAL i MINUTE, '{}' FROM n\
      """;

  private final QueueDatabase database;
  private final Transactions transactions;

  DeadLetterGroupsIT(QueueDatabase database) {
    this.database = database;
    this.transactions = Transactions.on(database.dataSource());
  }

  private void insert(String topic, int firstId, int count, long fingerprint) {
    database.execute(DEAD.formatted(topic, firstId, count, fingerprint));
  }

  private Groups read(DeadLetterFilter filter) {
    return new DeadLetterGroups(transactions).read(filter);
  }

  private static Instant minute(int minute) {
    return Instant.parse("2026-11-28T02:00:00Z").plusSeconds(60L * minute);
  }

  @Test
  void groups_areByTopicAndFingerprint_theLargestFirst() {
    insert("orders", 1, 3, 7);
    insert("orders", 11, 5, -8);
    insert("mail", 21, 2, 7);
    assertThat(read(DeadLetterFilter.ALL).groups())
        .containsExactly(
            group("orders", -8, 5, 15), group("orders", 7, 3, 3), group("mail", 7, 2, 22));
    assertThat(read(new DeadLetterFilter(new Topic("mail"), null, null, null)))
        .isEqualTo(new Groups(List.of(group("mail", 7, 2, 22)), new Count(1, true)));
  }

  private static Group group(String topic, long fingerprint, int count, long newest) {
    return new Group(
        topic,
        fingerprint,
        "a.B: order ?",
        new Count(count, true),
        minute(0),
        minute(count - 1),
        new MessageId(newest));
  }

  @Test
  void times_limitTheCountAndTheNewest() {
    insert("orders", 1, 10, 7);
    insert("orders", 21, 2, 8);
    Groups groups = read(new DeadLetterFilter(null, null, minute(4), minute(7)));
    assertThat(groups.groups()).hasSize(1);
    assertThat(groups.groups().get(0).count()).isEqualTo(new Count(3, true));
    assertThat(groups.groups().get(0).newest()).isEqualTo(new MessageId(7));
  }

  @Test
  void search_limitsCountTimesAndNewest() {
    insert("orders", 1, 10, 7);
    insert("orders", 21, 4, 8);
    insert("mail", 31, 3, 8);
    DeadLetterSearch search = new DeadLetterSearch("ORDER 2", null, null, Map.of());
    assertThat(new DeadLetterGroups(transactions).read(DeadLetterFilter.ALL, search).groups())
        .extracting(Group::topic, Group::count, Group::first, Group::last, Group::newest)
        .containsExactlyInAnyOrder(
            tuple("orders", new Count(1, true), minute(2), minute(2), new MessageId(3)),
            tuple("orders", new Count(1, true), minute(2), minute(2), new MessageId(23)),
            tuple("mail", new Count(1, true), minute(2), minute(2), new MessageId(33)));
    DeadLetterReason reason = DeadLetterReason.PERMANENT_FAILURE;
    Groups groups =
        new DeadLetterGroups(transactions)
            .read(
                new DeadLetterFilter(new Topic("orders"), reason, minute(1), minute(9)),
                DeadLetterSearch.ANY);
    assertThat(groups)
        .isEqualTo(
            new Groups(
                List.of(
                    new Group(
                        "orders",
                        7,
                        "a.B: order ?",
                        new Count(8, true),
                        minute(1),
                        minute(8),
                        new MessageId(9)),
                    new Group(
                        "orders",
                        8,
                        "a.B: order ?",
                        new Count(3, true),
                        minute(1),
                        minute(3),
                        new MessageId(24))),
                new Count(2, true)));
  }

  @Test
  void largeAndManyGroups_areCountedUpToALimit() {
    insert("orders", 1, 900, 1);
    insert("orders", 1_001, 900, 1);
    for (int i = 2; i <= 60; i++) {
      insert("orders", i * 10_000, 1, i);
    }
    Groups groups = read(DeadLetterFilter.ALL);
    assertThat(groups.groups()).hasSize(DeadLetterGroups.MOST_GROUPS);
    assertThat(groups.groups().get(0).count()).isEqualTo(new Count(1_600, false));
    assertThat(groups.groups().get(1).count()).isEqualTo(new Count(1, true));
    assertThat(groups.found()).isEqualTo(new Count(60, true));
  }
}
