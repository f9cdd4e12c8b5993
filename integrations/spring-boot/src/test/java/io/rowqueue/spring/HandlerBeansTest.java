package io.rowqueue.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.handler.HandlerConfigurationException;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.ResultHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
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
    "FinalMethod, it is final"
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
