package io.rowqueue.tests;

import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * Runs the methods of a test class in a thread group of their own: what they start, and what it
 * logs, can be told from that of the classes that run at the same time.
 */
public final class OwnThreads implements InvocationInterceptor {

  private final ThreadGroup group = new ThreadGroup("one test class");

  /** The living threads of the class that calls. */
  public static List<Thread> living() {
    ThreadGroup mine = Thread.currentThread().getThreadGroup();
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getThreadGroup() == mine)
        .toList();
  }

  private void inGroup(Invocation<@Nullable Void> invocation) throws Throwable {
    FutureTask<@Nullable Throwable> failure = new FutureTask<>(() -> failure(invocation));
    new Thread(group, failure, Thread.currentThread().getName()).start();
    try {
      Throwable thrown = failure.get();
      if (thrown != null) {
        throw thrown;
      }
    } catch (ExecutionException e) {
      throw e.getCause();
    }
  }

  private static @Nullable Throwable failure(Invocation<@Nullable Void> invocation) {
    try {
      invocation.proceed();
      return null;
    } catch (Throwable e) {
      return e;
    }
  }

  @Override
  public void interceptBeforeEachMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> called,
      ExtensionContext context)
      throws Throwable {
    inGroup(invocation);
  }

  @Override
  public void interceptTestMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> called,
      ExtensionContext context)
      throws Throwable {
    inGroup(invocation);
  }

  @Override
  public void interceptTestTemplateMethod(
      Invocation<@Nullable Void> invocation,
      ReflectiveInvocationContext<Method> called,
      ExtensionContext context)
      throws Throwable {
    inGroup(invocation);
  }
}
