package io.rowqueue.testkit;

import com.google.inject.Module;
import io.rowqueue.MessageProducer;
import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** The extension behind {@link QueueTest}. Safe with test classes that run in parallel. */
public final class QueueExtension
    implements BeforeAllCallback,
        BeforeEachCallback,
        AfterEachCallback,
        AfterAllCallback,
        ParameterResolver {

  private static final Namespace NAMESPACE = Namespace.create(QueueExtension.class);

  private static final Set<Class<?>> OF_A_CLASS = Set.of(QueueDatabase.class, TestQueue.class);

  private static final Set<Class<?>> OF_A_METHOD =
      Set.of(MessageProducer.class, TestWorker.class, InlineProducer.class, LiveWorker.class);

  /** Called by JUnit. */
  public QueueExtension() {}

  @Override
  public void beforeAll(ExtensionContext context) {
    // A nested class sees its outer class's store.
    if (find(context) == null) {
      context.getStore(NAMESPACE).put(QueueDatabase.class, Schemas.take());
    }
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    database(context).clean();
  }

  /** Before the next method empties the schema, so that no worker of this one interferes. */
  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    for (Class<?> type : OF_A_METHOD) {
      if (context.getStore(NAMESPACE).remove(type) instanceof AutoCloseable made) {
        made.close();
      }
    }
  }

  @Override
  public void afterAll(ExtensionContext context) {
    // Removes from this context only, so that a nested class leaves its outer class's schema.
    QueueDatabase own =
        context.getStore(NAMESPACE).remove(QueueDatabase.class, QueueDatabase.class);
    if (own != null) {
      Schemas.release(own);
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    boolean ofAMethod = OF_A_METHOD.contains(type) && context.getTestMethod().isPresent();
    return OF_A_CLASS.contains(type) || ofAMethod;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    QueueDatabase database = database(context);
    Class<?> type = parameter.getParameter().getType();
    if (type == QueueDatabase.class) {
      return database;
    }
    if (type == TestQueue.class) {
      return database.queue();
    }
    return context
        .getStore(NAMESPACE)
        .computeIfAbsent(type, wanted -> made(wanted, database, modules(context)));
  }

  private static Object made(Class<?> type, QueueDatabase database, Module[] modules) {
    if (type == TestWorker.class) {
      return TestWorker.of(database, modules);
    }
    if (type == InlineProducer.class) {
      return InlineProducer.of(database, modules);
    }
    if (type == LiveWorker.class) {
      return LiveWorker.start(database, modules);
    }
    return MessageProducer.create();
  }

  /** Returns the modules of the test class, or of the nearest enclosing class that names some. */
  private static Module[] modules(ExtensionContext context) {
    List<Module> modules = new ArrayList<>();
    Optional<ExtensionContext> around = Optional.of(context);
    while (around.isPresent() && modules.isEmpty()) {
      around
          .flatMap(ExtensionContext::getElement)
          .flatMap(element -> AnnotationSupport.findAnnotation(element, QueueTest.class))
          .ifPresent(
              named -> {
                for (Class<? extends Module> module : named.value()) {
                  modules.add(newModule(module));
                }
              });
      around = around.get().getParent();
    }
    return modules.toArray(Module[]::new);
  }

  private static Module newModule(Class<? extends Module> type) {
    try {
      Constructor<? extends Module> constructor = type.getDeclaredConstructor();
      constructor.setAccessible(true);
      return constructor.newInstance();
    } catch (ReflectiveOperationException e) {
      throw new ParameterResolutionException(
          "%s is named by @QueueTest and cannot be made; give it a constructor without parameters, or pass a module that you have made to TestWorker.of(database, module)"
              .formatted(type.getName()),
          e);
    }
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
