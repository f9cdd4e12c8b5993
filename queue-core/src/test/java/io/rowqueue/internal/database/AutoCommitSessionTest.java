package io.rowqueue.internal.database;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class AutoCommitSessionTest {

  /** A pool's connection refuses every question once it is lost. */
  @Test
  void read_whoseConnectionIsLost_throwsWhatWasLost() {
    AtomicBoolean lost = new AtomicBoolean();
    Connection connection =
        (Connection)
            Proxy.newProxyInstance(
                Connection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                  if (lost.get()) {
                    throw new SQLException("Connection is closed");
                  }
                  return method.getName().equals("getAutoCommit");
                });
    SQLException cause = new SQLException("Communications link failure", "08S01");
    assertThatThrownBy(
            () ->
                AutoCommitSession.read(
                    connection,
                    used -> {
                      lost.set(true);
                      throw cause;
                    }))
        .isSameAs(cause);
  }
}
