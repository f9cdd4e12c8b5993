package io.rowqueue.testkit;

import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** The extension behind {@link QueueTest}. Safe with test classes that run in parallel. */
public final class QueueExtension implements BeforeEachCallback, ParameterResolver {

  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(QueueExtension.class);

  /** Called by JUnit. */
  public QueueExtension() {}

  @Override
  public void beforeEach(ExtensionContext context) {
    database(context).clean();
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
    // Kept in the root's store under the class, so that nested classes share it and JUnit closes
    // it.
    return context
        .getRoot()
        .getStore(NAMESPACE)
        .computeIfAbsent(
            context.getRequiredTestClass(), type -> QueueDatabase.create(), QueueDatabase.class);
  }
}
