package io.rowqueue.worker.internal.cli;

import io.rowqueue.Topic;
import io.rowqueue.operate.DeadLetterFilter;
import io.rowqueue.operate.DeadLetterReason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which dead letters are meant. */
final class FilterOptions {

  /** For a message that names what may not stand beside ids. */
  static final List<String> NAMES = List.of("--topic", "--reason", "--since", "--until");

  @LineOnly
  @Option(
      names = "--topic",
      paramLabel = "TOPIC",
      converter = TopicText.class,
      description = "Those that were enqueued there (default: any).")
  private @Nullable Topic topic;

  @LineOnly
  @Option(
      names = "--reason",
      paramLabel = "REASON",
      converter = ReasonText.class,
      description =
          "Those that were set aside for it: attempts-exhausted, permanent-failure, undecodable,"
              + " too-large, claims-lost or left-transaction (default: any).")
  private @Nullable DeadLetterReason reason;

  @LineOnly
  @Option(
      names = "--since",
      paramLabel = "TIME",
      converter = Moment.Text.class,
      description =
          "Those that were set aside then or later: 2h or 3d back, or 2026-01-31T08:00:00Z"
              + " (default: any).")
  private @Nullable Moment since;

  @LineOnly
  @Option(
      names = "--until",
      paramLabel = "TIME",
      converter = Moment.Text.class,
      description = "Those that were set aside before it, written as for --since (default: any).")
  private @Nullable Moment until;

  /** The filter at {@code now}, by the database's clock. */
  DeadLetterFilter filter(Instant now) {
    Instant from = since == null ? null : since.of().apply(now);
    Instant to = until == null ? null : until.of().apply(now);
    if (from != null && to != null && !from.isBefore(to)) {
      throw CommandFailure.usage("--since must lie before --until");
    }
    return new DeadLetterFilter(topic, reason, from, to);
  }

  /** Whether every dead letter is meant. */
  boolean isEmpty() {
    return topic == null && reason == null && since == null && until == null;
  }

  /** What is meant, as it follows on "dead letters"; empty for all. */
  String described() {
    List<String> parts = new ArrayList<>();
    if (topic != null) {
      parts.add("of topic " + topic);
    }
    if (reason != null) {
      parts.add("with reason " + reason.label());
    }
    if (since != null) {
      parts.add("since " + since.text());
    }
    if (until != null) {
      parts.add("until " + until.text());
    }
    return parts.isEmpty() ? "" : " " + String.join(" ", parts);
  }
}
