package io.rowqueue.worker.internal.cli;

import com.google.inject.ConfigurationException;
import com.google.inject.CreationException;
import com.google.inject.Guice;
import com.google.inject.Module;
import com.google.inject.ProvisionException;
import com.google.inject.Stage;
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
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Makes workers as Guice does, and puts Guice's errors into a few lines. */
final class GuiceWorkers implements RunCommand.Launcher {

  private final Map<String, String> environment;

  /** In a process with this environment. */
  GuiceWorkers(Map<String, String> environment) {
    this.environment = environment;
  }

  /** Guice logs what a module throws, with its trace; here it is reported once, in a line. */
  private static final Logger GUICE = Logger.getLogger("com.google.inject");

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
    return get(WorkerTopics.class, Stage.DEVELOPMENT, List.of(new WorkerModule(config)), plugins)
        .all()
        .stream()
        .map(Topic::name)
        .sorted()
        .toList();
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
    return new CommandFailure(
        ExitCodes.WRONG_USAGE, BindingErrors.describe(messages, plugins), failure);
  }
}
