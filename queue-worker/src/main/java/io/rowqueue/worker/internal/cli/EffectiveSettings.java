package io.rowqueue.worker.internal.cli;

import io.rowqueue.ClaimSettings.Kind;
import io.rowqueue.Topic;
import io.rowqueue.internal.message.TopicNames;
import io.rowqueue.worker.WorkerConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** What a command's options, the environment and the file come to, and where each is from. */
final class EffectiveSettings {

  private static final String HIDDEN = "(hidden)";
  private static final String NONE = "-";

  private EffectiveSettings() {}

  /** A table of every option of {@code command} that has a key. */
  static String table(CommandSpec command, Settings settings, WorkerConfig config) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("SETTING", "VALUE", "FROM"));
    for (OptionSpec option : command.options()) {
      String key = Settings.key(option);
      if (key != null) {
        String from =
            settings.rank(key) == Settings.ON_COMMAND_LINE
                ? "flag " + option.longestName()
                : settings.origin(option).orElse("default");
        rows.add(List.of(key, TextTable.printable(value(key, option.getValue(), config)), from));
      }
    }
    return TextTable.aligned(rows);
  }

  private static String value(String key, @Nullable Object value, WorkerConfig config) {
    return switch (key) {
      case "url" -> config.database().location();
      case "user" -> config.database().user().isEmpty() ? NONE : config.database().user();
      case "password" -> config.database().password().isEmpty() ? NONE : HIDDEN;
      case "topics" -> topics(config);
      case "lease-renew-interval" -> DurationText.of(config.leaseRenewInterval());
      case "claim-strategy" ->
          value instanceof Kind strategy ? strategy.label() : "the server's best";
      case "log-level" -> value == null ? LogOutput.Level.INFO.name() : value.toString();
      case "log-format" -> value == null ? LogOutput.Format.TEXT.toString() : value.toString();
      default -> text(value);
    };
  }

  private static String text(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      return map.isEmpty()
          ? NONE
          : map.entrySet().stream().map(Object::toString).sorted().collect(Collectors.joining(","));
    }
    if (value instanceof Duration duration) {
      return DurationText.of(duration);
    }
    return value == null
        ? NONE
        : value instanceof Long bytes ? SizeText.of(bytes) : value.toString();
  }

  private static String topics(WorkerConfig config) {
    return config.topics().isEmpty()
        ? "all with a handler"
        : TopicNames.join(config.topics().stream().map(Topic::name).sorted().toList());
  }
}
