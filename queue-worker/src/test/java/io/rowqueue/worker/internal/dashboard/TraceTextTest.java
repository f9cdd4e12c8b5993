package io.rowqueue.worker.internal.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.worker.internal.dashboard.TraceText.Part;
import org.junit.jupiter.api.Test;

class TraceTextTest {

  @Test
  void framesOfLibraries_areFolded_andNoOthers() {
    String trace =
        """
        java.lang.IllegalStateException: no
        \tat com.shop.Orders.place(Orders.java:7)
        \tat java.base/java.lang.reflect.Method.invoke(Method.java:580)
        \tat io.rowqueue.internal.handle.HandlerInvoker.call(HandlerInvoker.java:1)
        \tat com.shop.Main.main(Main.java:3)
        \tat java.base/java.lang.Thread.run(Thread.java:1)
        Caused by: java.io.IOException: reset
        """;
    assertThat(TraceText.of(trace))
        .containsExactly(
            new Part(lines(trace, 0, 2), 0),
            new Part(lines(trace, 2, 4), 2),
            new Part(lines(trace, 4, 7), 0));
  }

  private static String lines(String text, int from, int to) {
    return String.join("\n", text.lines().toList().subList(from, to));
  }

  @Test
  void handlersOfASimilarPackage_areShown() {
    String frames = "\tat javashop.A.b(A.java:1)\n\tat org.springframeworks.C.d(C.java:1)";
    assertThat(TraceText.of(frames)).containsExactly(new Part(frames, 0));
    assertThat(TraceText.of("")).isEmpty();
  }
}
