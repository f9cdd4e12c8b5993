package io.rowqueue.proof.fault;

import java.util.Set;
import org.junit.jupiter.api.parallel.ResourceLocksProvider;
import org.junit.jupiter.api.parallel.Resources;

/**
 * For tests that kill, fill or reconfigure their server: where all tests share one, they run alone;
 * where they start one of their own, beside others.
 */
public final class WholeServer implements ResourceLocksProvider {

  /** For JUnit. */
  public WholeServer() {}

  @Override
  public Set<Lock> provideForClass(Class<?> type) {
    return System.getProperty("rowqueue.test.url", "").isEmpty()
        ? Set.of()
        : Set.of(new Lock(Resources.GLOBAL));
  }
}
