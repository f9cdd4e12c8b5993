package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.Topic;
import io.rowqueue.internal.operate.JooqTopics;
import io.rowqueue.operate.DeadLetterPolicy;
import io.rowqueue.operate.TopicInfo;
import io.rowqueue.operate.TopicSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The form of a topic's settings. */
@Singleton
class TopicSettingsPages {

  /** Ten years. */
  private static final long LONGEST_AGE = Duration.ofDays(3_653).toSeconds();

  private static final List<Setting> SETTINGS =
      List.of(
          new Setting(
              "in-flight",
              "Maximum running at once",
              "Handlers that run at once on all workers. Empty: no limit.",
              1_000,
              settings -> whole(settings.maxInFlight()),
              (settings, value) -> settings.withMaxInFlight(narrow(value))),
          new Setting(
              "per-second",
              "Maximum started per second",
              "On all workers, retries included. Empty: no limit.",
              1_000_000,
              settings -> whole(settings.maxPerSecond()),
              (settings, value) -> settings.withMaxPerSecond(narrow(value))),
          new Setting(
              "key-in-flight",
              "Maximum running at once per ordering key",
              "Empty: one after the other. Above 1, a retry or a dead letter does not block its"
                  + " key.",
              1_000,
              settings -> whole(settings.keyInFlight()),
              (settings, value) -> settings.withKeyInFlight(narrow(value))),
          new Setting(
              "key-per-second",
              "Maximum started per second and ordering key",
              "Empty: no limit.",
              1_000_000,
              settings -> whole(settings.keyPerSecond()),
              (settings, value) -> settings.withKeyPerSecond(narrow(value))),
          new Setting(
              "weight",
              "Weight",
              "Relative share of each worker's threads while several topics have messages. Empty:"
                  + " the --topic-weight of each worker.",
              1_000,
              settings -> whole(settings.weight()),
              (settings, value) -> settings.withWeight(narrow(value))),
          new Setting(
              "max-depth",
              "Back-pressure: waiting messages",
              "Producers that check it are refused above. With an age, both must be exceeded."
                  + " Empty: no limit.",
              1_000_000_000_000L,
              TopicSettings::maxDepth,
              TopicSettings::withMaxDepth),
          new Setting(
              "max-age",
              "Back-pressure: oldest age in seconds",
              "With a number of messages, both must be exceeded. Empty: no limit.",
              LONGEST_AGE,
              settings -> settings.maxAge() == null ? null : settings.maxAge().toSeconds(),
              (settings, value) ->
                  settings.withMaxAge(value == null ? null : Duration.ofSeconds(value))),
          new Setting(
              "retention",
              "Days in the archive",
              "Empty: handled messages are not archived, and existing copies are pruned.",
              36_500,
              settings -> whole(settings.retentionDays()),
              (settings, value) -> settings.withRetentionDays(narrow(value))));

  private final DashboardPool pool;
  private final Board board;
  private final Views views;

  @Inject
  TopicSettingsPages(DashboardPool pool, Board board, Views views) {
    this.pool = pool;
    this.board = board;
    this.views = views;
  }

  private static @Nullable Long whole(@Nullable Integer value) {
    return value == null ? null : value.longValue();
  }

  private static @Nullable Integer narrow(@Nullable Long value) {
    return value == null ? null : Math.toIntExact(value);
  }

  /** A setting, from 1 to {@code most}; null if it is not set. */
  private record Setting(
      String name,
      String label,
      String hint,
      long most,
      Function<TopicSettings, @Nullable Long> of,
      BiFunction<TopicSettings, @Nullable Long, TopicSettings> with) {

    String text(TopicSettings settings) {
      Long value = of.apply(settings);
      return value == null ? "" : value.toString();
    }

    String range() {
      return "1 to " + Texts.number(most);
    }

    /** Returns null if it is invalid. */
    @Nullable TopicSettings changed(TopicSettings settings, String text) {
      if (text.isEmpty()) {
        return with.apply(settings, null);
      }
      if (!text.matches("\\d{1,18}") || Long.parseLong(text) < 1 || Long.parseLong(text) > most) {
        return null;
      }
      return with.apply(settings, Long.parseLong(text));
    }
  }

  /** A value for a table. */
  record Fact(String name, String value) {}

  /** Returns the settings of a topic that are set. */
  static List<Fact> facts(TopicInfo topic) {
    List<Fact> facts = new ArrayList<>();
    for (Setting setting : SETTINGS) {
      Long value = setting.of.apply(topic.settings());
      if (value != null) {
        facts.add(new Fact(setting.label, Texts.number(value)));
      }
    }
    facts.add(new Fact("On a dead letter", said(topic.onDeadLetter())));
    return facts;
  }

  private static String said(DeadLetterPolicy policy) {
    return policy == DeadLetterPolicy.BLOCK
        ? "its ordering key is blocked"
        : "its ordering key skips it";
  }

  /** An input, with its error and the value that another operator has set meanwhile. */
  record Input(
      String name,
      String label,
      String hint,
      String range,
      String value,
      @Nullable String error,
      @Nullable String now) {}

  /** An option. */
  record Choice(String value, String label, boolean chosen) {}

  Reply show(Call call) {
    TopicInfo topic = known(call.query().topic());
    Map<String, String> values =
        SETTINGS.stream()
            .collect(Collectors.toMap(Setting::name, one -> one.text(topic.settings())));
    return form(call, 200, topic, new Entered(values, topic.onDeadLetter(), List.of(), false));
  }

  /** What an operator has entered, and what is wrong with it. */
  private record Entered(
      Map<String, String> values, DeadLetterPolicy policy, List<String> errors, boolean stale) {}

  private TopicInfo known(String name) {
    if (!board.read().topics().containsKey(name)) {
      throw new Refusal(404, "Unknown topic.");
    }
    return new JooqTopics(pool.transactions())
        .list().stream()
            .filter(one -> one.topic().equals(name))
            .findFirst()
            .orElse(TopicInfo.none(name));
  }

  private Reply form(Call call, int status, TopicInfo topic, Entered entered) {
    List<Input> inputs = new ArrayList<>();
    for (Setting setting : SETTINGS) {
      String value = entered.values.getOrDefault(setting.name, "");
      String current = setting.text(topic.settings());
      inputs.add(
          new Input(
              setting.name,
              setting.label,
              setting.hint,
              setting.range(),
              value,
              entered.errors.contains(setting.name) ? error(setting, value) : null,
              entered.stale && !current.equals(value)
                  ? current.isEmpty() ? "empty" : current
                  : null));
    }
    Map<String, Object> model = new HashMap<>();
    model.put("topic", topic.topic());
    model.put("query", OverviewPages.encoded(topic.topic()));
    model.put("seen", seen(topic));
    model.put("inputs", inputs);
    model.put("errors", inputs.stream().map(Input::error).filter(Objects::nonNull).toList());
    model.put("stale", entered.stale);
    model.put(
        "policies",
        List.of(
            choice(DeadLetterPolicy.BLOCK, entered.policy),
            choice(DeadLetterPolicy.SKIP, entered.policy)));
    String title = "Settings of " + OverviewPages.shown(topic.topic());
    return views.show(call, status, new Views.Page(title, "topic-settings", false, model));
  }

  private static Choice choice(DeadLetterPolicy policy, DeadLetterPolicy chosen) {
    return new Choice(policy.name().toLowerCase(Locale.ROOT), said(policy), policy == chosen);
  }

  private static String error(Setting setting, String value) {
    return "%s must be %s, or empty; not “%s”."
        .formatted(setting.label, setting.range(), Texts.firstLine(value, 40));
  }

  /** Identifies the settings that a form has shown. */
  private static String seen(TopicInfo topic) {
    return SETTINGS.stream()
            .map(one -> one.text(topic.settings()))
            .collect(Collectors.joining(",", "", ","))
        + topic.onDeadLetter();
  }

  /** Refuses the form, and shows it again, if a value is invalid or the settings have changed. */
  Reply change(Call call) {
    TopicInfo topic = known(call.form().topic());
    TopicSettings after = topic.settings();
    Map<String, String> values = new HashMap<>();
    List<String> errors = new ArrayList<>();
    for (Setting setting : SETTINGS) {
      String value = call.form().text(setting.name);
      values.put(setting.name, value);
      // A value out of range that was set by SQL may stay.
      TopicSettings changed =
          value.equals(setting.text(topic.settings())) ? after : setting.changed(after, value);
      if (changed == null) {
        errors.add(setting.name);
      } else {
        after = changed;
      }
    }
    DeadLetterPolicy policy =
        call.form().text("policy").equals("skip") ? DeadLetterPolicy.SKIP : DeadLetterPolicy.BLOCK;
    boolean stale = !call.form().raw("seen").equals(seen(topic));
    if (errors.isEmpty() && !stale) {
      stale = !save(topic, after, policy);
    }
    if (stale || !errors.isEmpty()) {
      TopicInfo now = stale ? known(topic.topic()) : topic;
      return form(call, stale ? 409 : 400, now, new Entered(values, policy, errors, stale));
    }
    Audit.write(call.who(), "topic.change", topic.topic(), changes(topic, after, policy));
    return views.done(
        call,
        "/topic?topic=" + OverviewPages.encoded(topic.topic()),
        "Saved. Workers apply the settings within two seconds.");
  }

  private boolean save(TopicInfo topic, TopicSettings after, DeadLetterPolicy policy) {
    JooqTopics topics = new JooqTopics(pool.transactions());
    Topic name = new Topic(topic.topic());
    if (!topics.change(name, topic.settings(), after)) {
      return false;
    }
    if (policy != topic.onDeadLetter()) {
      topics.onDeadLetter(name, policy);
    }
    return true;
  }

  private static String changes(TopicInfo topic, TopicSettings after, DeadLetterPolicy policy) {
    List<String> changes = new ArrayList<>();
    for (Setting setting : SETTINGS) {
      String before = setting.text(topic.settings());
      if (!before.equals(setting.text(after))) {
        changes.add("%s: %s -> %s".formatted(setting.name, or(before), or(setting.text(after))));
      }
    }
    if (policy != topic.onDeadLetter()) {
      changes.add("on dead letter: %s -> %s".formatted(topic.onDeadLetter(), policy));
    }
    return changes.isEmpty() ? "nothing changed" : String.join(", ", changes);
  }

  private static String or(String text) {
    return text.isEmpty() ? "none" : text;
  }
}
