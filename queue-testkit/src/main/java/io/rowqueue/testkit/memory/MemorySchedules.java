package io.rowqueue.testkit.memory;

import io.rowqueue.database.Question;
import io.rowqueue.message.NewMessage;
import io.rowqueue.schedule.Firing;
import io.rowqueue.schedule.FoundSchedule;
import io.rowqueue.schedule.Schedule;
import io.rowqueue.schedule.Schedules;
import io.rowqueue.schedule.StandingSchedule;
import io.rowqueue.wrap.Wrapping;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jooq.DSLContext;

/** What comes by the clock. Guarded by its {@link Memory}. */
final class MemorySchedules implements Schedules, Firing {

  private final Memory memory;
  private final MemoryProducer producer;
  private final Map<String, StandingSchedule> all = new TreeMap<>();
  private final Set<String> paused = new HashSet<>();

  MemorySchedules(Memory memory, MemoryProducer producer) {
    this.memory = memory;
    this.producer = producer;
  }

  @Override
  public void set(DSLContext transaction, Schedule schedule) {
    throw inATransaction();
  }

  @Override
  public void set(Connection transaction, Schedule schedule) {
    throw inATransaction();
  }

  private static UnsupportedOperationException inATransaction() {
    return new UnsupportedOperationException(
        "a queue in memory sets no schedules in transactions; call set(schedule), or test it with"
            + " @QueueTest");
  }

  @Override
  public void set(Schedule schedule) {
    synchronized (memory) {
      Instant now = memory.now();
      StandingSchedule before = all.get(schedule.name());
      all.put(
          schedule.name(),
          before == null ? StandingSchedule.of(schedule, now) : before.changed(schedule, now));
    }
  }

  @Override
  public void override(Schedule schedule) {
    set(schedule);
  }

  @Override
  public boolean declare(Schedule schedule) {
    set(schedule);
    return true;
  }

  @Override
  public boolean reset(String name) {
    throw new UnsupportedOperationException("a queue in memory has no overrides of schedules");
  }

  @Override
  public List<FoundSchedule> list(int firings) {
    throw noRows();
  }

  @Override
  public Optional<FoundSchedule> find(String name, int firings) {
    throw noRows();
  }

  @Override
  public List<Instant> next(String name, int count) {
    throw noRows();
  }

  private static UnsupportedOperationException noRows() {
    return new UnsupportedOperationException(
        "a queue in memory has no rows of schedules to show; test that with @QueueTest");
  }

  @Override
  public boolean pause(String name) {
    synchronized (memory) {
      boolean known = all.containsKey(name);
      if (known) {
        paused.add(name);
      }
      return known;
    }
  }

  @Override
  public boolean resume(String name) {
    synchronized (memory) {
      paused.remove(name);
      return all.containsKey(name);
    }
  }

  @Override
  public boolean remove(String name) {
    synchronized (memory) {
      paused.remove(name);
      return all.remove(name) != null;
    }
  }

  @Override
  public boolean runNow(String name) {
    synchronized (memory) {
      StandingSchedule known = all.get(name);
      if (known != null) {
        producer.offerNow(List.of(known.firedAt(memory.now())));
      }
      return known != null;
    }
  }

  /** Wrappers are those of the modules. */
  @Override
  public Schedules wrapping(Wrapping wrapping) {
    throw new UnsupportedOperationException("bind the wrapping in a module, by WrapperBinder");
  }

  @Override
  public Question question(Consumer<Optional<Duration>> untilNext) {
    throw new UnsupportedOperationException("a queue in memory answers no questions by SQL");
  }

  @Override
  public Optional<Duration> untilNext() {
    synchronized (memory) {
      Instant now = memory.now();
      return all.entrySet().stream()
          .filter(each -> !paused.contains(each.getKey()))
          .map(each -> Duration.between(now, each.getValue().next()))
          .min(Duration::compareTo);
    }
  }

  @Override
  public int fireDue() {
    synchronized (memory) {
      int moved = 0;
      for (Map.Entry<String, StandingSchedule> each : all.entrySet()) {
        StandingSchedule schedule = each.getValue();
        if (!paused.contains(each.getKey()) && !schedule.next().isAfter(memory.now())) {
          List<NewMessage> messages = schedule.fire(memory.now());
          producer.offerNow(messages);
          moved++;
        }
      }
      return moved;
    }
  }
}
