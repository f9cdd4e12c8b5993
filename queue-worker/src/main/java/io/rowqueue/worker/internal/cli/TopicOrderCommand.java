package io.rowqueue.worker.internal.cli;

import io.rowqueue.operate.DeadLetterPolicy;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Says what becomes of messages that wait in line behind a dead letter. */
@Command(
    name = "order",
    versionProvider = VersionText.class,
    customSynopsis =
        "queue-worker topics order TOPIC... --on-dead-letter block|skip --url URL [--force]"
            + " [OPTIONS]",
    description = {
      "Messages with the same ordering key wait behind a dead letter until it is redriven or"
          + " deleted (hold, the default), or go on without it (set-aside); those that wait"
          + " already, too.",
      TopicChangeCommand.EACH_IS_TRIED
    })
final class TopicOrderCommand extends TopicChangeCommand {

  @LineOnly
  @Option(
      names = "--on-dead-letter",
      paramLabel = "block|skip",
      converter = AfterDeadLetterText.class,
      description = "What those behind it do. Required.")
  private @Nullable DeadLetterPolicy then;

  TopicOrderCommand(CommandIo io) {
    super(io);
  }

  @Override
  Change change() {
    if (then == null) {
      throw CommandFailure.usage("say what comes after a dead letter; give --on-dead-letter");
    }
    DeadLetterPolicy wanted = then;
    return (topics, topic) -> {
      topics.onDeadLetter(topic, wanted);
      return wanted == DeadLetterPolicy.BLOCK
          ? "dead letters of topic %s hold their lines".formatted(topic)
          : "lines of topic %s step over their dead letters".formatted(topic);
    };
  }
}
