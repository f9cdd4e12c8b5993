package io.rowqueue.worker.internal.cli;

import com.google.inject.ConfigurationException;
import com.google.inject.CreationException;
import com.google.inject.Guice;
import com.google.inject.Module;
import com.google.inject.ProvisionException;
import com.google.inject.Stage;
import com.google.inject.spi.Dependency;
import com.google.inject.spi.ElementSource;
import com.google.inject.spi.Message;
import io.rowqueue.QueueException;
import io.rowqueue.Topic;
import io.rowqueue.worker.AdminConfig;
import io.rowqueue.worker.AdminModule;
import io.rowqueue.worker.DashboardConfig;
import io.rowqueue.worker.DashboardModule;
import io.rowqueue.worker.SystemdModule;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerModule;
import io.rowqueue.worker.WorkerTracingModule;
import io.rowqueue.worker.internal.WorkerTopics;
import io.rowqueue.worker.internal.plugin.Plugins;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Makes workers as Guice does, and puts Guice's errors into a few lines. */
final class GuiceWorkers implements RunCommand.Launcher {
  private static final Pattern COLOR = Pattern.compile("\u001B\\[[0-9;]*m");
  private static final Pattern ERROR_ID = Pattern.compile("\\[Guice/(\\w+)]:\\s*");
  private static final Pattern CLASS_NAME = Pattern.compile("[\\w$]+(?:\\.[\\w$]+)+");

  /** Guice logs what a module throws, with its trace; here it is reported once, in a line. */
  private static final Logger GUICE = Logger.getLogger("com.google.inject");

  private static final String CANNOT = "the handlers cannot be set up:\n  ";

  private final Map<String, String> environment;

  GuiceWorkers(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Worker launch(WorkerConfig config, AdminOptions.Shown shown, Plugins plugins) {
    List<Module> modules = new ArrayList<>(List.of(new WorkerModule(config)));
    AdminConfig admin = shown.admin();
    if (admin != null) {
      modules.add(new AdminModule(admin));
    }
    DashboardConfig dashboard = shown.dashboard();
    if (dashboard != null) {
      modules.add(new DashboardModule(dashboard));
    }
    if (shown.tracing()) {
      modules.add(WorkerTracingModule.global());
    }
    SystemdModule.of(environment).ifPresent(modules::add);
    return get(Worker.class, Stage.PRODUCTION, modules, plugins);
  }

  /**
   * Sets everything up as for a worker, but makes only what needs no database.
   *
   * @return the topics that the worker would claim, by name
   */
  static List<String> check(WorkerConfig config, Plugins plugins) {
    WorkerTopics topics =
        get(WorkerTopics.class, Stage.DEVELOPMENT, List.of(new WorkerModule(config)), plugins);
    topics.checkPayloads();
    return topics.all().stream().map(Topic::name).sorted().toList();
  }

  private static <T> T get(Class<T> part, Stage stage, List<Module> own, Plugins plugins) {
    List<Module> modules = new ArrayList<>(own);
    modules.addAll(plugins.modules());
    GUICE.setLevel(Level.OFF);
    try {
      return Guice.createInjector(stage, modules).getInstance(part);
    } catch (CreationException e) {
      throw failure(e, e.getErrorMessages(), plugins);
    } catch (ConfigurationException e) {
      throw failure(e, e.getErrorMessages(), plugins);
    } catch (ProvisionException e) {
      throw failure(e, e.getErrorMessages(), plugins);
    } catch (LinkageError e) {
      throw new CommandFailure(ExitCodes.WRONG_USAGE, CANNOT + plugins.explain(e), e);
    }
  }

  /** RowQueue's own failures are worded already, and keep their exit codes. */
  private static QueueException failure(
      RuntimeException failure, Collection<Message> messages, Plugins plugins) {
    for (Message message : messages) {
      for (Throwable cause = message.getCause(); cause != null; cause = cause.getCause()) {
        if (cause instanceof QueueException known) {
          return known;
        }
      }
    }
    return new CommandFailure(ExitCodes.WRONG_USAGE, describe(messages, plugins), failure);
  }

  /** Guice's configuration errors, one line each, with the jar that each is from. */
  private static String describe(Collection<Message> messages, Plugins plugins) {
    Set<String> lines = new LinkedHashSet<>();
    messages.forEach(message -> lines.add(line(message, plugins)));
    return CANNOT + String.join("\n  ", lines);
  }

  private static String line(Message message, Plugins plugins) {
    String text = COLOR.matcher(String.valueOf(message.getMessage())).replaceAll("");
    text = ERROR_ID.matcher(text).replaceFirst("").strip();
    String first = text.lines().findFirst().orElse("");
    Throwable thrown = message.getCause();
    if (thrown != null && first.startsWith("An exception was caught")) {
      return thrownByModule(thrown, plugins);
    }
    String places = places(message);
    return jar(places + " " + first, plugins)
        + first
        + (places.isEmpty() ? "" : " (" + places + ")")
        + cause(message.getCause())
        + advice(first);
  }

  /** Guice says neither which module threw nor where; the trace does. */
  private static String thrownByModule(Throwable thrown, Plugins plugins) {
    for (StackTraceElement frame : thrown.getStackTrace()) {
      Optional<Path> jar = plugins.jarOf(frame.getClassName());
      if (jar.isPresent()) {
        return "%s: %s (line %d) failed: %s"
            .formatted(
                jar.get().getFileName(), frame.getClassName(), frame.getLineNumber(), thrown);
      }
    }
    return "a module failed: " + thrown;
  }

  /** Where it is needed and where that was bound, the nearest first. */
  private static String places(Message message) {
    Set<String> places = new LinkedHashSet<>();
    for (Object source : message.getSources()) {
      places.add(place(source));
    }
    List<String> nearestFirst = new ArrayList<>(places);
    Collections.reverse(nearestFirst);
    return String.join(", from ", nearestFirst);
  }

  private static String place(Object source) {
    if (source instanceof Dependency<?> dependency && dependency.getInjectionPoint() != null) {
      return dependency.getInjectionPoint().toString();
    }
    return source instanceof ElementSource element
        ? String.valueOf(element.getDeclaringSource())
        : String.valueOf(source);
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
    if (text.startsWith("No implementation") || text.startsWith("No injectable constructor")) {
      return "; bind it in the plug-in's module";
    }
    return text.contains("already") ? "; remove one of the bindings" : "";
  }
}
