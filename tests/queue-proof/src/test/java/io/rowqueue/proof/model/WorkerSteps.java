package io.rowqueue.proof.model;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.operate.TopicSettingsCache;
import io.rowqueue.internal.reap.Reaper;
import io.rowqueue.internal.reap.Reaper.Reaped;
import io.rowqueue.internal.reap.WorkerRegistry;
import io.rowqueue.internal.reap.WorkerRegistry.WorkerAddress;
import io.rowqueue.internal.reap.WorkerRegistry.WorkerRegistration;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.operate.Archive;
import io.rowqueue.proof.model.HandlerSteps.Ending;
import io.rowqueue.proof.model.Model.Settings;
import io.rowqueue.proof.model.Rows.MessageRow;
import io.rowqueue.proof.model.Scenario.Choices;
import io.rowqueue.proof.model.Takings.Strategy;
import io.rowqueue.proof.model.World.Held;
import io.rowqueue.proof.model.World.Life;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** How a worker lives and ends, and what it does for the others: reaping and pruning. */
final class WorkerSteps {

  private WorkerSteps() {}

  static void start(World world, Choices choices) {
    Life life = new Life(world.nextLockId(), choices.of(Strategy.values()));
    world.say("%s starts, and claims by %s".formatted(life, life.strategy));
    world
        .protocol
        .get(WorkerRegistry.class)
        .register(
            new WorkerRegistration(
                life.lockId, "host", 1, "test", Set.copyOf(World.TOPICS), WorkerAddress.NONE),
            Model.LEASE);
    world.model.register(life.lockId.value());
    world.lives.add(life);
  }

  /** A worker renews its lease, or learns that it is dead, and gives up what nobody handles yet. */
  static void renew(World world, Choices choices) {
    Life life = choices.of(world.lives);
    world.say("%s renews its lease".formatted(life));
    boolean alive =
        world
            .protocol
            .get(WorkerRegistry.class)
            .renew(life.lockId, Model.LEASE, WorkerAddress.NONE, null);
    world.answered("renewed", alive, world.model.renew(life.lockId.value()));
    if (!alive) {
      world.end(life);
      world.happened("a worker learns that it is dead");
    }
  }

  /** A worker's process dies: its open transactions are rolled back, and nothing is settled. */
  static void crash(World world, Choices choices) {
    Life life = choices.of(world.lives);
    world.say("%s crashes".formatted(life));
    world.handlings.stream()
        .filter(handling -> handling.life == life)
        .toList()
        .forEach(handling -> HandlerSteps.end(world, handling, Ending.CRASH));
    world.end(life);
  }

  static List<Life> idle(World world) {
    return world.lives.stream()
        .filter(life -> world.handlings.stream().noneMatch(handling -> handling.life == life))
        .filter(life -> world.waitingOf(life).equals(life.waiting))
        .toList();
  }

  /** A worker drains: it gives back what nobody handles, and deregisters. */
  static void leave(World world, Choices choices) {
    Life life = choices.of(idle(world));
    world.say("%s gives back what it has and leaves".formatted(life));
    List<Claim> claims = life.waiting.stream().map(Held::claim).toList();
    int released = world.protocol.get(Settler.class).releaseAll(claims);
    long expected =
        life.waiting.stream().filter(held -> world.model.release(held, Duration.ZERO)).count();
    world.answered("released", (long) released, expected);
    world.protocol.get(WorkerRegistry.class).deregister(life.lockId);
    world.model.workers.remove(life.lockId.value());
    world.end(life);
  }

  /** A worker declares those dead whose lease has run out. */
  static void declareDead(World world, Choices choices) {
    world.say("a worker declares the expired dead");
    int declared = world.protocol.get(Reaper.class).declareDead();
    world.answered("declared dead", declared, world.model.declareDead());
    if (declared > 0) {
      world.happened("somebody is declared dead");
    }
  }

  /** A worker reaps; what an open transaction is just ending is left to it. */
  static void reap(World world, Choices choices) {
    int maxLostClaims = choices.of(3, 2, 1);
    world.say("a worker reaps, with a limit of %d lost claims".formatted(maxLostClaims));
    Reaped reaped = world.protocol.get(Reaper.class).reap(500, maxLostClaims);
    List<MessageRow> orphans = world.model.orphans();
    int quarantined =
        (int) orphans.stream().filter(row -> world.model.reap(row, maxLostClaims)).count();
    world.answered("reaped", reaped, new Reaped(orphans.size() - quarantined, quarantined));
    if (reaped.released() > 0) {
      world.happened("a reap releases");
    }
    if (reaped.quarantined() > 0) {
      world.happened("a reap quarantines");
    }
  }

  static boolean hasDead(World world) {
    return world.model.workers.values().stream().anyMatch(row -> !row.alive());
  }

  /** A worker removes the rows of the dead that hold nothing any more. */
  static void removeDead(World world, Choices choices) {
    world.say("a worker removes the dead");
    int removed = world.protocol.get(Reaper.class).removeDead();
    world.answered("removed", removed, world.model.removeDead());
  }

  /** A worker prunes copies that are older than their topic keeps them. */
  static void prune(World world, Choices choices) {
    world.say("a worker prunes the archive");
    int pruned = world.protocol.get(Archive.class).prune(500);
    world.answered("pruned", pruned, world.model.settings.prune(Times.day(world.model.now())));
    if (pruned > 0) {
      world.happened("copies are pruned");
    }
  }

  /** The process reads its topics' settings; until then it honors what it read before. */
  static void readSettings(World world, Choices choices) {
    world.say("the process reads the topics' settings");
    TopicSettingsCache real = world.protocol.get(TopicSettingsCache.class);
    Settings model = world.model.settings;
    real.refresh(null);
    model.read();
    for (Topic topic : World.TOPICS) {
      String name = topic.name();
      world.answered("paused", real.isPaused(topic), model.isPausedAsRead(name));
      world.answered("limited", real.limits(topic).inFlight(), model.limitAsRead(name));
      world.answered("kept", real.isKept(topic), model.isKeptAsRead(name));
    }
  }
}
