package io.rowqueue.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.handler.HandlerConfigurationException;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.ResultHandler;
import io.rowqueue.spring.shop.PackagePrivate;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/** What cannot handle messages is reported with its bean and the remedy. */
class HandlerBeansTest {

  @ParameterizedTest
  @CsvSource({
    "NoHandler, implements none of MessageHandler",
    "NoPayload, it has other parameters; a handler method takes the payload",
    "TooMany, it has other parameters; a handler method takes the payload",
    "Unknown, its payload type is unknown",
    "Twice, the topic has a handler already",
    "Later, it returns before its work is done",
    "OnAnotherThread, it returns before its work is done",
    "AsyncClass, it returns before its work is done",
    "OnAManagedThread, it returns before its work is done",
    "LaterResult, it returns before its work is done",
    "FinalMethod, it is final",
    "FinalInTemplate, it is final",
    "InAnotherPackage, package-private in another package"
  })
  void wrongHandler_isReported(String bean, String message) throws Exception {
    Class<?> type = Class.forName(HandlerBeansTest.class.getName() + "$" + bean);
    try (var context = new AnnotationConfigApplicationContext(type)) {
      assertThatThrownBy(() -> new HandlerBeans(context.getBeanFactory()))
          .isInstanceOf(HandlerConfigurationException.class)
          .hasMessageContaining("@RowQueueHandler(\"a\")")
          .hasMessageContaining(bean)
          .hasMessageContaining(message);
    }
  }

  @Test
  void noHandler_isNoError() {
    try (var context = new AnnotationConfigApplicationContext(Object.class)) {
      assertThat(new HandlerBeans(context.getBeanFactory()).isEmpty()).isTrue();
    }
  }

  @Test
  void beanThatIsNull_isNoHandler() {
    try (var context = new AnnotationConfigApplicationContext(Nothing.class)) {
      assertThat(new HandlerBeans(context.getBeanFactory()).isEmpty()).isTrue();
    }
  }

  @Test
  void handlerInAProxiedScope_isFound() {
    try (var context = new AnnotationConfigApplicationContext(Scoped.class)) {
      assertThat(new HandlerBeans(context.getBeanFactory()).isEmpty()).isFalse();
    }
  }

  @Test
  void payloadInItsOwnBound_isRaw() {
    try (var context = new AnnotationConfigApplicationContext(SelfBounded.class)) {
      WorkerBuilder builder = Worker.builder(new DriverManagerDataSource());
      assertThatCode(() -> new HandlerBeans(context.getBeanFactory()).bindAll(builder))
          .doesNotThrowAnyException();
    }
  }

  /** As Spring does for listeners. */
  @Test
  void lazyBeanWhoseMethodNamesAMissingClass_isPassedOver() throws Exception {
    ClassLoader without =
        new ClassLoader(HandlerBeansTest.class.getClassLoader()) {
          @Override
          protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.endsWith("$Missing")) {
              throw new ClassNotFoundException(name);
            }
            if (!name.endsWith("$NamesMissing")) {
              return super.loadClass(name, resolve);
            }
            try (InputStream file = getResourceAsStream(name.replace('.', '/') + ".class")) {
              byte[] code = file.readAllBytes();
              return defineClass(name, code, 0, code.length);
            } catch (IOException e) {
              throw new ClassNotFoundException(name, e);
            }
          }
        };
    try (var context = new AnnotationConfigApplicationContext()) {
      Class<?> type = without.loadClass(NamesMissing.class.getName());
      RootBeanDefinition lazy = new RootBeanDefinition(type);
      lazy.setLazyInit(true);
      context.registerBeanDefinition("lazy", lazy);
      context.refresh();
      assertThat(new HandlerBeans(context.getBeanFactory()).isEmpty()).isTrue();
    }
  }

  static class Missing {}

  static class NamesMissing {
    void use(Missing missing) {}
  }

  static class Nothing {
    @Bean
    @Nullable SelfBounded handler() {
      return null;
    }
  }

  static class Scoped {
    @Bean
    @Scope(value = "prototype", proxyMode = ScopedProxyMode.INTERFACES)
    @RowQueueHandler("a")
    MessageHandler<String> handler() {
      return (payload, context) -> {};
    }
  }

  abstract static class Event<E extends Event<E>> {}

  static class SelfBounded {
    @RowQueueHandler("a")
    @SuppressWarnings("rawtypes")
    void handle(Event event) {}
  }

  abstract static class Template<P> implements MessageHandler<P> {
    @Override
    public final void handle(P payload, HandlerContext context) {}
  }

  @EnableTransactionManagement(proxyTargetClass = true)
  @RowQueueHandler("a")
  static class FinalInTemplate extends Template<String> {
    @Transactional
    void other() {}
  }

  @EnableTransactionManagement(proxyTargetClass = true)
  static class InAnotherPackage extends PackagePrivate {
    @Transactional
    void other() {}
  }

  @RowQueueHandler("a")
  static class NoHandler {}

  static class NoPayload {
    @RowQueueHandler("a")
    void handle(HandlerContext context) {}
  }

  static class TooMany {
    @RowQueueHandler("a")
    void handle(String payload, String other) {}
  }

  @RowQueueHandler("a")
  static class Unknown<P> implements MessageHandler<P> {
    @Override
    public void handle(P payload, HandlerContext context) {}
  }

  static class Later {
    @RowQueueHandler("a")
    CompletableFuture<Void> handle(String payload) {
      return CompletableFuture.completedFuture(null);
    }
  }

  static class OnAnotherThread {
    @Async
    @RowQueueHandler("a")
    void handle(String payload) {}
  }

  @RowQueueHandler("a")
  static class AsyncClass implements MessageHandler<String> {
    @Async
    @Override
    public void handle(String payload, HandlerContext context) {}
  }

  /** Jakarta's annotation, which Spring treats as its own. */
  static class OnAManagedThread {
    @jakarta.ejb.Asynchronous
    @RowQueueHandler("a")
    void handle(String payload) {}
  }

  @RowQueueHandler("a")
  static class LaterResult implements ResultHandler<String, Flow.Publisher<String>> {
    @Override
    public Flow.Publisher<String> handle(String payload, HandlerContext context) {
      return subscriber -> {};
    }
  }

  @EnableTransactionManagement(proxyTargetClass = true)
  static class FinalMethod {
    @Transactional
    void other() {}

    @RowQueueHandler("a")
    final void handle(String payload) {}
  }

  static class Twice {
    @RowQueueHandler("a")
    void one(String payload) {}

    @RowQueueHandler("a")
    void other(String payload) {}
  }
}
