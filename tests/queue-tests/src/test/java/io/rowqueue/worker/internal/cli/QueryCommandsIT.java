package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.NewMessage;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers.Order;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Commands that find things and change nothing. */
@QueueTest
class QueryCommandsIT extends CommandScene {

  QueryCommandsIT(QueueDatabase database) {
    super(database);
  }

  private long enqueue(NewMessage message) {
    return producer.enqueue(database.dataSource(), message).value();
  }

  private List<Long> listed(String filters) {
    return done("messages list " + filters)
        .lines()
        .skip(1)
        .map(line -> Long.parseLong(line.strip().split(" ", 2)[0]))
        .toList();
  }

  @Test
  void messages_list_findsByEachFilterAndShowsNoSecrets() {
    long first = enqueue(1);
    long later = enqueue(NewMessage.of("order", new Order(2)).withDelay(Duration.ofHours(1)));
    long other = enqueue(NewMessage.of("mail", new Order(3)).withHeader("tenant", "a\"b"));
    long keyed = enqueue(NewMessage.of("mail", new Order(4)).withOrderingKey("k"));
    long urgent = enqueue(NewMessage.of("mail", new Order(5)).withPriority(-1));
    database.execute(
        "UPDATE queue_message SET created_at = UTC_TIMESTAMP(6) - INTERVAL 2 DAY WHERE id = "
            + first);
    database.execute("UPDATE queue_message SET headers = 'none' WHERE id = " + urgent);

    assertThat(listed("")).containsExactly(urgent, keyed, other, later, first);
    assertThat(listed("--limit 2")).containsExactly(urgent, keyed);
    assertThat(listed("--topic order")).containsExactly(first, later);
    assertThat(listed("--topic order --limit 1")).containsExactly(first);
    assertThat(listed("--topic mail --state available")).containsExactly(urgent, other);
    assertThat(listed("--state scheduled")).containsExactly(later);
    assertThat(listed("--state blocked")).containsExactly(keyed);
    assertThat(done("messages list --state in-flight")).isEqualTo("No messages.");
    assertThat(listed("--ordering-key k")).containsExactly(keyed);
    assertThat(listed("--header tenant=a\"b")).containsExactly(other);
    assertThat(done("messages list --header tenant=a")).isEqualTo("No messages.");
    assertThat(listed("--header token=s3cret --topic order")).containsExactly(first);
    assertThat(listed("--payload-contains mber\":3")).containsExactly(other);
    assertThat(listed("--payload-contains mber --topic order")).containsExactly(first, later);
    assertThat(done("messages list --payload-contains MBER")).isEqualTo("No messages.");
    assertThat(done("messages list --min-attempts 1")).isEqualTo("No messages.");
    database.execute("UPDATE queue_message SET attempts = 2 WHERE id = " + keyed);
    assertThat(listed("--min-attempts 2")).containsExactly(keyed);
    for (int attempt = 1; attempt <= 2; attempt++) {
      database.execute(
          "INSERT INTO queue_attempt (message_id, claim_number, attempt, worker, failed_at,"
              + " error_class, error_message, error_trace) VALUES (%1$s, %2$s, %2$s, 'h',"
                  .formatted(keyed, attempt)
              + " UTC_TIMESTAMP(6), 'a.Refused', 'answer %d', '')".formatted(500 + attempt));
    }
    assertThat(listed("--error-contains REFUSED:")).containsExactly(keyed);
    assertThat(done("messages list --error-contains 501")).isEqualTo("No messages.");
    assertThat(listed("--since 1d --topic order")).containsExactly(later);
    assertThat(listed("--until 1d")).containsExactly(first);
    assertThat(run("messages list --since 1h --until 2h").err())
        .contains("--since must lie before --until");
    assertThat(done("messages list --json --topic order"))
        .contains("\"id\" : " + first, "\"state\" : \"scheduled\"", "\"allExamined\" : true")
        .doesNotContain("s3cret", "number");
  }

  @Test
  void messages_list_examinesAllOfManyMessages() {
    long keyed = enqueue(NewMessage.of("order", new Order(1)).withOrderingKey("k"));
    database.execute(
        "INSERT INTO queue_message (topic, payload) SELECT 'order', '1' FROM"
            + " (WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 120)"
            + " SELECT a.i FROM n AS a CROSS JOIN n AS b) AS many");
    for (String scope : List.of("", " --topic order", " --state blocked")) {
      assertThat(listed("--ordering-key k" + scope)).containsExactly(keyed);
    }
    assertThat(done("messages list --payload-contains 2 --state available"))
        .isEqualTo("No messages.");
    assertThat(listed("--payload-contains 1 --limit 10000")).hasSize(10_000);
  }

  @Test
  void topics_show_hasSettingsCountsAndWhatConcernsTheTopic() {
    enqueue(1);
    enqueue(NewMessage.of("order", new Order(2)).withDelay(Duration.ofHours(1)));
    done("topics limit order --in-flight 3 --rate-limit 50/s");
    done("topics pause order");
    done("schedules set nightly --cron @daily --topic order --payload 1");
    done("subscriptions add shop order");
    done("subscriptions add order mail");
    for (String state : List.of("claiming", "paused", "draining")) {
      database.execute(
          "INSERT INTO queue_worker (lock_id, host, pid, lease_until, version, topics, started_at,"
              + " updated_at, paused, draining) VALUES ('%1$s', 'h', 1, UTC_TIMESTAMP(6) + INTERVAL"
                  .formatted(state)
              + " 1 HOUR, '1', 'order', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), '%1$s' = 'paused',"
                  .formatted(state)
              + " '%1$s' = 'draining')".formatted(state));
    }
    assertThat(done("topics show order").lines().map(line -> line.replaceAll(" {2,}", "|")))
        .contains(
            "topic|order",
            "available|1",
            "scheduled|1",
            "limits|3 at once, 50/s",
            "paused|yes",
            "on dead letter|block",
            "workers|claiming",
            "schedules|nightly",
            "copies from|shop",
            "subscribers|mail");
    assertThat(done("topics show order --json"))
        .contains("\"maxInFlight\" : 3", "\"subscribers\" : [ \"mail\" ]");
    assertThat(refused("topics show ordr").err()).contains("nearest: order");
  }

  @Test
  void deadLetters_export_printsALineEach_withPayloadsOnlyIfAsked() {
    long first = enqueue(1);
    long second = enqueue(2);
    long third = enqueue(3);
    database.execute(
        "INSERT INTO queue_dead_letter (id, topic, priority, claim_number, attempts, lost_claims,"
            + " reason, detail, worker, due_at, created_at, dead_at, headers, payload) SELECT id,"
            + " topic, priority, 1, 1, 0, 'permanent-failure', 'a\nb', 'w', due_at, created_at,"
            + " UTC_TIMESTAMP(6), headers, IF(id = "
            + second
            + ", X'FF', REPEAT('x', 5000000)) FROM queue_message");
    database.execute("DELETE FROM queue_message");

    assertThat(done("dead-letters export --limit 2").lines())
        .hasSize(2)
        .allMatch(line -> line.contains("\"detail\":\"a\\nb\"") && !line.contains("s3cret"))
        .first()
        .matches(line -> line.startsWith("{\"id\":" + first + ","));
    List<String> whole = done("dead-letters export --with-payload").lines().toList();
    assertThat(whole).hasSize(3).allMatch(line -> line.contains("\"token\":\"s3cret\""));
    assertThat(whole.get(0)).contains("\"payload\":\"" + "x".repeat(5_000_000) + "\"");
    assertThat(whole.get(1)).contains("\"payload\":null,\"payloadBase64\":\"/w==\"");
    assertThat(whole.get(2)).startsWith("{\"id\":" + third + ",");
    assertThat(done("dead-letters export --reason too-large")).isEmpty();
  }
}
