package io.rowqueue.worker.internal.cli;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** A properties file in UTF-8, all of whose keys are options of some command. Immutable. */
final class SettingsFile {

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
          "the configuration file %s has more than %,d bytes; it is not a properties file of settings"
              .formatted(file, LARGEST));
    } catch (SmallFile.NotUtf8 e) {
      throw CommandFailure.usage("the configuration file %s %s".formatted(file, e.getMessage()));
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage(
          "the configuration file %s is not a properties file".formatted(file));
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
      throw new UncheckedIOException(new IOException("it is not a properties file", e));
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
