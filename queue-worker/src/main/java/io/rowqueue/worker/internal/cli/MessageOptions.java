package io.rowqueue.worker.internal.cli;

import io.rowqueue.BodySource;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What all messages of one command have in common. */
final class MessageOptions {

  /** Stands for every byte that the locale has no character for. */
  private static final char UNREADABLE = '\uFFFD';

  @Option(names = "--topic", paramLabel = "TOPIC", description = "Target topic. Required.")
  private @Nullable Topic topic;

  @Option(
      names = "--priority",
      paramLabel = "N",
      description = "Priority of the messages, -128 to 127; lower is sooner (default: 0).")
  private @Nullable Integer priority;

  @Option(
      names = "--header",
      paramLabel = "NAME=VALUE",
      description = "Header of the messages. Can be given more than once.")
  private @Nullable List<String> headers;

  /** A message with these options and a payload that is stored as it is. */
  Template template(Due due, @Nullable String orderingKey) {
    if (topic == null) {
      throw CommandFailure.usage("no topic is named; give --topic, as in --topic email.send");
    }
    if (orderingKey != null) {
      checkLocale("--ordering-key", orderingKey);
    }
    Map<String, String> pairs = pairs(headers);
    try {
      Template template = new Template(topic, due, priority, orderingKey, pairs);
      // A first message checks due time and priority before anything is read or sent.
      var unused = template.message(new byte[0]);
      return template;
    } catch (InvalidMessageException e) {
      throw CommandFailure.usage(String.valueOf(e.getMessage()));
    }
  }

  /** Refuses text that would be stored as question marks: Java decodes it by the locale. */
  static void checkLocale(String option, String text) {
    if (text.indexOf(UNREADABLE) >= 0) {
      throw CommandFailure.usage(
          option
              + " has characters that Java cannot read in this locale; set LC_ALL=C.UTF-8 (a"
              + " payload can also come by --file)");
    }
  }

  static byte[] json(String payload) {
    checkLocale("--payload", payload);
    byte[] bytes = payload.getBytes(StandardCharsets.UTF_8);
    String fault = JsonLines.fault(bytes);
    if (fault != null) {
      throw CommandFailure.usage("--payload is not JSON: " + fault);
    }
    return bytes;
  }

  static Map<String, String> pairs(@Nullable List<String> headers) {
    Map<String, String> pairs = new LinkedHashMap<>();
    for (String header : headers == null ? List.<String>of() : headers) {
      checkLocale("--header", header);
      int equals = header.indexOf('=');
      if (equals < 1) {
        // Not repeated: what stands there may be a secret.
        throw CommandFailure.usage("--header needs NAME=VALUE, with an equals sign between them");
      }
      pairs.put(header.substring(0, equals), header.substring(equals + 1));
    }
    return pairs;
  }

  /** When the messages are due: after a delay, at a time, or now if both are null. */
  record Due(@Nullable Duration delay, @Nullable Instant at) {

    static final Due NOW = new Due(null, null);

    private NewMessage of(NewMessage message) {
      if (at != null) {
        return message.withDueAt(at);
      }
      return delay == null ? message : message.withDelay(delay);
    }
  }

  record Template(
      Topic topic,
      Due due,
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
      NewMessage message = due.of(bare);
      message = priority == null ? message : message.withPriority(priority);
      message = orderingKey == null ? message : message.withOrderingKey(orderingKey);
      for (Map.Entry<String, String> header : headers.entrySet()) {
        message = message.withHeader(header.getKey(), header.getValue());
      }
      return message;
    }
  }
}
