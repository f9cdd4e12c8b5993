package io.rowqueue.worker.internal.cli;

import io.rowqueue.Topic;
import io.rowqueue.internal.operate.JooqTopics;
import io.rowqueue.operate.OrderingKeyDetails;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows who is head of which line. */
@Command(
    name = "lines",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker topics lines TOPIC --url URL [--held] [--json] [OPTIONS]",
    description = {
      "Shows the ordering keys of a topic whose messages wait or are handled: which message is the"
          + " head, where it is, and how many stand behind it. Locks nothing."
    })
@SuppressWarnings("NullAway.Init") // picocli sets the field
final class TopicLinesCommand extends OperatorCommand {

  private static final int MOST = 100_000;

  @Mixin private final JsonOptions json = new JsonOptions();

  @Parameters(paramLabel = "TOPIC", converter = TopicText.class, description = "The topic's name.")
  private Topic topic;

  @LineOnly
  @Option(
      names = "--held",
      arity = "0..1",
      fallbackValue = "true",
      paramLabel = "true|false",
      description = "Only those that a dead letter holds.")
  private boolean held;

  @LineOnly
  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "At most so many, by their keys; 1 to 100000 (default: 100).")
  private int limit = 100;

  TopicLinesCommand(CommandIo io) {
    super(io);
  }

  @Override
  public Integer call() {
    if (limit < 1 || limit > MOST) {
      throw CommandFailure.usage("--limit must lie between 1 and 100000, not " + limit);
    }
    List<OrderingKeyDetails> lines = new JooqTopics(queue()).lines(topic, held, limit);
    show(json.choose(() -> LineTexts.table(lines), root -> LineTexts.fill(root, lines)));
    return ExitCodes.OK;
  }
}
