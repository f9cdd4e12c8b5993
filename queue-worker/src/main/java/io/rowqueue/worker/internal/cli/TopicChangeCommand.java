package io.rowqueue.worker.internal.cli;

import io.rowqueue.Topic;
import io.rowqueue.internal.message.TopicNames;
import io.rowqueue.internal.operate.JooqTopics;
import io.rowqueue.operate.Topics;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Changes what is set for topics, one after the other. */
@SuppressWarnings("NullAway.Init") // picocli sets the field
abstract class TopicChangeCommand extends OperatorCommand {

  /** For the description of each such command. */
  static final String EACH_IS_TRIED =
      "Each is tried; one that nobody knows is likely misspelt: it is refused, unless --force is"
          + " given, and the exit code is 1.";

  @Parameters(
      arity = "1..*",
      paramLabel = "TOPIC",
      converter = TopicText.class,
      description = "The topics' names.")
  private List<Topic> names;

  @LineOnly
  @Option(
      names = "--force",
      arity = "0..1",
      fallbackValue = "true",
      paramLabel = "true|false",
      description = "Also topics that have no message, dead letter, setting or living worker yet.")
  private boolean force;

  TopicChangeCommand(CommandIo io) {
    super(io);
  }

  /** What the options ask for; refuses what makes no sense before anything is tried. */
  abstract Change change();

  @Override
  public final Integer call() {
    Change change = change();
    Topics topics = new JooqTopics(queue());
    Set<String> known = force ? Set.of() : topics.known();
    return each(
        names,
        topic -> {
          if (!force) {
            refuseUnknown(topic, known);
          }
          return change.apply(topics, topic);
        });
  }

  /** For a misspelt topic the change would be stored and have no effect. */
  static void refuseUnknown(Topic topic, Set<String> known) {
    if (!known.contains(topic.name())) {
      String nearest = TopicNames.join(NearestNames.of(topic.name(), known));
      throw new Refusal(
          "topic '%s' was not changed: it has no message, dead letter, setting or living worker; %s; --force changes it all the same"
              .formatted(
                  topic.name(),
                  known.isEmpty()
                      ? "no topic has any"
                      : "nearest: " + TextTable.printable(nearest)));
    }
  }

  /** Changes one topic and returns what to say. */
  interface Change {
    String apply(Topics topics, Topic topic);
  }
}
