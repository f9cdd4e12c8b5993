package io.rowqueue.worker.internal.cli;

import picocli.CommandLine.Command;

/** Keeps workers from whole topics. */
@Command(
    name = "pause",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker topics pause TOPIC... --url URL [--force] [OPTIONS]",
    description = {
      "No worker claims these topics from now on (about two seconds later at most), until they are"
          + " resumed. What runs finishes, and enqueueing goes on. A pause outlives every worker,"
          + " and with --force may be set before the topic has a message.",
      TopicChangeCommand.EACH_IS_TRIED
    })
final class TopicPauseCommand extends TopicChangeCommand {

  TopicPauseCommand(CommandIo io) {
    super(io);
  }

  @Override
  Change change() {
    return (topics, topic) -> {
      topics.pause(topic);
      return "topic %s paused".formatted(topic);
    };
  }
}
