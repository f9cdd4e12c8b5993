package io.rowqueue.worker.cli;

import io.rowqueue.worker.observe.QueueStatus;
import io.rowqueue.worker.observe.StatusReader;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows what the queue holds and who works on it. */
@Command(
    name = "status",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker status --url URL [--json] [OPTIONS]",
    description = {
      "Shows for each topic what is available, scheduled, in flight and dead, and the workers that"
          + " are alive. Reads one snapshot and locks nothing."
    })
final class StatusCommand extends QueueCommand implements Callable<Integer> {

  /** Counting a very long queue takes its time. */
  private static final Duration LONGEST_ANSWER = Duration.ofMinutes(5);

  @Option(
      names = "--json",
      arity = "0..1",
      fallbackValue = "true",
      paramLabel = "true|false",
      description = "Print one JSON object, for programs.")
  private boolean json;

  StatusCommand(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  public Integer call() {
    CommandDatabase database =
        CommandDatabase.reach(database(), LONGEST_ANSWER).withFittingSchema();
    QueueStatus status = StatusReader.of(database.transactions()).read();
    surroundings().out().println(json ? StatusJson.of(status) : StatusTable.of(status));
    return ExitCodes.OK;
  }
}
