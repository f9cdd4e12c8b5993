package io.rowqueue.worker.cli;

import io.rowqueue.worker.cli.Main.SettingsException;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * What a flag is set to when the command line does not name it: by the environment, or the file.
 */
final class Settings implements CommandLine.IDefaultValueProvider {

  private static final String CONFIG = "--config";

  private final Map<String, String> environment;
  private final Properties file;

  private Settings(Map<String, String> environment, Properties file) {
    this.environment = environment;
    this.file = file;
  }

  /**
   * Reads the file that the arguments or the environment name, if any.
   *
   * @throws SettingsException if it cannot be read, or has a key that no flag has
   */
  static Settings load(CommandLine commandLine, Map<String, String> environment, String... args) {
    String name = configFile(environment, args);
    Properties file = new Properties();
    if (name != null) {
      try (Reader reader = Files.newBufferedReader(Path.of(name))) {
        file.load(reader);
      } catch (IOException | IllegalArgumentException e) {
        throw new SettingsException(
            "the properties file %s cannot be read: %s".formatted(name, e.getMessage()));
      }
      checkKeys(commandLine, name, file);
    }
    return new Settings(environment, file);
  }

  @Override
  public @Nullable String defaultValue(ArgSpec argument) {
    if (!(argument instanceof OptionSpec option) || isBuiltIn(option)) {
      return null;
    }
    String fromEnvironment = environment.get(twin(option));
    return fromEnvironment == null ? file.getProperty(key(option)) : fromEnvironment;
  }

  /** The environment variable that sets {@code option}. */
  static String twin(OptionSpec option) {
    return "ROWQUEUE_" + key(option).toUpperCase(Locale.ROOT).replace('-', '_');
  }

  /** The key that sets {@code option} in the file. */
  static String key(OptionSpec option) {
    return option.longestName().replaceFirst("^--", "");
  }

  /** Help and version are asked for, not set. */
  static boolean isBuiltIn(OptionSpec option) {
    return option.usageHelp() || option.versionHelp();
  }

  private static @Nullable String configFile(Map<String, String> environment, String... args) {
    for (int i = 0; i < args.length; i++) {
      if (args[i].equals(CONFIG) && i + 1 < args.length) {
        return args[i + 1];
      }
      if (args[i].startsWith(CONFIG + "=")) {
        return args[i].substring(CONFIG.length() + 1);
      }
    }
    return environment.get("ROWQUEUE_CONFIG");
  }

  private static void checkKeys(CommandLine commandLine, String name, Properties file) {
    Set<String> known = new TreeSet<>();
    for (CommandLine command : commandLine.getSubcommands().values()) {
      command.getCommandSpec().options().stream()
          .filter(option -> !isBuiltIn(option) && !option.longestName().equals(CONFIG))
          .forEach(option -> known.add(key(option)));
    }
    for (String key : new TreeSet<>(file.stringPropertyNames())) {
      if (!known.contains(key)) {
        throw new SettingsException(
            "%s has the unknown key '%s'; the nearest known ones are %s"
                .formatted(name, key, nearest(key, known)));
      }
    }
  }

  private static List<String> nearest(String key, Set<String> known) {
    return known.stream()
        .sorted(Comparator.comparingInt(candidate -> distance(key, candidate)))
        .limit(3)
        .toList();
  }

  /** Levenshtein's distance, row by row. */
  private static int distance(String one, String other) {
    int[] row = new int[other.length() + 1];
    for (int j = 0; j <= other.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= one.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= other.length(); j++) {
        int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[other.length()];
  }
}
