package io.rowqueue.worker.internal.cli;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import org.slf4j.LoggerFactory;

/**
 * SIGTERM and SIGINT: the first asks for a stop, the second ends the process. Thread-safe.
 *
 * <p>A shutdown hook would see no second signal and could not decide the exit code, so the JDK's
 * own {@code sun.misc.Signal} is used, by reflection because compilers rightly warn about it. Where
 * it is missing (a trimmed runtime) or taken ({@code java -Xrs}), a hook drains instead.
 */
final class StopSignals {

  private static final Map<String, Integer> NUMBERS = Map.of("INT", 2, "TERM", 15);

  private final CountDownLatch requested = new CountDownLatch(1);
  private final CountDownLatch finished = new CountDownLatch(1);
  private final AtomicReference<String> first = new AtomicReference<>();
  private final IntConsumer end;

  StopSignals() {
    this(code -> Runtime.getRuntime().halt(code));
  }

  /** With another way to end the process, for tests. */
  StopSignals(IntConsumer end) {
    this.end = end;
  }

  /** From now on the signals arrive here. */
  void listen() {
    try {
      NUMBERS.keySet().forEach(this::listenTo);
    } catch (UnsupportedOperationException e) {
      LoggerFactory.getLogger(StopSignals.class)
          .warn("this Java passes no signals on ({}); a second one will not be seen", e.toString());
      Runtime.getRuntime().addShutdownHook(new Thread(this::drainInHook, "queue-stop"));
    }
  }

  /** Waits for the first reason to stop; returns it, such as SIGTERM. */
  String await() throws InterruptedException {
    requested.await();
    return Objects.requireNonNull(first.get());
  }

  /** The worker is down; a shutdown hook that waits for it may go on. */
  void finished() {
    finished.countDown();
  }

  void received(String name) {
    if (!ask("SIG" + name)) {
      end.accept(ExitCodes.SIGNALLED + NUMBERS.getOrDefault(name, 15));
    }
  }

  /** Asks for a stop as the first signal does; false if that was requested before. */
  boolean ask(String why) {
    boolean mine = first.compareAndSet(null, why);
    requested.countDown();
    return mine;
  }

  private void listenTo(String name) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      InvocationHandler onSignal =
          (proxy, method, arguments) ->
              switch (method.getName()) {
                case "handle" -> {
                  received(name);
                  yield null;
                }
                case "equals" -> proxy == arguments[0];
                case "hashCode" -> System.identityHashCode(proxy);
                default -> "StopSignals of " + name;
              };
      Object proxy =
          Proxy.newProxyInstance(
              StopSignals.class.getClassLoader(), new Class<?>[] {handler}, onSignal);
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
    } catch (ReflectiveOperationException e) {
      throw new UnsupportedOperationException("SIG" + name + " cannot be listened to", e);
    }
  }

  /** The JVM ends when its hooks have; this one holds it until the worker is down. */
  private void drainInHook() {
    received("TERM");
    try {
      if (finished.await(1, TimeUnit.DAYS)) {
        end.accept(ExitCodes.OK);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
