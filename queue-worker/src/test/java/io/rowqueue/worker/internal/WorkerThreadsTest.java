package io.rowqueue.worker.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.DatabaseUnavailableException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WorkerThreadsTest {

  private final WorkerThreads threads = new WorkerThreads();
  private final List<Integer> done = new ArrayList<>();

  private void fail(int number, RuntimeException failure) {
    if (number == 2) {
      throw failure;
    }
    done.add(number);
  }

  private static DatabaseUnavailableException answer(String state, int code) {
    return new DatabaseUnavailableException("no", new SQLException("no", state, code));
  }

  @Test
  void each_oneOfWhichIsRefusedOrFails_doesTheOthers() {
    RuntimeException refusal = answer("45000", 1644);
    assertThat(threads.each("a", List.of(1, 2, 3), number -> fail(number, refusal))).isFalse();
    RuntimeException file = new UncheckedIOException(new IOException("no password"));
    assertThat(threads.each("b", List.of(4, 2, 5), number -> fail(number, file))).isFalse();
    assertThat(done).containsExactly(1, 3, 4, 5);
    assertThat(threads.each("a", List.of(6), done::add)).isTrue();
    assertThat(threads.step("b", () -> 7)).isEqualTo(7);
  }

  /** The others would wait for it, too, one after the other. */
  @Test
  void each_inAnOutage_endsAtOnce() {
    RuntimeException lost = answer("08S01", 0);
    assertThatThrownBy(() -> threads.each("a", List.of(1, 2, 3), number -> fail(number, lost)))
        .isSameAs(lost);
    assertThat(done).containsExactly(1);
  }

  @Test
  void start_threadThatTheSystemRefuses_isForgotten() {
    AtomicInteger interrupted = new AtomicInteger();
    assertThatExceptionOfType(OutOfMemoryError.class)
        .isThrownBy(() -> threads.start(work -> new Refused(interrupted), "handler", () -> {}));
    threads.stop();
    assertThat(interrupted).as("threads that a stop interrupts").hasValue(0);
  }

  @Test
  void startOnce_whereNoThreadCanBeStarted_triesAgain() {
    AtomicBoolean started = new AtomicBoolean();
    assertThatExceptionOfType(OutOfMemoryError.class)
        .isThrownBy(
            () -> WorkerThreads.startOnce(started, new Refused(new AtomicInteger())::start));
    WorkerThreads.startOnce(started, () -> done.add(1));
    WorkerThreads.startOnce(started, () -> done.add(2));
    assertThat(done).containsExactly(1);
  }

  private static final class Refused extends Thread {

    private final AtomicInteger interrupted;

    Refused(AtomicInteger interrupted) {
      this.interrupted = interrupted;
    }

    @Override
    public synchronized void start() {
      throw new OutOfMemoryError("unable to create native thread");
    }

    @Override
    public void interrupt() {
      interrupted.incrementAndGet();
    }
  }
}
