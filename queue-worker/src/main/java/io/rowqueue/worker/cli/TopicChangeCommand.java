package io.rowqueue.worker.cli;

import io.rowqueue.message.Topic;
import io.rowqueue.operate.Topics;
import java.util.List;
import picocli.CommandLine.Parameters;

/** Changes what is set for topics, one after the other. */
@SuppressWarnings("NullAway.Init") // picocli sets the field
abstract class TopicChangeCommand extends OperatorCommand {

  @Parameters(
      arity = "1..*",
      paramLabel = "TOPIC",
      converter = TopicText.class,
      description = "The topics' names.")
  private List<Topic> names;

  TopicChangeCommand(Surroundings surroundings) {
    super(surroundings);
  }

  /** What the options ask for; refuses what makes no sense before anything is tried. */
  abstract Change change();

  @Override
  public final Integer call() {
    Change change = change();
    Topics topics = Topics.of(queue());
    return each(names, topic -> change.apply(topics, topic));
  }

  /** Changes one topic and returns what to say. */
  interface Change {
    String apply(Topics topics, Topic topic);
  }
}
