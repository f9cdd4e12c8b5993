package io.rowqueue.worker.cli;

import io.rowqueue.message.Topic;
import io.rowqueue.operate.Topics;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Keeps workers from whole topics. */
@Command(
    name = "pause",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker topics pause TOPIC... --url URL [OPTIONS]",
    description = {
      "No worker claims these topics from now on (about two seconds later at most), until they are"
          + " resumed. What runs finishes, and enqueueing goes on. A pause outlives every worker,"
          + " and may be set before the topic has a message."
    })
@SuppressWarnings("NullAway.Init") // picocli sets the field
final class TopicPauseCommand extends OperatorCommand {

  @Parameters(
      arity = "1..*",
      paramLabel = "TOPIC",
      converter = TopicText.class,
      description = "The topics' names.")
  private List<Topic> names;

  TopicPauseCommand(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  public Integer call() {
    Topics topics = Topics.of(queue());
    return each(
        names,
        topic -> {
          topics.pause(topic);
          return "topic %s paused".formatted(topic);
        });
  }
}
