package io.rowqueue.proof.model;

import io.rowqueue.message.NewMessage;
import java.time.Duration;
import java.time.Instant;

/** When new messages shall be due. */
enum Due {
  NOW,
  AFTER_5_S,
  AT_10_S,
  AT_0_S;

  NewMessage on(NewMessage message) {
    return switch (this) {
      case NOW -> message;
      case AFTER_5_S -> message.withDelay(Duration.ofSeconds(5));
      case AT_10_S -> message.withDueAt(Instant.ofEpochSecond(Times.BEGIN_SECONDS + 10));
      case AT_0_S -> message.withDueAt(Instant.ofEpochSecond(Times.BEGIN_SECONDS));
    };
  }

  long micros(Model model) {
    return switch (this) {
      case NOW -> model.now();
      case AFTER_5_S -> model.after(Duration.ofSeconds(5));
      case AT_10_S -> Times.micros(Duration.ofSeconds(10));
      case AT_0_S -> 0;
    };
  }
}
