package io.rowqueue.worker.internal.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.Guice;
import io.rowqueue.MessageId;
import io.rowqueue.QueueException;
import io.rowqueue.internal.operate.JooqAudit;
import io.rowqueue.worker.internal.WorkerThreads;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SweepTest {

  private final Entries entries = new Entries();

  private Sweep.Plan plan(ToIntFunction<List<MessageId>> apply) {
    Actor ann = new Actor("ann", "127.0.0.1", Set.of(), entries);
    return new Sweep.Plan("topic.purge", "shop", null, ann, null, new Pages(apply));
  }

  /** Four that ran for ever would keep everyone from a fifth. */
  @Test
  void error_endsItAsFailed() {
    Sweep sweep =
        new Sweep(
            1,
            plan(
                ids -> {
                  throw new NoClassDefFoundError("gone");
                }));
    assertThatThrownBy(sweep::run).isInstanceOf(NoClassDefFoundError.class);
    assertThat(sweep.state()).isEqualTo(Sweep.State.FAILED);
    assertThat(entries.results)
        .containsExactly(
            "failed: 0 purged; start it again for the others; java.lang.NoClassDefFoundError:"
                + " gone");
  }

  @Test
  void failure_afterARefusal_namesBoth() {
    Sweep sweep =
        new Sweep(
            1,
            plan(
                ids -> {
                  if (ids.contains(new MessageId(1))) {
                    throw new QueueException(
                        "not today", new SQLException("not today", "45000", 1644));
                  }
                  if (ids.contains(new MessageId(3))) {
                    throw new QueueException("it broke", new SQLException("gone", "08S01"));
                  }
                  return ids.size();
                }));
    sweep.run();
    assertThat(sweep.trouble()).isEqualTo("it broke; refused and unchanged: 1: not today");
    assertThat(entries.results)
        .containsExactly(
            "failed: 1 purged; start it again for the others; it broke; refused and unchanged: 1:"
                + " not today");
  }

  @Test
  void interrupt_isSetAgainOnlyAfterTheEndIsRecorded() {
    Sweep sweep =
        new Sweep(
            1,
            plan(
                ids -> {
                  Thread.currentThread().interrupt();
                  throw new QueueException("interrupted", new SQLException("gone", "08S01"));
                }));
    sweep.run();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(entries.interrupted).containsExactly(false);
  }

  @Test
  void end_ofTheApplication_waitsForTheEntriesOfThoseThatRun() throws InterruptedException {
    WorkerThreads threads = Guice.createInjector().getInstance(WorkerThreads.class);
    Sweeps sweeps = new Sweeps(threads);
    CountDownLatch begun = new CountDownLatch(1);
    Sweep sweep =
        sweeps.begin(
            plan(
                ids -> {
                  begun.countDown();
                  awaitInterrupt();
                  return ids.size();
                }));
    begun.await();
    threads.stop();
    sweeps.end();
    assertThat(sweep.isRunning()).isFalse();
    assertThat(entries.results).hasSize(2).last().asString().contains(" purged");
  }

  private static void awaitInterrupt() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Two pages of two messages each. */
  private static final class Pages implements Sweep.Deed {

    private final ToIntFunction<List<MessageId>> apply;
    private long read;

    Pages(ToIntFunction<List<MessageId>> apply) {
      this.apply = apply;
    }

    @Override
    public List<MessageId> next(int most) {
      read += 2;
      return read > 4 ? List.of() : List.of(new MessageId(read - 1), new MessageId(read));
    }

    @Override
    public boolean isAtEnd() {
      return true;
    }

    @Override
    public int apply(List<MessageId> ids) {
      return apply.applyAsInt(ids);
    }

    @Override
    public String how() {
      return "purged";
    }
  }

  /** The audit table in memory. */
  private static final class Entries extends AuditTable {

    private final List<String> results = Collections.synchronizedList(new ArrayList<>());
    private final List<Boolean> interrupted = Collections.synchronizedList(new ArrayList<>());

    @SuppressWarnings("NullAway")
    Entries() {
      super(null, null);
    }

    @Override
    @Nullable String queue() {
      return null;
    }

    @Override
    void write(JooqAudit.Entry entry) {
      interrupted.add(Thread.currentThread().isInterrupted());
      results.add(entry.result());
    }
  }
}
