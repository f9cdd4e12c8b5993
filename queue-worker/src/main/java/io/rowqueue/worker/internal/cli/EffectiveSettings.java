package io.rowqueue.worker.internal.cli;

import io.rowqueue.ClaimSettings.Kind;
import io.rowqueue.Topic;
import io.rowqueue.internal.message.TopicNames;
import io.rowqueue.worker.ClaimConfig;
import io.rowqueue.worker.WorkerConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** What a command's options, the environment and the file come to, and where each is from. */
final class EffectiveSettings {

  private static final String HIDDEN = "(hidden)";
  private static final String NONE = "-";

  private EffectiveSettings() {}

  /** A table of every option of {@code command} that has a key. */
  static String table(CommandSpec command, Settings settings, WorkerConfig config) {
    Map<String, String> values = values(config);
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("SETTING", "VALUE", "FROM"));
    for (OptionSpec option : command.options()) {
      String key = Settings.key(option);
      if (key != null) {
        String value = values.getOrDefault(key, given(option));
        rows.add(List.of(key, TextTable.printable(value), from(option, settings)));
      }
    }
    return TextTable.aligned(rows);
  }

  private static String from(OptionSpec option, Settings settings) {
    return settings.rank(option) == Settings.ON_COMMAND_LINE
        ? "flag " + option.longestName()
        : settings.origin(option).orElse("default");
  }

  /** For the options that are no setting of a worker. */
  private static String given(OptionSpec option) {
    Object value = option.getValue();
    if (value == null) {
      return switch (option.longestName()) {
        case "--log-level" -> LogLevel.INFO.name();
        case "--log-format" -> LogFormat.TEXT.toString();
        default -> NONE;
      };
    }
    return value instanceof Duration duration ? text(duration) : value.toString();
  }

  private static Map<String, String> values(WorkerConfig config) {
    Map<String, String> values = new HashMap<>();
    values.put("url", config.database().location());
    values.put("user", config.database().user().isEmpty() ? NONE : config.database().user());
    values.put("password", config.database().password().isEmpty() ? NONE : HIDDEN);
    values.put("threads", Integer.toString(config.threads()));
    values.put("topics", topics(config));
    values.put("lease-duration", text(config.leaseDuration()));
    values.put("lease-renew-interval", text(config.leaseRenewInterval()));
    values.put("poll-interval", text(config.pollInterval()));
    values.put("prefetch-count", Integer.toString(config.prefetchCount()));
    values.put("prefetch-bytes", SizeText.of(config.prefetchBytes()));
    values.put("max-lost-claims", Integer.toString(config.maxLostClaims()));
    values.put("shutdown-timeout", text(config.shutdownTimeout()));
    values.put("unreadable-timeout", text(config.unreadableTimeout()));
    values.put("max-attempts", Integer.toString(config.handlers().maxAttempts()));
    values.put("handler-timeout", text(config.handlers().timeout()));
    values.put("max-payload-size", SizeText.of(config.limits().payloadBytes()));
    values.put("max-header-size", SizeText.of(config.limits().headersBytes()));
    putClaims(values, config.claims());
    return values;
  }

  private static void putClaims(Map<String, String> values, ClaimConfig claims) {
    Kind strategy = claims.settings().strategy();
    values.put("claim-strategy", strategy == null ? "the server's best" : strategy.label());
    values.put("cursor", Boolean.toString(claims.settings().cursor()));
    values.put("topic-weight", each(claims.weights(), weight -> weight.toString()));
    values.put("worker-rate-limit", each(claims.rates(), RateText::of));
  }

  private static String topics(WorkerConfig config) {
    return config.topics().isEmpty()
        ? "all with a handler"
        : TopicNames.join(config.topics().stream().map(Topic::name).sorted().toList());
  }

  private static <V> String each(Map<Topic, V> map, Function<V, String> text) {
    return map.isEmpty()
        ? NONE
        : new TreeMap<>(map)
            .entrySet().stream()
                .map(entry -> entry.getKey() + "=" + text.apply(entry.getValue()))
                .collect(Collectors.joining(","));
  }

  private static String text(Duration duration) {
    return DurationText.of(duration);
  }
}
