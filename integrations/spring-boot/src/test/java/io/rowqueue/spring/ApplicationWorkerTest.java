package io.rowqueue.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.worker.Worker;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ApplicationWorkerTest {

  @Test
  void end_ofAWorkerThatCannotDrain_closesIt() {
    List<String> calls = new ArrayList<>();
    Worker worker =
        (Worker)
            Proxy.newProxyInstance(
                Worker.class.getClassLoader(),
                new Class<?>[] {Worker.class},
                (proxy, method, arguments) -> {
                  calls.add(method.getName());
                  if (method.getName().equals("drain")) {
                    throw new IllegalStateException("it cannot drain");
                  }
                  return null;
                });
    assertThatThrownBy(() -> ApplicationWorker.end(worker, Duration.ZERO))
        .hasMessage("it cannot drain");
    assertThat(calls).containsExactly("drain", "close");
  }
}
