package io.rowqueue.worker.internal.cli;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Field;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Finds the value of an option that the command line does not give: in the environment, or else in
 * the properties file. An empty variable or an empty value counts as not given. Immutable.
 */
final class Settings implements IDefaultValueProvider {

  /** The {@link #rank} of what the command line gives. */
  static final int ON_COMMAND_LINE = 3;

  /** The {@link #rank} of what only the file gives. */
  static final int IN_FILE = 1;

  /** The file cannot name itself. */
  static final String CONFIG = "config";

  private final List<String> args;
  private final Map<String, String> environment;
  private final SettingsFile file;

  Settings(List<String> args, Map<String, String> environment, SettingsFile file) {
    this.args = List.copyOf(args);
    this.environment = environment;
    this.file = file;
  }

  /** The option's name without dashes, which is its key in the file; null if it has none. */
  static @Nullable String key(OptionSpec option) {
    boolean keyed =
        option.userObject() instanceof Field field
            && (field.isAnnotationPresent(Setting.class)
                || field.getDeclaringClass().isAnnotationPresent(Setting.class));
    return keyed ? option.longestName().replaceFirst("^--", "") : null;
  }

  static String variable(String key) {
    return "ROWQUEUE_" + key.toUpperCase(Locale.ROOT).replace('-', '_');
  }

  @Override
  public @Nullable String defaultValue(ArgSpec argument) {
    return argument instanceof OptionSpec option
        ? find(key(option)).map(Found::value).orElse(null)
        : null;
  }

  /** Where the option's value comes from, if not from the command line or its own default. */
  Optional<String> origin(OptionSpec option) {
    return find(key(option)).map(Found::origin);
  }

  /** How near to the user a value stands: 3 command line, 2 environment, 1 file, 0 nowhere. */
  int rank(String key) {
    return isOnCommandLine(key) ? ON_COMMAND_LINE : find(key).map(Found::rank).orElse(0);
  }

  /** The file's name; empty without one. */
  String fileName() {
    return file.name();
  }

  /** A bad value in the environment must not matter where the command line gives a good one. */
  private Optional<Found> find(@Nullable String key) {
    if (key == null || isOnCommandLine(key)) {
      return Optional.empty();
    }
    String variable = variable(key);
    String value = environment.get(variable);
    if (value != null && !value.isEmpty()) {
      return Optional.of(new Found(value, variable, 2));
    }
    return file.value(key)
        .map(text -> new Found(text, "key '" + key + "' in " + file.name(), IN_FILE));
  }

  private boolean isOnCommandLine(String key) {
    return args.stream()
        .anyMatch(arg -> arg.equals("--" + key) || arg.startsWith("--" + key + "="));
  }

  /**
   * {@code settings} changed by {@code value}, or as they are if it is null.
   *
   * @throws CommandFailure if the settings refuse the value
   */
  static <S, V> S changed(S settings, @Nullable V value, BiFunction<S, V, S> change) {
    if (value == null) {
      return settings;
    }
    return CommandFailure.usage(() -> change.apply(settings, value));
  }

  private record Found(String value, String origin, int rank) {}

  /**
   * Marks an option, or a class of options, that the environment and the settings file can give,
   * too. Every other option is taken from the command line only: it says what one call is about,
   * and one file serves all commands.
   */
  @Retention(RetentionPolicy.RUNTIME)
  @Target({ElementType.TYPE, ElementType.FIELD})
  @interface Setting {}

  /** A properties file in UTF-8, all of whose keys are options of some command. Immutable. */
  static final class SettingsFile {

    /** All settings there are take a hundredth of it. */
    private static final int LARGEST = 1 << 20;

    static final SettingsFile NONE = new SettingsFile("", Map.of());

    private final String name;
    private final Map<String, String> values;

    private SettingsFile(String name, Map<String, String> values) {
      this.name = name;
      this.values = values;
    }

    /**
     * Reads {@code file}.
     *
     * @param known the keys that some command has
     */
    static SettingsFile read(Path file, Set<String> known) {
      OnceEach properties = new OnceEach();
      try {
        properties.load(new StringReader(SmallFile.text(file, LARGEST)));
      } catch (SmallFile.TooLarge e) {
        throw CommandFailure.usage(
            "the configuration file %s has more than %,d bytes; it is no properties file of settings"
                .formatted(file, LARGEST));
      } catch (CharacterCodingException | IllegalArgumentException e) {
        throw CommandFailure.usage(
            "the configuration file %s is no properties file in UTF-8".formatted(file));
      } catch (IOException e) {
        throw CommandFailure.usage(
            "the configuration file %s cannot be read: %s".formatted(file, reason(file, e)));
      }
      check(file, properties, known);
      Map<String, String> values = new TreeMap<>();
      properties.stringPropertyNames().forEach(key -> values.put(key, properties.value(key)));
      return new SettingsFile(file.toString(), values);
    }

    /** The value of {@code key}; empty if the file lacks it or leaves it blank. */
    Optional<String> value(String key) {
      return Optional.ofNullable(values.get(key)).filter(value -> !value.isEmpty());
    }

    /** What a file with this text says of {@code key}, empty if nothing: it may have changed. */
    static String value(String text, String key) {
      OnceEach properties = new OnceEach();
      try {
        properties.load(new StringReader(text));
      } catch (IOException | IllegalArgumentException e) {
        throw new UncheckedIOException(new IOException("it is no properties file", e));
      }
      return properties.value(key);
    }

    String name() {
      return name;
    }

    private static String reason(Path file, IOException failure) {
      if (!Files.exists(file)) {
        return "there is no such file";
      }
      return Files.isReadable(file) ? String.valueOf(failure.getMessage()) : "permission denied";
    }

    private static void check(Path file, OnceEach properties, Set<String> known) {
      if (!properties.repeated.isEmpty()) {
        throw CommandFailure.usage(
            "the configuration file %s has more than one line for %s"
                .formatted(file, String.join(" and for ", properties.repeated)));
      }
      Set<String> unknown = new TreeSet<>(properties.stringPropertyNames());
      unknown.removeAll(known);
      if (!unknown.isEmpty()) {
        StringBuilder text = new StringBuilder("the configuration file " + file + " has ");
        text.append(unknown.size() == 1 ? "an unknown key:" : "unknown keys:");
        unknown.forEach(key -> text.append("\n  ").append(key).append(suggestion(key, known)));
        throw CommandFailure.usage(text.toString());
      }
    }

    private static String suggestion(String key, Set<String> known) {
      return "; nearest: " + String.join(", ", NearestNames.of(key, known));
    }

    /** Properties take the last of two lines for one key; here both are noticed. */
    private static final class OnceEach extends Properties {

      private final Set<String> repeated = new TreeSet<>();

      @Override
      public synchronized Object put(Object key, Object value) {
        Object earlier = super.put(key, value);
        if (earlier != null) {
          repeated.add(key.toString());
        }
        return earlier;
      }

      String value(String key) {
        return getProperty(key, "").strip();
      }

      /** No values: they may be secrets. */
      @Override
      public synchronized String toString() {
        return stringPropertyNames().toString();
      }
    }
  }
}
