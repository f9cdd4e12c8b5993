package io.rowqueue.worker.cli;

import com.google.inject.spi.Message;
import io.rowqueue.worker.plugin.Plugins;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Guice's configuration errors, one line each, with the jar that each is from. */
final class BindingErrors {

  private static final Pattern COLOR = Pattern.compile("\u001B\\[[0-9;]*m");
  private static final Pattern ERROR_ID = Pattern.compile("\\[Guice/(\\w+)]:\\s*");
  private static final Pattern CLASS_NAME = Pattern.compile("[\\w$]+(?:\\.[\\w$]+)+");

  private BindingErrors() {}

  static String describe(Collection<Message> messages, Plugins plugins) {
    Set<String> lines = new LinkedHashSet<>();
    messages.forEach(message -> lines.add(line(message, plugins)));
    return "the handlers cannot be set up:\n  " + String.join("\n  ", lines);
  }

  private static String line(Message message, Plugins plugins) {
    String text = COLOR.matcher(String.valueOf(message.getMessage())).replaceAll("");
    String first = text.strip().lines().findFirst().orElse("");
    String source = String.valueOf(message.getSource());
    return jar(source + " " + first, plugins)
        + ERROR_ID.matcher(first).replaceFirst("")
        + " (at "
        + source
        + ")"
        + cause(message.getCause())
        + advice(first);
  }

  private static String jar(String text, Plugins plugins) {
    return classNames(text).stream()
        .map(plugins::jarOf)
        .flatMap(Optional::stream)
        .findFirst()
        .map(jar -> jar.getFileName() + ": ")
        .orElse("");
  }

  /** Each dotted name, and what is left of it without its last part, which may be a method. */
  private static List<String> classNames(String text) {
    return CLASS_NAME
        .matcher(text)
        .results()
        .map(MatchResult::group)
        .flatMap(name -> List.of(name, name.substring(0, name.lastIndexOf('.'))).stream())
        .collect(Collectors.toList());
  }

  private static String cause(@Nullable Throwable cause) {
    return cause == null ? "" : ": " + cause;
  }

  private static String advice(String text) {
    String id = ERROR_ID.matcher(text).results().findFirst().map(id(1)).orElse("");
    return switch (id) {
      case "MissingImplementation", "MissingConstructor", "NullInjectedIntoNonNullable" ->
          "; bind it in the plug-in's module";
      case "BindingAlreadySet", "DuplicateElement" -> "; take one of the bindings away";
      default -> "";
    };
  }

  private static java.util.function.Function<MatchResult, String> id(int group) {
    return result -> result.group(group);
  }
}
