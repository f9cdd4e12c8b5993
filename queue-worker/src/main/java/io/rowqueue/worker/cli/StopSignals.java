package io.rowqueue.worker.cli;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * SIGTERM and SIGINT: the first asks for a drain, the second ends the process at once.
 *
 * <p>A shutdown hook cannot tell a second signal, so the JDK's own signal handling is used, which
 * is supported in every JDK ({@code jdk.unsupported}) but not at compile time under {@code
 * --release}.
 */
final class StopSignals {

  private static final Logger LOG = LoggerFactory.getLogger(StopSignals.class);

  private final CountDownLatch first = new CountDownLatch(1);
  private final AtomicInteger count = new AtomicInteger();

  private StopSignals() {}

  static StopSignals install() {
    StopSignals signals = new StopSignals();
    signals.listen("TERM", 143);
    signals.listen("INT", 130);
    return signals;
  }

  void awaitFirst() throws InterruptedException {
    first.await();
  }

  private void listen(String name, int exitCode) {
    InvocationHandler handler =
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "equals" -> arguments != null && proxy == arguments[0];
              case "hashCode" -> System.identityHashCode(proxy);
              case "toString" -> "SIG" + name;
              default -> received(name, exitCode);
            };
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> listener = Class.forName("sun.misc.SignalHandler");
      Object proxy =
          Proxy.newProxyInstance(listener.getClassLoader(), new Class<?>[] {listener}, handler);
      signal
          .getMethod("handle", signal, listener)
          .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("SIG" + name + " cannot be listened to on this JVM", e);
    }
  }

  private int received(String name, int exitCode) {
    if (count.incrementAndGet() > 1) {
      LOG.warn("a second signal (SIG{}): stopping at once; others reap what was claimed", name);
      Runtime.getRuntime().halt(exitCode);
    }
    LOG.info("SIG{}: stopping in good order; a second signal stops at once", name);
    first.countDown();
    return 0;
  }
}
