package io.rowqueue.worker.internal.cli;

import io.rowqueue.Topic;
import io.rowqueue.operate.DeadLetterFilter;
import io.rowqueue.operate.DeadLetterReason;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which dead letters are meant. */
final class FilterOptions {

  @Option(
      names = "--topic",
      paramLabel = "TOPIC",
      description = "Only dead letters of this topic (default: any).")
  private @Nullable Topic topic;

  @Option(
      names = "--reason",
      paramLabel = "REASON",
      converter = EnumConverter.Reasons.class,
      completionCandidates = EnumConverter.Reasons.class,
      description = "Only dead letters with this reason: ${COMPLETION-CANDIDATES} (default: any).")
  private @Nullable DeadLetterReason reason;

  @Option(
      names = "--since",
      paramLabel = "TIME",
      description =
          "Only messages dead-lettered at this time or later: 2h or 3d ago, or"
              + " 2026-01-31T08:00:00Z (default: any).")
  private @Nullable Moment since;

  @Option(
      names = "--until",
      paramLabel = "TIME",
      description =
          "Only messages dead-lettered before this time, written as for --since (default: any).")
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

  /** The options that are given, each with words that follow on "dead letters". */
  Map<String, String> given() {
    Map<String, String> given = new LinkedHashMap<>();
    if (topic != null) {
      given.put("--topic", " of topic " + topic);
    }
    if (reason != null) {
      given.put("--reason", " with reason " + reason.label());
    }
    if (since != null) {
      given.put("--since", " since " + since.text());
    }
    if (until != null) {
      given.put("--until", " until " + until.text());
    }
    return given;
  }
}
