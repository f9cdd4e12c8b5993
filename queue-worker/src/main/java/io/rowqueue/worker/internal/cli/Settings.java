package io.rowqueue.worker.internal.cli;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Field;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
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
}
