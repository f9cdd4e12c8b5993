package io.rowqueue.worker.internal.cli;

import picocli.CommandLine.Command;

/** Lets workers claim topics again. */
@Command(
    name = "resume",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker topics resume TOPIC... --url URL [--force] [OPTIONS]",
    description = {
      "Workers claim these topics again, about two seconds later at most.",
      TopicChangeCommand.EACH_IS_TRIED
    })
final class TopicResumeCommand extends TopicChangeCommand {

  TopicResumeCommand(CommandIo io) {
    super(io);
  }

  @Override
  Change change() {
    return (topics, topic) -> {
      topics.resume(topic);
      return "topic %s resumed".formatted(topic);
    };
  }
}
