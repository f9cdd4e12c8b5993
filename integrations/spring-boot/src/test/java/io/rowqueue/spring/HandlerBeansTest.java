package io.rowqueue.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.handler.HandlerConfigurationException;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** What cannot handle messages is reported with its bean and the remedy. */
class HandlerBeansTest {

  @ParameterizedTest
  @CsvSource({
    "NoHandler, implements none of MessageHandler",
    "NoPayload, it has other parameters; a handler method takes the payload",
    "TooMany, it has other parameters; a handler method takes the payload",
    "Unknown, its payload type is unknown",
    "Twice, the topic has a handler already"
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

  static class Twice {
    @RowQueueHandler("a")
    void one(String payload) {}

    @RowQueueHandler("a")
    void other(String payload) {}
  }
}
