package io.rowqueue.testkit;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;

/** The extension behind {@link QueueTest}. Safe with test classes that run in parallel. */
public final class QueueExtension
    implements BeforeAllCallback, BeforeEachCallback, AfterAllCallback, ParameterResolver {

  private static final Namespace NAMESPACE = Namespace.create(QueueExtension.class);

  /** Called by JUnit. */
  public QueueExtension() {}

  @Override
  public void beforeAll(ExtensionContext context) {
    // A nested class sees what its outer class has stored.
    if (find(context) == null) {
      context.getStore(NAMESPACE).put(QueueDatabase.class, QueueDatabase.create());
    }
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    database(context).clean();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    // Removes from this context only, so that a nested class leaves its outer class's schema alone.
    QueueDatabase own =
        context.getStore(NAMESPACE).remove(QueueDatabase.class, QueueDatabase.class);
    if (own != null) {
      own.close();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == QueueDatabase.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return database(context);
  }

  private static QueueDatabase database(ExtensionContext context) {
    QueueDatabase database = find(context);
    if (database == null) {
      throw new ParameterResolutionException(
          "there is no QueueDatabase yet; register QueueExtension with @QueueTest on the class");
    }
    return database;
  }

  private static @Nullable QueueDatabase find(ExtensionContext context) {
    return context.getStore(NAMESPACE).get(QueueDatabase.class, QueueDatabase.class);
  }
}
