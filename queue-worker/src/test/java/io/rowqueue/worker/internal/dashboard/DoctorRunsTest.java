package io.rowqueue.worker.internal.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.worker.internal.doctor.Finding;
import io.rowqueue.worker.internal.doctor.Severity;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DoctorRunsTest {

  private static final List<Finding> FOUND =
      List.of(new Finding("server", Severity.OK, "MariaDB", ""));

  private final AtomicInteger runs = new AtomicInteger();
  private final AtomicLong nanos = new AtomicLong();

  private List<Finding> examine() {
    runs.incrementAndGet();
    return FOUND;
  }

  @Test
  void read_withinAMinute_runsOnce_andAgainAfterIt() {
    DoctorRuns doctor = new DoctorRuns(this::examine, Runnable::run, nanos::get);
    assertThat(doctor.read().last()).isNotNull();
    nanos.addAndGet(DoctorRuns.EVERY.toNanos() - 1);
    assertThat(doctor.read()).satisfies(state -> assertThat(state.running()).isFalse());
    assertThat(runs).hasValue(1);
    nanos.incrementAndGet();
    doctor.read();
    assertThat(runs).hasValue(2);
  }

  /** A request during a run gets the last result at once, and starts no second run. */
  @Test
  void read_duringARun_waitsForNothing() throws InterruptedException {
    Deque<Runnable> begun = new ArrayDeque<>();
    CountDownLatch started = new CountDownLatch(1);
    DoctorRuns doctor =
        new DoctorRuns(
            this::examine,
            work -> {
              begun.add(work);
              started.countDown();
            },
            nanos::get);
    List<DoctorRuns.State> first = new ArrayList<>();
    Thread asking = new Thread(() -> first.add(doctor.read()));
    asking.start();
    started.await();
    DoctorRuns.State second = doctor.read();
    assertThat(second.running()).isTrue();
    assertThat(second.last()).isNull();
    assertThat(begun).hasSize(1);
    begun.remove().run();
    asking.join();
    assertThat(first.get(0).last()).satisfies(last -> assertThat(last.findings()).isEqualTo(FOUND));
    assertThat(doctor.read().running()).isFalse();
  }

  @Test
  void glance_waitsForNothing_andRunsOnceInFiveMinutes() {
    Deque<Runnable> begun = new ArrayDeque<>();
    DoctorRuns doctor = new DoctorRuns(this::examine, begun::add, nanos::get);
    assertThat(doctor.glance()).isNull();
    assertThat(doctor.glance()).isNull();
    assertThat(begun).hasSize(1);
    begun.remove().run();
    nanos.addAndGet(DoctorRuns.EVERY_FOR_OVERVIEW.toNanos() - 1);
    assertThat(doctor.glance()).satisfies(last -> assertThat(last.findings()).isEqualTo(FOUND));
    assertThat(begun).isEmpty();
    nanos.incrementAndGet();
    assertThat(doctor.glance()).isNotNull();
    assertThat(begun).hasSize(1);
  }

  @Test
  void read_whereNoThreadCanBeStarted_triesAgain() {
    Deque<Error> refusals = new ArrayDeque<>(List.of(new OutOfMemoryError("no native thread")));
    DoctorRuns doctor =
        new DoctorRuns(
            this::examine,
            work -> {
              if (!refusals.isEmpty()) {
                throw refusals.remove();
              }
              work.run();
            },
            nanos::get);
    assertThatThrownBy(doctor::read).hasMessage("no native thread");
    assertThat(doctor.read().last()).isNotNull();
  }

  @Test
  void read_afterARunThatFailed_runsAgainInAMinute() {
    DoctorRuns doctor =
        new DoctorRuns(
            () -> {
              runs.incrementAndGet();
              throw new IllegalStateException("no");
            },
            Runnable::run,
            nanos::get);
    assertThatThrownBy(doctor::read).hasMessage("no");
    assertThat(doctor.read().running()).isFalse();
    assertThat(runs).hasValue(1);
    nanos.addAndGet(DoctorRuns.EVERY.toNanos());
    assertThatThrownBy(doctor::read).hasMessage("no");
    assertThat(runs).hasValue(2);
  }
}
