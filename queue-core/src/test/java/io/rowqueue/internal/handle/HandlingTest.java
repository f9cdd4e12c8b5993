package io.rowqueue.internal.handle;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.internal.claim.Body;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.LockId;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class HandlingTest {

  @Test
  void handling_whoseConnectionCannotBeClosed_isAbandoned() {
    Connection refusing =
        (Connection)
            Proxy.newProxyInstance(
                Connection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                  throw new NoClassDefFoundError(method.getName());
                });
    Handling handling = handling(HandlerSettings.defaults());
    handling.transactionStarted(refusing);
    handling.interrupt();
    assertThat(Thread.interrupted()).isTrue();
    handling.cut(Connection::close);
    assertThat(handling.abandon()).isTrue();
  }

  /** A timeout that no long holds in nanoseconds. */
  @Test
  void handling_withoutEnd_isNotInterrupted() {
    Handling handling =
        handling(HandlerSettings.defaults().withTimeout(Duration.ofSeconds(Long.MAX_VALUE)));
    handling.start();
    handling.interruptIfOver();
    assertThat(Thread.interrupted()).isFalse();
  }

  private static Handling handling(HandlerSettings settings) {
    Claim claim =
        new Claim(
            new MessageId(1),
            new Topic("order"),
            LockId.create("host", 1),
            1,
            0,
            0,
            false,
            Instant.EPOCH,
            null,
            new Body(true, new byte[0], null, 0, 0));
    return new Handling(
        claim, HandlerPolicy.of(settings, HandlerDefaults.defaults(), HandlerKind.MESSAGE));
  }
}
