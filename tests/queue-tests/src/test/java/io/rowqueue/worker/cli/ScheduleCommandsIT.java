package io.rowqueue.worker.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.ShippedCommand;
import io.rowqueue.tests.ShippedCommand.Said;
import org.junit.jupiter.api.Test;

/** The commands on schedules as they are shipped, on a real database. */
@QueueTest
class ScheduleCommandsIT {

  private final QueueDatabase database;
  private final ShippedCommand command;

  ScheduleCommandsIT(QueueDatabase database) {
    this.database = database;
    this.command = new ShippedCommand(database);
  }

  private Said run(String line) {
    return command.run(line);
  }

  private String done(String line) {
    return command.done(line);
  }

  @Test
  void schedules_setListedAndChanged_areWhatTheOptionsSay() throws Exception {
    String set = "schedules set a --every 5m --topic order --payload 1 --header token=s3cret";
    assertThat(done(set)).startsWith("schedule a set; its next firing is at 20");
    assertThat(done("schedules set b --cron @daily --zone Asia/Tokyo --topic t --payload 2"))
        .endsWith("T15:00:00Z");
    assertThat(done("schedules pause a")).isEqualTo("schedule a paused");
    assertThat(done("schedules list --next 2").replaceAll(" {2,}", "|").lines())
        .hasSize(3)
        .anyMatch(line -> line.startsWith("a|every 5m|-|order|once|paused|20"))
        .anyMatch(
            line -> line.matches("b\\|@daily\\|Asia/Tokyo\\|t\\|once\\|on\\|.*Z, .*T15:00:00Z"));
    assertThat(done("schedules list --json"))
        .contains("\"every\" : \"PT5M\"", "\"paused\" : true")
        .doesNotContain("s3cret");
    assertThat(done("schedules show a")).contains("every 5m").doesNotContain("s3cret");
    assertThat(done("schedules show a --with-payload")).contains("s3cret");
    assertThat(done("schedules resume a")).isEqualTo("schedule a resumed");
    assertThat(done("schedules run-now a")).isEqualTo("schedule a enqueued its message");
    assertThat(database.strings("SELECT topic FROM queue_message")).containsExactly("order");
    Said removed = run("schedules remove a c");
    assertThat(removed.exitCode()).isEqualTo(1);
    assertThat(removed.out()).isEqualTo("schedule a removed\n");
    assertThat(removed.err()).isEqualTo("rowqueue: there is no schedule 'c'; nearest: b\n");
  }

  @Test
  void schedules_thatAWorkerDeclares_areChangedByAnOverrideOnly() throws Exception {
    String set = "schedules set a --every 5m --topic order --payload 1";
    done(set);
    database.execute("UPDATE queue_schedule SET declared_at = UTC_TIMESTAMP(6)");
    Said refused = run(set);
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err())
        .startsWith("rowqueue: schedule 'a' was not changed: a worker had it in its code at ")
        .endsWith("change it there, or override it with --override\n");
    done(set + " --override");
    assertThat(done("schedules list")).contains("overridden");
    assertThat(done("schedules reset a")).isEqualTo("schedule a left to the code");
    assertThat(done("schedules list")).doesNotContain("overridden");
  }

  @Test
  void schedules_oneIsWrittenWrongly_isReportedAndTheOthersAreTried() throws Exception {
    done("schedules set z --every 5m --topic order --payload 1");
    database.execute(
        "INSERT INTO queue_schedule (name, topic, every_micros, headers, payload)"
            + " VALUES ('a', 'order', 300000000, 'none', '1')");
    Said enqueued = run("schedules run-now a z");
    assertThat(enqueued.exitCode()).isEqualTo(1);
    assertThat(enqueued.out()).isEqualTo("schedule z enqueued its message\n");
    assertThat(enqueued.err())
        .startsWith("rowqueue: schedule 'a' cannot be read: the headers are no flat JSON object")
        .hasLineCount(1);
  }
}
