package io.rowqueue.worker.internal.cli;

import io.rowqueue.BodySource;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What every message of one command has in common. */
final class MessageOptions {

  @Option(
      names = "--topic",
      paramLabel = "TOPIC",
      converter = TopicText.class,
      description = "Where the messages go. Required.")
  private @Nullable Topic topic;

  @Option(
      names = "--delay",
      paramLabel = "DURATION",
      converter = DurationText.class,
      description = "How long they wait before they are available (default: 0s).")
  private @Nullable Duration delay;

  @Option(
      names = "--priority",
      paramLabel = "N",
      description = "-128 to 127; lower is sooner (default: 0).")
  private @Nullable Integer priority;

  @Option(
      names = "--ordering-key",
      paramLabel = "KEY",
      description =
          "Handle them one at a time and in order, behind the topic's other messages with this"
              + " key.")
  private @Nullable String orderingKey;

  @Option(
      names = "--header",
      paramLabel = "NAME=VALUE",
      split = "\n",
      description =
          "A header; may be given more than once. In the environment and the file, one a line.")
  private @Nullable List<String> headers;

  /** A message with these options and a payload that is stored as it is. */
  Template template() {
    if (topic == null) {
      throw CommandFailure.usage("no topic is named; give --topic, as in --topic email.send");
    }
    if (orderingKey != null) {
      LocaleText.check("--ordering-key", orderingKey);
    }
    Map<String, String> pairs = pairs(headers);
    try {
      Template template = new Template(topic, delay, priority, orderingKey, pairs);
      // A first message checks delay and priority before anything is read or sent.
      var unused = template.message(new byte[0]);
      return template;
    } catch (InvalidMessageException e) {
      throw CommandFailure.usage(String.valueOf(e.getMessage()));
    }
  }

  /** Headers by their names, in the order in which they were given. */
  static Map<String, String> pairs(@Nullable List<String> headers) {
    Map<String, String> pairs = new LinkedHashMap<>();
    for (String header : headers == null ? List.<String>of() : headers) {
      LocaleText.check("--header", header);
      int equals = header.indexOf('=');
      if (equals < 1) {
        // Not repeated: what stands there may be a secret.
        throw CommandFailure.usage("--header needs NAME=VALUE, with an equals sign between them");
      }
      pairs.put(header.substring(0, equals), header.substring(equals + 1));
    }
    return pairs;
  }

  /**
   * A message without its payload.
   *
   * @param topic where it goes
   * @param delay how long it waits; null for not at all
   * @param priority its priority; null for the default
   * @param orderingKey what it stays in line with; null for nothing
   * @param headers its headers
   */
  record Template(
      Topic topic,
      @Nullable Duration delay,
      @Nullable Integer priority,
      @Nullable String orderingKey,
      Map<String, String> headers) {

    NewMessage message(byte[] payload) {
      return message(NewMessage.of(topic, payload));
    }

    NewMessage streamed(BodySource payload) {
      return message(NewMessage.streamed(topic, payload));
    }

    private NewMessage message(NewMessage bare) {
      NewMessage message = bare;
      message = delay == null ? message : message.withDelay(delay);
      message = priority == null ? message : message.withPriority(priority);
      message = orderingKey == null ? message : message.withOrderingKey(orderingKey);
      for (Map.Entry<String, String> header : headers.entrySet()) {
        message = message.withHeader(header.getKey(), header.getValue());
      }
      return message;
    }
  }
}
