package io.rowqueue.testkit.internal.memory;

import io.rowqueue.NewMessage;
import io.rowqueue.handler.Schedule;
import io.rowqueue.internal.database.PiggybackQuery;
import io.rowqueue.internal.schedule.DeclaredSchedule;
import io.rowqueue.internal.schedule.ScheduleTrigger;
import io.rowqueue.operate.RefusedException;
import io.rowqueue.operate.ScheduleDetails;
import io.rowqueue.operate.Schedules;
import io.rowqueue.spi.Wrapping;
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

/** Schedules. Guarded by its {@link Memory}. */
final class MemorySchedules implements Schedules, ScheduleTrigger {

  private final Memory memory;
  private final MemoryProducer producer;
  private final Map<String, DeclaredSchedule> all = new TreeMap<>();
  private final Set<String> paused = new HashSet<>();

  /** Schedules overridden by an operator, regardless of what code declares. */
  private final Set<String> overridden = new HashSet<>();

  /** Schedules declared by code. */
  private final Set<String> declared = new HashSet<>();

  MemorySchedules(Memory memory, MemoryProducer producer) {
    this.memory = memory;
    this.producer = producer;
  }

  @Override
  public void set(Connection transaction, Schedule schedule) {
    MemoryTransaction open = producer.transactionOf(transaction);
    synchronized (memory) {
      checkSettable(schedule);
      open.add(() -> stand(schedule));
    }
  }

  @Override
  public void set(Schedule schedule) {
    synchronized (memory) {
      checkSettable(schedule);
      stand(schedule);
    }
  }

  private void checkSettable(Schedule schedule) {
    if (declared.contains(schedule.name())) {
      throw new RefusedException(
          "schedule '%s' was not changed: a worker has it in its code; change it there, or override it"
              .formatted(schedule.name()));
    }
    DeclaredSchedule unused = DeclaredSchedule.of(schedule, memory.now());
  }

  private void stand(Schedule schedule) {
    Instant now = memory.now();
    DeclaredSchedule before = all.get(schedule.name());
    all.put(
        schedule.name(),
        before == null ? DeclaredSchedule.of(schedule, now) : before.changed(schedule, now));
  }

  @Override
  public void override(Schedule schedule) {
    synchronized (memory) {
      stand(schedule);
      overridden.add(schedule.name());
    }
  }

  @Override
  public boolean declare(Schedule schedule) {
    synchronized (memory) {
      boolean taken = !memory.rules.heedsOverrides() || !overridden.contains(schedule.name());
      if (taken) {
        stand(schedule);
      }
      declared.add(schedule.name());
      return taken;
    }
  }

  @Override
  public boolean keepDeclared(String name) {
    synchronized (memory) {
      return all.containsKey(name);
    }
  }

  @Override
  public boolean reset(String name) {
    synchronized (memory) {
      overridden.remove(name);
      return all.containsKey(name);
    }
  }

  @Override
  public List<ScheduleDetails> list(int nextRuns) {
    throw noRows();
  }

  @Override
  public Optional<ScheduleDetails> find(String name, int nextRuns) {
    throw noRows();
  }

  @Override
  public List<Instant> next(String name, int count) {
    throw noRows();
  }

  private UnsupportedOperationException noRows() {
    return memory.lacks("shows no schedules");
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
      List.of(paused, overridden, declared).forEach(names -> names.remove(name));
      return all.remove(name) != null;
    }
  }

  @Override
  public boolean runNow(String name) {
    synchronized (memory) {
      DeclaredSchedule known = all.get(name);
      if (known != null) {
        producer.offerNow(List.of(known.triggeredAt(memory.now())));
      }
      return known != null;
    }
  }

  /** Wrappers come from the modules. */
  @Override
  public Schedules wrapping(Wrapping wrapping) {
    throw new UnsupportedOperationException("bind the wrapping in a module, by WrapperBinder");
  }

  @Override
  public PiggybackQuery question(Consumer<Optional<Duration>> untilNext) {
    throw new UnsupportedOperationException("a queue in memory runs no SQL queries");
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
  public int triggerDue() {
    synchronized (memory) {
      int moved = 0;
      for (Map.Entry<String, DeclaredSchedule> each : all.entrySet()) {
        DeclaredSchedule schedule = each.getValue();
        boolean fires = memory.rules.isTriggering(schedule.next(), memory.now());
        if (fires && !paused.contains(each.getKey())) {
          List<NewMessage> messages = schedule.trigger(memory.now());
          producer.offerNow(messages);
          moved++;
        }
      }
      return moved;
    }
  }
}
