package io.rowqueue.proof.bench;

import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Key;
import com.google.inject.Module;
import com.google.inject.TypeLiteral;
import com.google.inject.name.Names;
import io.rowqueue.handle.BatchHandler;
import io.rowqueue.handle.Handler;
import io.rowqueue.handle.HandlerBinder;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.handle.MessageHandler;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerModule;
import java.util.ArrayList;
import java.util.List;

/** Workers of handlers that are lambdas. */
final class Bindings {

  private Bindings() {}

  /** A payload of one number. */
  record Numbered(int number) {}

  static Module bind(String topic, MessageHandler<Numbered> handler, HandlerSettings settings) {
    return bind(topic, new TypeLiteral<MessageHandler<Numbered>>() {}, handler, settings);
  }

  static Module bindBatch(String topic, BatchHandler<Numbered> handler, HandlerSettings settings) {
    return bind(topic, new TypeLiteral<BatchHandler<Numbered>>() {}, handler, settings);
  }

  private static <H extends Handler<Numbered>> Module bind(
      String topic, TypeLiteral<H> type, H handler, HandlerSettings settings) {
    return new AbstractModule() {
      @Override
      protected void configure() {
        Key<H> key = Key.get(type, Names.named(topic));
        bind(key).toInstance(handler);
        HandlerBinder.bind(binder(), topic, key, settings);
      }
    };
  }

  /** A started worker with the defaults, on the queue at {@code url}. */
  static Worker start(String url, List<Module> bindings) {
    List<Module> modules = new ArrayList<>(bindings);
    modules.add(new WorkerModule(WorkerConfig.defaults(new DatabaseConfig(url, "", ""))));
    Worker worker = Guice.createInjector(modules).getInstance(Worker.class);
    worker.start();
    return worker;
  }
}
