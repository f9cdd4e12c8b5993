package io.rowqueue.bench;

import com.google.inject.Guice;
import com.google.inject.Module;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.handle.MessageHandler;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerModule;
import java.util.ArrayList;
import java.util.List;

/** Workers of handlers that are lambdas. */
public final class Bindings {

  private Bindings() {}

  /** A payload of one number. */
  public record Numbered(int number) {}

  /** Binds {@code handler} to {@code topic}. */
  public static Module bind(
      String topic, MessageHandler<Numbered> handler, HandlerSettings settings) {
    return LambdaHandlers.bind(topic, Numbered.class, handler, settings);
  }

  /** A started worker with the defaults, on the queue at {@code url}. */
  public static Worker start(String url, List<Module> bindings) {
    return start(WorkerConfig.defaults(new DatabaseConfig(url, "", "")), bindings);
  }

  /** A started worker that is configured so. */
  public static Worker start(WorkerConfig config, List<Module> bindings) {
    List<Module> modules = new ArrayList<>(bindings);
    modules.add(new WorkerModule(config));
    Worker worker = Guice.createInjector(modules).getInstance(Worker.class);
    worker.start();
    return worker;
  }
}
