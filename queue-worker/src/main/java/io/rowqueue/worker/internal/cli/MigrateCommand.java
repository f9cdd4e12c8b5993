package io.rowqueue.worker.internal.cli;

import io.rowqueue.Topic;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.operate.JooqTopics;
import io.rowqueue.internal.schedule.JooqSchedules;
import io.rowqueue.internal.schema.QueueSchema;
import io.rowqueue.internal.text.Humanize;
import io.rowqueue.operate.ScheduleDetails;
import io.rowqueue.operate.Schedules;
import io.rowqueue.operate.Topics;
import io.rowqueue.worker.Migrator;
import io.rowqueue.worker.Migrator.Migrated;
import io.rowqueue.worker.internal.observe.ListedWorker;
import io.rowqueue.worker.internal.observe.WorkerReader;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "migrate",
    description = {
      "Creates or updates the queue's tables, which are all named queue_*.",
      "The account needs the privileges of `queue-worker grants migrator`; workers and producers do"
          + " not."
    })
final class MigrateCommand extends QueueCommand implements Callable<Integer> {

  @Option(
      names = "--as-copy",
      description =
          "Separate a copy of a queue's database, such as a dump of production: pause all"
              + " topics and schedules, and give the queue its own identity, so that its"
              + " idempotency keys differ. Refused while a worker is alive.")
  private boolean asCopy;

  @Option(
      names = "--print",
      description =
          "Print the SQL that creates the tables, and do nothing else. Needs no database. A schema"
              + " that was created by it is migrated by SQL from then on.")
  private boolean print;

  MigrateCommand(CommandIo io) {
    super(io);
  }

  @Override
  public Integer call() {
    if (print) {
      if (asCopy) {
        throw CommandFailure.usage("--print and --as-copy are both given; give one");
      }
      io().show(Migrator.script());
      return ExitCodes.OK;
    }
    // A large table takes as long to alter as it takes.
    CommandDatabase database = CommandDatabase.reach(database(), Duration.ZERO);
    String location = io().secrets().hide(database.location());
    change(
        "whether the schema of %s was migrated, or a part of it, is not known; run the same command again: it continues, or shows what to do"
            .formatted(location),
        () -> {
          Migrated result = Migrator.migrate(database.dataSource());
          database.withFittingSchema();
          return describe(result, location);
        });
    if (asCopy) {
      change(
          "which topics and schedules were paused is not known, nor whether the queue has a name of"
              + " its own; run the same command again",
          () -> separate(database));
    }
    return ExitCodes.OK;
  }

  /** Pauses everything, so that no worker handles messages of the original queue. */
  private static String separate(CommandDatabase database) {
    Transactions queue = database.transactions();
    for (ListedWorker worker : new WorkerReader(queue).read()) {
      if (!worker.status().leaseLeft().isNegative()) {
        throw CommandFailure.failed(
            "nothing was paused: the lease of worker %s has not expired, and --as-copy is for a copy that no worker uses; stop it, or, if it is a worker of the original, try again in a minute"
                .formatted(worker.status().lockId()),
            null);
      }
    }
    Topics topics = new JooqTopics(queue);
    Set<String> names = topics.known();
    names.forEach(name -> topics.pause(new Topic(name)));
    Schedules schedules = new JooqSchedules(queue);
    List<String> paused = schedules.list(0).stream().map(ScheduleDetails::name).toList();
    paused.forEach(schedules::pause);
    Migrator.rename(database.dataSource());
    return "%s and %s paused; the queue has a name of its own"
        .formatted(
            Humanize.count(names.size(), "topic"), Humanize.count(paused.size(), "schedule"));
  }

  private static String describe(Migrated result, String location) {
    if (result.changed()) {
      return "schema of %s migrated from version %d to %d"
          .formatted(location, result.from(), result.to());
    }
    return result.to() > QueueSchema.KNOWN_VERSION
        ? "schema of %s is version %d, newer than this RowQueue's %d; nothing to do"
            .formatted(location, result.to(), QueueSchema.KNOWN_VERSION)
        : "schema of %s is up to date at version %d".formatted(location, result.to());
  }
}
