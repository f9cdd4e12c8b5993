package io.rowqueue.testkit.internal.contract;

import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Module;
import com.google.inject.util.Modules;
import io.rowqueue.MessageLimits;
import io.rowqueue.QueueCoreModule;
import io.rowqueue.handler.HandlerConnections;
import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.body.Bodies;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.handle.HandlerPipeline;
import io.rowqueue.internal.handle.Handling;
import io.rowqueue.internal.handle.HandlingListener;
import io.rowqueue.internal.schema.QueueSchema;
import io.rowqueue.internal.settle.Settler;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/** A worker's pipeline on the components of a queue, with the test's handlers. */
final class HandlingScene {

  private final HandlerPipeline pipeline;

  HandlingScene(ContractQueue queue, Module handlers) {
    Module core = Modules.override(new QueueCoreModule()).with(components(queue));
    Injector parts = Guice.createInjector(core, handlers);
    this.pipeline = parts.getInstance(HandlerPipeline.class);
  }

  private static Module components(ContractQueue queue) {
    return binder -> {
      binder.bind(Transactions.class).toInstance(queue.transactions());
      binder
          .bind(Transactions.class)
          .annotatedWith(HandlerConnections.class)
          .toInstance(queue.transactions());
      binder.bind(ClaimStore.class).toInstance(queue.claims());
      binder.bind(Settler.class).toInstance(queue.settler());
      binder.bind(Bodies.class).toInstance(queue.capacity(Bodies.class));
      binder.bind(QueueSchema.class).toInstance(queue.capacity(QueueSchema.class));
      binder.bind(HandlerDefaults.class).toInstance(HandlerDefaults.defaults());
      binder.bind(MessageLimits.class).toInstance(MessageLimits.defaults());
    };
  }

  /** Processes a single {@code claim} on this thread. */
  Outcome handle(Claim claim) {
    AtomicReference<Outcome> ended = new AtomicReference<>();
    boolean unused = pipeline.handle(claim, () -> null, new Ended(ended));
    return Objects.requireNonNull(ended.get(), () -> claim + " has not ended");
  }

  /** Records the outcome. */
  private record Ended(AtomicReference<Outcome> outcome) implements HandlingListener {

    @Override
    public void begun(Handling handling) {}

    @Override
    public void ended(Handling handling) {}

    @Override
    public void settled(Claim claim, Outcome how) {
      outcome.set(how);
    }
  }
}
