package io.rowqueue.internal.wakeup;

import io.rowqueue.Topic;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.internal.text.FailureText;
import io.rowqueue.internal.text.RepeatedFailures;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jooq.Configuration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Collects what one transaction has enqueued, for the notifications after its commit. It is
 * attached to the transaction's jOOQ configuration or its connection, where producers find it.
 * Confined to the transaction's thread.
 */
public final class AfterCommit {

  private static final Logger LOG = LoggerFactory.getLogger(AfterCommit.class);

  private static final RepeatedFailures FAILURES = new RepeatedFailures(System::nanoTime);

  private static final Object KEY = AfterCommit.class;

  private final WorkerNotifier notifier;
  private final Map<Topic, Integer> enqueued = new HashMap<>();
  private final Map<Topic, Integer> released = new HashMap<>();
  private final Set<String> waiters = new LinkedHashSet<>();
  private final List<Runnable> afterCommit = new ArrayList<>();
  private int depth = 1;

  /** For a transaction that has just started. */
  public AfterCommit(WorkerNotifier notifier) {
    this.notifier = notifier;
  }

  /** The instance attached to {@code configuration}; null without notifications. */
  public static @Nullable AfterCommit of(Configuration configuration) {
    return (AfterCommit) configuration.data(KEY);
  }

  /** The instance attached to {@code connection}; null without notifications. */
  public static @Nullable AfterCommit of(Connection connection) {
    return connection instanceof Carrier carrier ? carrier.afterCommit() : null;
  }

  /** {@code connection}, where producers find it. */
  public Connection carriedBy(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            AfterCommit.class.getClassLoader(),
            new Class<?>[] {Connection.class, Carrier.class},
            (proxy, method, arguments) -> {
              if (method.getDeclaringClass() == Carrier.class) {
                return this;
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** Attaches it to {@code configuration} and to the configurations derived from that. */
  public void attach(Configuration configuration) {
    configuration.data(KEY, this);
  }

  /** {@code count} messages went to {@code topic}, if the transaction commits. */
  public void onEnqueued(Topic topic, int count) {
    enqueued.merge(topic, count, Integer::sum);
  }

  /**
   * A waiting message of {@code topic} may be claimed, if the transaction commits.
   *
   * @param afterCommit runs after the COMMIT and before the notification; must be short, and not
   *     fail
   */
  public void onReleased(Topic topic, Runnable afterCommit) {
    released.merge(topic, 1, Integer::sum);
    this.afterCommit.add(afterCommit);
  }

  /** The result that {@code waiter} awaits exists, if the transaction commits. */
  public void onResult(String waiter) {
    waiters.add(waiter);
  }

  /** The transaction has committed. */
  public void committed() {
    run(
        () -> {
          afterCommit.forEach(Runnable::run);
          released.forEach(this::onEnqueued);
          if (!enqueued.isEmpty()) {
            notifier.notifyWorkers(enqueued);
          }
        });
  }

  /**
   * The transaction has committed on {@code connection}, which may be used for the notification.
   */
  public void committed(Connection connection) {
    run(
        () -> {
          afterCommit.forEach(Runnable::run);
          if (!enqueued.isEmpty()) {
            notifier.notifyWorkers(enqueued, connection);
          }
          if (!released.isEmpty()) {
            notifier.notifyAboutReleased(released, connection);
          }
          if (!waiters.isEmpty()) {
            notifier.notifyResultWaiters(waiters, connection);
          }
        });
  }

  /**
   * Runs callbacks that follow a COMMIT. They may be the application's, and whatever they throw is
   * only logged: otherwise the transaction would count as failed, and be repeated.
   */
  public static void run(Runnable callbacks) {
    try {
      callbacks.run();
    } catch (Throwable e) {
      String more = FAILURES.add("", e);
      LOG.atLevel(more == null ? Level.DEBUG : Level.WARN)
          .log(
              "a callback failed after a COMMIT, which stands; workers find its messages by"
                  + " polling: {}{}",
              FailureText.of(e),
              Objects.requireNonNullElse(more, ""),
              e);
    }
  }

  void enter() {
    depth++;
  }

  /** Whether the outermost transaction has just ended. */
  boolean leave() {
    depth--;
    return depth == 0;
  }

  /** A connection that knows the transaction that it is used for. */
  public interface Carrier {

    /** Null without notifications. */
    @Nullable AfterCommit afterCommit();
  }
}
