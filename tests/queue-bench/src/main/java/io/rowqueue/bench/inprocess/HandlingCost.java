package io.rowqueue.bench.inprocess;

import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.util.Modules;
import io.rowqueue.claim.Claim;
import io.rowqueue.claim.ClaimRequest;
import io.rowqueue.claim.ClaimStrategy;
import io.rowqueue.claim.LockId;
import io.rowqueue.message.Topic;
import io.rowqueue.worker.Trust;
import io.rowqueue.worker.WorkerThreads;
import io.rowqueue.worker.dispatch.Dispatcher;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A claimed message's way through the worker: to a handler's thread, decoded, through a handler
 * that does nothing, and acknowledged in a transaction of its own.
 */
@State(Scope.Thread)
public class HandlingCost {

  private static final int MESSAGES = 100;
  private static final LockId ME = LockId.create("bench", 1);

  private final Dispatcher dispatcher;
  private final WorkerThreads threads;
  private final Trust trust;
  private final List<Claim> claims;

  /** Starts the handlers' threads. */
  public HandlingCost() {
    AnsweringServer server = new AnsweringServer(MESSAGES);
    Injector injector =
        Guice.createInjector(
            Modules.override(InProcess.worker()).with(InProcess.connections(server)));
    claims =
        injector
            .getInstance(ClaimStrategy.class)
            .claim(new ClaimRequest(new Topic(InProcess.TOPIC), ME, MESSAGES, 1));
    trust = injector.getInstance(Trust.class);
    threads = injector.getInstance(WorkerThreads.class);
    dispatcher = injector.getInstance(Dispatcher.class);
    dispatcher.start();
  }

  /** One of a hundred. */
  @Benchmark
  @OperationsPerInvocation(MESSAGES)
  public int handle() {
    trust.renewed(ME, System.nanoTime());
    dispatcher.dispatch(claims);
    while (!dispatcher.isIdle()) {
      Thread.onSpinWait();
    }
    return dispatcher.handled();
  }

  /** Ends the threads; every message must have been handled. */
  @TearDown
  public void stop() {
    dispatcher.close();
    threads.stop();
    if (dispatcher.handled() < MESSAGES) {
      throw new IllegalStateException("only " + dispatcher.handled() + " were handled");
    }
  }
}
