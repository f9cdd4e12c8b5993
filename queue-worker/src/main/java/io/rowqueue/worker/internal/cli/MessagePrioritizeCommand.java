package io.rowqueue.worker.internal.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Gives messages another priority. */
@Command(
    name = "prioritize",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker messages prioritize ID... --priority N --url URL [OPTIONS]",
    description = {"Gives messages another priority.", MessageChangeCommand.EACH_IS_TRIED})
final class MessagePrioritizeCommand extends MessageChangeCommand {

  @LineOnly
  @Option(
      names = "--priority",
      paramLabel = "N",
      description = "-128 to 127; lower is sooner. Required.")
  private @Nullable Integer priority;

  MessagePrioritizeCommand(CommandIo io) {
    super(io);
  }

  @Override
  Change change() {
    if (priority == null) {
      throw CommandFailure.usage("no priority is named; give --priority, as in --priority -5");
    }
    int value = priority;
    if (value < Byte.MIN_VALUE || value > Byte.MAX_VALUE) {
      throw CommandFailure.usage("--priority must lie between -128 and 127, not " + value);
    }
    return (messages, id) -> {
      messages.prioritize(id, value);
      return "message %s has priority %d".formatted(id, value);
    };
  }
}
