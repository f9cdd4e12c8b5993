package io.rowqueue.worker.cli;

import io.rowqueue.message.Topic;
import io.rowqueue.operate.Topics;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Lets workers claim topics again. */
@Command(
    name = "resume",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker topics resume TOPIC... --url URL [OPTIONS]",
    description = {"Workers claim these topics again, about two seconds later at most."})
@SuppressWarnings("NullAway.Init") // picocli sets the field
final class TopicResumeCommand extends OperatorCommand {

  @Parameters(
      arity = "1..*",
      paramLabel = "TOPIC",
      converter = TopicText.class,
      description = "The topics' names.")
  private List<Topic> names;

  TopicResumeCommand(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  public Integer call() {
    Topics topics = Topics.of(queue());
    return each(
        names,
        topic -> {
          topics.resume(topic);
          return "topic %s resumed".formatted(topic);
        });
  }
}
