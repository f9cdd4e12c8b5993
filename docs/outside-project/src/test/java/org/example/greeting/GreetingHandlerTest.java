package org.example.greeting;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.testkit.TestedHandler;
import org.junit.jupiter.api.Test;

class GreetingHandlerTest {

  @Test
  void greeting_ofNobody_isSetAside() {
    TestedHandler greetings = TestedHandler.of("greeting.requested", new GreetingModule());
    assertThat(greetings.handle(new Greeting("")))
        .isDeadLettered(DeadLetterReason.PERMANENT_FAILURE);
  }
}
