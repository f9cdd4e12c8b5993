package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ShutdownReportTest {

  private static final Duration LONG = Duration.ofMinutes(1);

  private final List<String> said = new ArrayList<>();

  @Test
  void requested_commandThatOnlyReads_saysThatNothingWasChanged() {
    ShutdownReport shutdown = new ShutdownReport(LONG, Duration.ZERO);
    shutdown.begin();
    shutdown.requested(said::add);
    assertThat(said).containsExactly("a signal has stopped it; nothing was changed");
    assertThatThrownBy(() -> shutdown.step("it is not known", () -> "done"))
        .hasMessage("a signal has stopped it before it changed anything");
  }

  @Test
  void requested_stepThatTakesTooLong_saysThatItIsInDoubt() throws InterruptedException {
    ShutdownReport shutdown = new ShutdownReport(Duration.ZERO, Duration.ZERO);
    shutdown.begin();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch enough = new CountDownLatch(1);
    Thread command = new Thread(() -> shutdown.step("it is not known", () -> done(begun, enough)));
    command.start();
    begun.await();
    shutdown.requested(said::add);
    enough.countDown();
    command.join();
    assertThat(said).containsExactly("a signal has stopped it; it is not known");
    shutdown.requested(said::add);
    assertThat(said).last().isEqualTo("a signal has stopped it; done");
  }

  private static String done(CountDownLatch begun, CountDownLatch enough) {
    begun.countDown();
    try {
      enough.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return "done";
  }

  @Test
  void requested_commandThatEndsMeanwhile_speaksForItself() throws InterruptedException {
    ShutdownReport shutdown = new ShutdownReport(LONG, LONG);
    shutdown.begin();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch enough = new CountDownLatch(1);
    Thread command =
        new Thread(
            () -> {
              String unused = shutdown.step("it is not known", () -> done(begun, enough));
              shutdown.end();
            });
    command.start();
    begun.await();
    enough.countDown();
    shutdown.requested(said::add);
    command.join();
    assertThat(said).isEmpty();
  }
}
