package io.rowqueue.proof.operation;

import static io.rowqueue.proof.operation.Fixture.ERROR;
import static io.rowqueue.proof.operation.Fixture.TOPIC;

import io.rowqueue.BatchProducer;
import io.rowqueue.BatchSettings;
import io.rowqueue.Chain;
import io.rowqueue.ChainProducer;
import io.rowqueue.MessageBatch;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.Claim.Handled;
import io.rowqueue.internal.claim.FollowUps;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.operate.TopicSettingsCache;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.operate.Batches;
import io.rowqueue.operate.Chains;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.operate.DeadLetters;
import io.rowqueue.operate.Messages;
import io.rowqueue.proof.operation.Operation.Act;
import io.rowqueue.proof.operation.Operation.Setup;
import io.rowqueue.tests.statement.Core;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/** How messages become members of batches and steps of chains, and what their ends mean. */
final class BatchOperations {

  private static final MessageBatch BATCH = new MessageBatch(1, 1);

  private static final BatchSettings COMPLETING =
      BatchSettings.named("play").completingWith(NewMessage.of(TOPIC, "all done"));

  private BatchOperations() {}

  static List<Operation> all() {
    return List.of(
        Operation.of(Transition.BATCH_ADD, "opened, filled and sealed", BatchOperations::enqueue),
        Operation.of(Transition.BATCH_ADD, "to an open one", BatchOperations::add),
        Operation.of(
            Transition.BATCH_ADD,
            "empty",
            (fixture, core) ->
                () -> producer().enqueue(core.connections(), COMPLETING, List.of()).shards()),
        Operation.of(Transition.BATCH_CLOSE, "of an empty one", seal(0)),
        Operation.of(Transition.BATCH_CLOSE, "of one with members", seal(2)),
        Operation.of(Transition.BATCH_CANCEL, BatchOperations::cancelBatch),
        Operation.of(Transition.BATCH_RECOUNT, BatchOperations::recount),
        Operation.of(Transition.BATCH_PRUNE, BatchOperations::prune),
        Operation.of(Transition.ACK, "of a batch's last member", ack(1)),
        Operation.of(Transition.ACK, "of a member with others left", ack(2)),
        Operation.of(Transition.ACK, "of members without a transaction", BatchOperations::ackMany),
        Operation.of(Transition.ACK, "of a member that adds others", BatchOperations::ackAdding),
        Operation.of(Transition.DEAD_LETTER, "of a member", BatchOperations::deadLetter),
        Operation.of(Transition.REDRIVE, "of a member", onDead(0, DeadLetters::redrive)),
        Operation.of(Transition.REDRIVE, "of a complete batch", redriveComplete("64")),
        Operation.of(Transition.REDRIVE, "of a chain in a complete batch", redriveComplete("-1")),
        Operation.of(
            Transition.DISCARD,
            "of what a batch holds",
            onDead(1, (dead, id) -> dead.discardAll(List.of(id)) == 1)),
        Operation.of(Transition.CANCEL, "of a member", BatchOperations::cancel),
        Operation.of(Transition.CHAIN_BEGIN, BatchOperations::begin),
        Operation.of(Transition.ACK, "of a chain's step", ackStep(1)),
        Operation.of(Transition.ACK, "of a chain's last step", ackStep(0)),
        Operation.of(Transition.ACK, "of steps of several chains", BatchOperations::ackSteps),
        Operation.of(Transition.CHAIN_CANCEL, BatchOperations::cancelChain));
  }

  private static BatchProducer producer() {
    return BatchProducer.over(MessageProducer.create()).notifying(WorkerNotifier.SILENT);
  }

  private static Act enqueue(Fixture fixture, Core core) {
    List<NewMessage> members = List.of(NewMessage.of(TOPIC, "a"), NewMessage.of(TOPIC, "b"));
    return () -> producer().enqueue(core.connections(), COMPLETING, members).shards();
  }

  /** Batch 1 with one leaf, a completion message, and the messages 1 and on. */
  private static void batch(Fixture fixture, int members, int sealed, int holds) {
    fixture.messages(Math.max(members, 1), "batch_id = 64");
    if (members == 0) {
      fixture.sql("DELETE FROM queue_message");
    }
    fixture.sql(
        "INSERT INTO queue_batch (id, closed, shards, open_shards, topic, payload, created_at)"
            + " VALUES (1, %d, 1, 1, 'play', '\"all done\"', UTC_TIMESTAMP(6))".formatted(sealed),
        "INSERT INTO queue_batch_shard (id, waits_for_dead, open_members, total, first_message)"
            + " VALUES (64,"
            + " %d, %d, %d, 1)".formatted(holds, members + 1 - sealed, members));
  }

  private static Act add(Fixture fixture, Core core) {
    batch(fixture, 1, 0, 0);
    List<NewMessage> members = List.of(NewMessage.of(TOPIC, "a"), NewMessage.of(TOPIC, "b"));
    return () -> fixture.payloads(producer().add(core.connections(), BATCH, members));
  }

  private static Setup seal(int members) {
    return (fixture, core) -> {
      batch(fixture, members, 0, 0);
      return Act.done(() -> core.get(Batches.class).close(1));
    };
  }

  private static Act cancelBatch(Fixture fixture, Core core) {
    batch(fixture, 3, 1, 0);
    return () -> core.get(Batches.class).cancel(1);
  }

  private static Act recount(Fixture fixture, Core core) {
    batch(fixture, 3, 1, 0);
    fixture.sql("DELETE FROM queue_message WHERE id = 2");
    return () -> core.get(Batches.class).recount(1);
  }

  private static Act prune(Fixture fixture, Core core) {
    batch(fixture, 0, 1, 0);
    fixture.sql("UPDATE queue_batch SET completed_at = UTC_TIMESTAMP(6) - INTERVAL 8 DAY");
    return () -> core.get(Batches.class).prune(10);
  }

  private static Act ack(Core core, Claim claim) {
    core.get(TopicSettingsCache.class).refresh(null);
    return Act.ack(core, claim);
  }

  private static Setup ack(int members) {
    return (fixture, core) -> {
      batch(fixture, members, 1, 0);
      return ack(core, fixture.claims().get(0));
    };
  }

  private static Act ackMany(Fixture fixture, Core core) {
    batch(fixture, 3, 1, 0);
    List<Claim> claims = fixture.claims();
    core.get(TopicSettingsCache.class).refresh(null);
    return () -> core.get(Settler.class).ackAll(claims);
  }

  private static Act ackAdding(Fixture fixture, Core core) {
    batch(fixture, 1, 1, 0);
    NewMessage added =
        NewMessage.of(TOPIC, "\"added\"".getBytes(StandardCharsets.UTF_8)).withPriority(1);
    FollowUps followUps =
        new FollowUps(
            List.of(
                new FollowUps.NewMembers(null, List.of(added)),
                new FollowUps.NewMembers(
                    BatchSettings.named("inner").withShards(1), List.of(added))),
            Map.of());
    return ack(core, fixture.claims().get(0).withHandled(new Handled(null, followUps, 0)));
  }

  private static Act deadLetter(Fixture fixture, Core core) {
    batch(fixture, 1, 1, 0);
    Claim claim = fixture.claims().get(0);
    return () ->
        core.get(Settler.class).deadLetter(claim, DeadLetterReason.PERMANENT_FAILURE, ERROR);
  }

  private static Setup onDead(int holds, BiFunction<DeadLetters, MessageId, Boolean> action) {
    return (fixture, core) -> {
      batch(fixture, 2, 1, holds);
      Claim claim = fixture.claims().get(0);
      fixture.deadLetter(claim);
      return () -> action.apply(core.get(DeadLetters.class), claim.id());
    };
  }

  /** The batch is complete, and its only member, a message or a chain, is a dead letter. */
  private static Setup redriveComplete(String member) {
    return (fixture, core) -> {
      fixture.messages(1, "batch_id = " + member);
      fixture.sql(
          "INSERT INTO queue_batch (id, closed, shards, open_shards, created_at) VALUES (1, 1, 1,"
              + " 1, UTC_TIMESTAMP(6))",
          "INSERT INTO queue_batch_shard (id, waits_for_dead, open_members, total, first_message)"
              + " VALUES (64, 0, 1, 1, 1)");
      if (member.equals("-1")) {
        fixture.sql(
            "INSERT INTO queue_chain (id, batch_id, created_at, message_id) VALUES (1, 64,"
                + " UTC_TIMESTAMP(6), 1)");
      }
      MessageId dead = fixture.deadLetters().get(0);
      return () -> core.get(DeadLetters.class).redrive(dead);
    };
  }

  private static Act cancel(Fixture fixture, Core core) {
    batch(fixture, 1, 1, 0);
    return Act.done(() -> core.get(Messages.class).cancel(new MessageId(1)));
  }

  private static Act begin(Fixture fixture, Core core) {
    Chain chain = Chain.of(NewMessage.of(TOPIC, "a")).then(NewMessage.of(TOPIC, "b"));
    ChainProducer producer =
        ChainProducer.over(MessageProducer.create()).notifying(WorkerNotifier.SILENT);
    return () -> producer.enqueue(core.connections(), chain) > 0;
  }

  /** Chain 1 with message 1, and so many steps to come. */
  private static void chain(Fixture fixture, int steps) {
    fixture.messages(1, "batch_id = -1");
    fixture.sql(
        "INSERT INTO queue_chain (id, created_at, message_id) VALUES (1, UTC_TIMESTAMP(6), 1)");
    for (int step = 1; step <= steps; step++) {
      fixture.sql(
          "INSERT INTO queue_chain_step VALUES (1, %d, 'play', 0, 0, NULL, '\"next\"')"
              .formatted(step));
    }
  }

  private static Setup ackStep(int steps) {
    return (fixture, core) -> {
      chain(fixture, steps);
      FollowUps carried = new FollowUps(List.of(), Map.of("rows", "7"));
      return ack(core, fixture.claims().get(0).withHandled(new Handled(null, carried, 0)));
    };
  }

  /** Of three chains, of which one is at its end. */
  private static Act ackSteps(Fixture fixture, Core core) {
    fixture.messages(3, "batch_id = -id");
    fixture.sql(
        "INSERT INTO queue_chain (id, created_at, message_id) SELECT id, UTC_TIMESTAMP(6), id"
            + " FROM queue_message",
        "INSERT INTO queue_chain_step SELECT id, 1, 'play', 0, 0, NULL, '\"next\"'"
            + " FROM queue_message WHERE id < 3");
    List<Claim> claims = fixture.claims();
    core.get(TopicSettingsCache.class).refresh(null);
    return () -> core.get(Settler.class).ackAll(claims);
  }

  private static Act cancelChain(Fixture fixture, Core core) {
    chain(fixture, 2);
    return () -> core.get(Chains.class).cancel(1);
  }
}
