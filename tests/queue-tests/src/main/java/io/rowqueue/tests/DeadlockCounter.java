package io.rowqueue.tests;

import com.google.common.base.Throwables;
import io.rowqueue.internal.database.Transition;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/**
 * Counts the deadlocks (error 1213) of a test's own connections, whoever answers them by a retry:
 * the server's own count is that of every test. The module of a worker counts those of its protocol
 * connections.
 */
public final class DeadlockCounter extends ProbeModule {

  private static final int DEADLOCK = 1213;

  private final AtomicInteger count = new AtomicInteger();

  public int count() {
    return count.get();
  }

  @Override
  public void repeated(Transition transition, Throwable cause) {
    saw(cause);
  }

  /** Connections of {@code real} whose deadlocks are counted. */
  public DataSource over(DataSource real) {
    return counted(DataSource.class, real);
  }

  private <T> T counted(Class<T> type, Object real) {
    return type.cast(
        Proxy.newProxyInstance(
            DeadlockCounter.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              try {
                Object result = method.invoke(real, arguments);
                Class<?> returned = method.getReturnType();
                boolean sends =
                    returned == Connection.class || Statement.class.isAssignableFrom(returned);
                return sends && result != null ? counted(returned, result) : result;
              } catch (InvocationTargetException e) {
                saw(e.getTargetException());
                throw e.getTargetException();
              }
            }));
  }

  /** Counts {@code failure} if it is one. */
  public void saw(Throwable failure) {
    if (Throwables.getCausalChain(failure).stream()
        .anyMatch(cause -> cause instanceof SQLException sql && sql.getErrorCode() == DEADLOCK)) {
      count.incrementAndGet();
    }
  }
}
