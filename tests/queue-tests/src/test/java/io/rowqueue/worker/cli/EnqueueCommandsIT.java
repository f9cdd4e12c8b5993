package io.rowqueue.worker.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.ShippedCommand;
import io.rowqueue.tests.ShippedCommand.Said;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands by which messages come into the queue, and to whom, as they are shipped. */
@QueueTest
class EnqueueCommandsIT {

  private final QueueDatabase database;
  private final ShippedCommand command;
  private final Path directory;

  EnqueueCommandsIT(QueueDatabase database, @TempDir Path directory) {
    this.database = database;
    this.command = new ShippedCommand(database);
    this.directory = directory;
  }

  private Said run(String line) {
    return command.run(line);
  }

  private String done(String line) {
    return command.done(line);
  }

  @Test
  void subscriptions_addedMutedAndRemoved_areWhatTheCommandsSay() throws Exception {
    assertThat(done("subscriptions list")).isEqualTo("No subscriptions.");
    assertThat(done("subscriptions add order.placed stock audit").lines())
        .containsExactly("order.placed -> stock subscribed", "order.placed -> audit subscribed");
    assertThat(done("subscriptions mute order.placed stock"))
        .isEqualTo("order.placed -> stock muted");
    assertThat(done("subscriptions list").replaceAll(" {2,}", "|").lines())
        .containsExactly("SOURCE|TOPIC|STATE", "order.placed|audit|on", "order.placed|stock|muted");
    assertThat(done("subscriptions list --json")).contains("\"topic\" : \"stock\"", "true");
    assertThat(done("subscriptions test order.placed")).isEqualTo("audit");
    assertThat(done("subscriptions unmute order.placed stock")).endsWith("unmuted");
    assertThat(done("subscriptions test order.placed --json")).contains("\"audit\", \"stock\"");
    Said removed = run("subscriptions remove order.placed stock other");
    assertThat(removed.exitCode()).isEqualTo(1);
    assertThat(removed.out()).isEqualTo("order.placed -> stock removed\n");
    assertThat(removed.err())
        .startsWith("rowqueue: there is no subscription order.placed -> other; ");
    assertThat(run("subscriptions test nothing").exitCode()).isEqualTo(1);
  }

  @Test
  void enqueue_published_isCopiedToWhoIsSubscribed() throws Exception {
    assertThat(done("enqueue --publish --topic order.placed --payload 1"))
        .isEqualTo("message published under order.placed, to nobody");
    done("subscriptions add order.placed stock audit");
    assertThat(done("enqueue --publish --topic order.placed --payload 2"))
        .matches("message published under order.placed: \\d+ to audit, \\d+ to stock");
    Path lines = Files.writeString(directory.resolve("published"), "3\n4\n");
    for (String way : new String[] {"", " --atomic"}) {
      assertThat(done("enqueue --publish --topic order.placed --file " + lines + way))
          .isEqualTo("2 messages published under order.placed: 4 copies");
    }
    assertThat(database.strings("SELECT DISTINCT topic FROM queue_message ORDER BY topic"))
        .containsExactly("audit", "stock");
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(10);
  }

  @Test
  void enqueue_underAKey_saysWhatBecameOfIt() throws Exception {
    String under = "enqueue --topic a --dedup-key k --dedup-while waiting --payload ";
    assertThat(done(under + "1")).endsWith(" enqueued to a");
    String id = database.strings("SELECT id FROM queue_message").get(0);
    assertThat(done(under + "2"))
        .isEqualTo("message " + id + " of a holds the key; nothing was enqueued");
    assertThat(done(under + "3 --dedup-answer replace"))
        .isEqualTo("message " + id + " of a holds the key, and was replaced");
    assertThat(database.strings("SELECT payload FROM queue_message")).containsExactly("3");
    Said refused = run(under + "4 --dedup-answer refuse");
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err()).contains("'k' of topic 'a' is held by message " + id);
    assertThat(run("enqueue --topic a --dedup-key k --payload 5").exitCode()).isEqualTo(2);
    assertThat(run("enqueue --topic a --dedup-within 1h --payload 5").exitCode()).isEqualTo(2);
    Path lines = Files.writeString(directory.resolve("lines"), "1\n");
    assertThat(run("enqueue --topic a --dedup-key k --dedup-within 1h --file " + lines).exitCode())
        .isEqualTo(2);
  }

  @Test
  void enqueue_withEverything_isStoredAndCounted() throws Exception {
    assertThat(done("migrate")).contains("is up to date at version");
    assertThat(done("enqueue --topic a --payload {} --delay 1h --priority 9 --header k=v"))
        .startsWith("message ")
        .endsWith(" enqueued to a");
    Path lines = Files.writeString(directory.resolve("lines"), "1\n\n2\n3\n");
    assertThat(done("enqueue --topic a --from-line 3 --atomic --file " + lines))
        .isEqualTo("2 messages enqueued to a");
    assertThat(
            database.strings(
                "SELECT CONCAT_WS(' ', state, priority, payload, headers,"
                    + " due_at > UTC_TIMESTAMP() + INTERVAL 50 MINUTE) FROM queue_message"
                    + " ORDER BY id"))
        .containsExactly("2 9 {} {\"k\":\"v\"} 1", "0 0 2 0", "0 0 3 0");
    assertThat(done("status --json")).contains("\"available\" : 2", "\"scheduled\" : 1");
    assertThat(done("config check")).contains("url ", "ROWQUEUE_URL");
  }
}
