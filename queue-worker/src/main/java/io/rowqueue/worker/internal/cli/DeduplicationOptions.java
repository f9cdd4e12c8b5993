package io.rowqueue.worker.internal.cli;

import io.rowqueue.Deduplication;
import io.rowqueue.InvalidMessageException;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Under which key a message is enqueued once. */
final class DeduplicationOptions {

  @Option(
      names = "--dedup-key",
      paramLabel = "KEY",
      description =
          "Deduplication key: enqueue nothing while another message of the topic holds it. Needs"
              + " --dedup-while or --dedup-within.")
  private @Nullable String key;

  @Option(
      names = "--dedup-while",
      paramLabel = "waiting|alive",
      description =
          "Hold the key until a worker claims the message (waiting), or until it is gone (alive).")
  private @Nullable String scope;

  @Option(
      names = "--dedup-within",
      paramLabel = "DURATION",
      description = "Hold the key for this time, whatever becomes of the message.")
  private @Nullable Duration window;

  @Option(
      names = "--dedup-answer",
      paramLabel = "first|refuse|replace",
      description =
          "While the key is held: print the id of the first message, fail, or replace the payload,"
              + " headers, priority and due time of the waiting message (default: first).")
  private @Nullable String answer;

  /** The rule; null if no key is given. */
  @Nullable Deduplication rule() {
    if (key == null) {
      if (scope != null || window != null || answer != null) {
        throw CommandFailure.usage("say which key is meant; give --dedup-key");
      }
      return null;
    }
    if ((scope == null) == (window == null)) {
      throw CommandFailure.usage(
          "say for how long --dedup-key is held; give either --dedup-while or --dedup-within");
    }
    MessageOptions.checkLocale("--dedup-key", key);
    try {
      return answered(window == null ? scoped(key) : Deduplication.within(key, window));
    } catch (InvalidMessageException e) {
      throw CommandFailure.usage(String.valueOf(e.getMessage()));
    }
  }

  private Deduplication scoped(String wanted) {
    return switch (lower(scope)) {
      case "waiting" -> Deduplication.whileWaiting(wanted);
      case "alive" -> Deduplication.whileAlive(wanted);
      default -> throw CommandFailure.usage("--dedup-while takes waiting or alive");
    };
  }

  private Deduplication answered(Deduplication rule) {
    return switch (lower(answer)) {
      case "", "first" -> rule;
      case "refuse" -> rule.refusing();
      case "replace" -> rule.replacing();
      default -> throw CommandFailure.usage("--dedup-answer takes first, refuse or replace");
    };
  }

  private static String lower(@Nullable String text) {
    return text == null ? "" : text.strip().toLowerCase(Locale.ROOT);
  }
}
