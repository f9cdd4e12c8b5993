package io.rowqueue.testkit;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.parallel.ResourceLocksProvider;

/** Serializes test methods that share a schema when JUnit runs methods in parallel. */
final class OneMethodAtOnce implements ResourceLocksProvider {

  OneMethodAtOnce() {}

  @Override
  public Set<Lock> provideForMethod(List<Class<?>> enclosingTypes, Class<?> type, Method method) {
    Class<?> outermost = enclosingTypes.isEmpty() ? type : enclosingTypes.get(0);
    return Set.of(new Lock("io.rowqueue.testkit:" + outermost.getName()));
  }
}
