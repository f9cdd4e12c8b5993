package io.rowqueue.proof.statement;

import static io.rowqueue.proof.statement.Scenery.ERROR;
import static io.rowqueue.proof.statement.Scenery.TOPIC;

import io.rowqueue.batch.MessageBatch;
import io.rowqueue.claim.Claim;
import io.rowqueue.claim.Following;
import io.rowqueue.database.Transactions;
import io.rowqueue.database.Transition;
import io.rowqueue.deadletter.DeadLetterReason;
import io.rowqueue.deadletter.DeadLetters;
import io.rowqueue.enqueue.BatchProducer;
import io.rowqueue.enqueue.ChainProducer;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.BatchSettings;
import io.rowqueue.message.Chain;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.operate.Batches;
import io.rowqueue.operate.Chains;
import io.rowqueue.operate.Messages;
import io.rowqueue.operate.TopicSettings;
import io.rowqueue.proof.statement.Play.Scene;
import io.rowqueue.settle.Settler;
import io.rowqueue.wakeup.Ring;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/** How messages become members of batches and steps of chains, and what their ends mean. */
final class BatchPlays {

  private static final MessageBatch BATCH = new MessageBatch(1, 1);

  private BatchPlays() {}

  static List<Play> all() {
    return List.of(
        Play.of(Transition.BATCH_ADD, "opened, filled and sealed", BatchPlays::enqueue),
        Play.more(Transition.BATCH_ADD, "to an open one", BatchPlays::add),
        Play.of(Transition.BATCH_SEAL, "of an empty one", seal(0)),
        Play.more(Transition.BATCH_SEAL, "of one with members", seal(2)),
        Play.of(Transition.BATCH_CANCEL, BatchPlays::cancelBatch),
        Play.of(Transition.BATCH_RECOUNT, BatchPlays::recount),
        Play.of(Transition.BATCH_PRUNE, BatchPlays::prune),
        Play.of(Transition.ACK, "of a batch's last member", ack(1)),
        Play.more(Transition.ACK, "of a member with others left", ack(2)),
        Play.of(Transition.ACK, "of members without a transaction", BatchPlays::ackMany),
        Play.more(Transition.ACK, "of a member that adds others", BatchPlays::ackAdding),
        Play.more(Transition.DEAD_LETTER, "of a member", BatchPlays::setAside),
        Play.more(Transition.REDRIVE, "of a member", onDead(0, DeadLetters::redrive)),
        Play.more(
            Transition.DISCARD,
            "of what a batch holds",
            onDead(1, (dead, id) -> dead.discardAll(List.of(id)) == 1)),
        Play.more(Transition.CANCEL, "of a member", BatchPlays::cancel),
        Play.of(Transition.CHAIN_BEGIN, BatchPlays::begin),
        Play.of(Transition.ACK, "of a chain's step", ackStep(1)),
        Play.more(Transition.ACK, "of a chain's last step", ackStep(0)),
        Play.of(Transition.ACK, "of steps of several chains", BatchPlays::ackSteps),
        Play.of(Transition.CHAIN_CANCEL, BatchPlays::cancelChain));
  }

  private static BatchProducer producer() {
    return BatchProducer.over(MessageProducer.create()).ringing(Ring.SILENT);
  }

  private static Play.Act enqueue(Scenery scenery, Core core) {
    BatchSettings settings =
        BatchSettings.named("play").completingWith(NewMessage.of(TOPIC, "all done"));
    List<NewMessage> members = List.of(NewMessage.of(TOPIC, "a"), NewMessage.of(TOPIC, "b"));
    return () -> producer().enqueue(core.connections(), settings, members).leaves();
  }

  /** Batch 1 with one leaf, a completion message, and the messages 1 and on. */
  private static void batch(Scenery scenery, int members, int sealed, int holds) {
    scenery.messages(Math.max(members, 1), "batch_id = 64");
    if (members == 0) {
      scenery.sql("DELETE FROM queue_message");
    }
    scenery.sql(
        "INSERT INTO queue_batch (id, sealed, leaves, open_leaves, topic, payload, created_at)"
            + " VALUES (1, %d, 1, 1, 'play', '\"all done\"', UTC_TIMESTAMP(6))".formatted(sealed),
        "INSERT INTO queue_batch_leaf (id, holds, open_members, total, first_message) VALUES (64,"
            + " %d, %d, %d, 1)".formatted(holds, members + 1 - sealed, members));
  }

  private static Play.Act add(Scenery scenery, Core core) {
    batch(scenery, 1, 0, 0);
    List<NewMessage> members = List.of(NewMessage.of(TOPIC, "a"), NewMessage.of(TOPIC, "b"));
    return () -> scenery.payloads(producer().add(core.connections(), BATCH, members));
  }

  private static Scene seal(int members) {
    return (scenery, core) -> {
      batch(scenery, members, 0, 0);
      return () -> {
        core.get(Batches.class).seal(1);
        return "sealed";
      };
    };
  }

  private static Play.Act cancelBatch(Scenery scenery, Core core) {
    batch(scenery, 3, 1, 0);
    return () -> core.get(Batches.class).cancel(1);
  }

  private static Play.Act recount(Scenery scenery, Core core) {
    batch(scenery, 3, 1, 0);
    scenery.sql("DELETE FROM queue_message WHERE id = 2");
    return () -> core.get(Batches.class).recount(1);
  }

  private static Play.Act prune(Scenery scenery, Core core) {
    batch(scenery, 0, 1, 0);
    scenery.sql("UPDATE queue_batch SET completed_at = UTC_TIMESTAMP(6) - INTERVAL 8 DAY");
    return () -> core.get(Batches.class).prune(10);
  }

  private static Play.Act ack(Core core, Claim claim) {
    core.get(TopicSettings.class).refresh(null);
    return () ->
        core.get(Transactions.class)
            .run(
                Transition.ACK,
                tx -> {
                  core.get(Settler.class).ack(tx, claim);
                  return "acked";
                });
  }

  private static Scene ack(int members) {
    return (scenery, core) -> {
      batch(scenery, members, 1, 0);
      return ack(core, scenery.claims().get(0));
    };
  }

  private static Play.Act ackMany(Scenery scenery, Core core) {
    batch(scenery, 3, 1, 0);
    List<Claim> claims = scenery.claims();
    core.get(TopicSettings.class).refresh(null);
    return () -> core.get(Settler.class).ackAll(claims);
  }

  private static Play.Act ackAdding(Scenery scenery, Core core) {
    batch(scenery, 1, 1, 0);
    NewMessage added =
        NewMessage.of(TOPIC, "\"added\"".getBytes(StandardCharsets.UTF_8)).withPriority(1);
    Following following =
        new Following(
            List.of(
                new Following.NewMembers(null, List.of(added)),
                new Following.NewMembers(
                    BatchSettings.named("inner").withLeaves(1), List.of(added))),
            Map.of());
    return ack(core, scenery.claims().get(0).withFollowing(following));
  }

  private static Play.Act setAside(Scenery scenery, Core core) {
    batch(scenery, 1, 1, 0);
    Claim claim = scenery.claims().get(0);
    return () ->
        core.get(Settler.class).deadLetter(claim, DeadLetterReason.PERMANENT_FAILURE, ERROR);
  }

  private static Scene onDead(int holds, BiFunction<DeadLetters, MessageId, Boolean> action) {
    return (scenery, core) -> {
      batch(scenery, 2, 1, holds);
      Claim claim = scenery.claims().get(0);
      scenery.deadLetter(claim);
      return () -> action.apply(core.get(DeadLetters.class), claim.id());
    };
  }

  private static Play.Act cancel(Scenery scenery, Core core) {
    batch(scenery, 1, 1, 0);
    return () -> {
      core.get(Messages.class).cancel(new MessageId(1));
      return "cancelled";
    };
  }

  private static Play.Act begin(Scenery scenery, Core core) {
    Chain chain = Chain.of(NewMessage.of(TOPIC, "a")).then(NewMessage.of(TOPIC, "b"));
    ChainProducer producer = ChainProducer.over(MessageProducer.create()).ringing(Ring.SILENT);
    return () -> producer.enqueue(core.connections(), chain) > 0;
  }

  /** Chain 1 with message 1, and so many steps to come. */
  private static void chain(Scenery scenery, int steps) {
    scenery.messages(1, "batch_id = -1");
    scenery.sql(
        "INSERT INTO queue_chain (id, created_at, message_id) VALUES (1, UTC_TIMESTAMP(6), 1)");
    for (int step = 1; step <= steps; step++) {
      scenery.sql(
          "INSERT INTO queue_chain_step VALUES (1, %d, 'play', 0, 0, NULL, '\"next\"')"
              .formatted(step));
    }
  }

  private static Scene ackStep(int steps) {
    return (scenery, core) -> {
      chain(scenery, steps);
      Following carried = new Following(List.of(), Map.of("rows", "7"));
      return ack(core, scenery.claims().get(0).withFollowing(carried));
    };
  }

  /** Of three chains, of which one is at its end. */
  private static Play.Act ackSteps(Scenery scenery, Core core) {
    scenery.messages(3, "batch_id = -id");
    scenery.sql(
        "INSERT INTO queue_chain (id, created_at, message_id) SELECT id, UTC_TIMESTAMP(6), id"
            + " FROM queue_message",
        "INSERT INTO queue_chain_step SELECT id, 1, 'play', 0, 0, NULL, '\"next\"'"
            + " FROM queue_message WHERE id < 3");
    List<Claim> claims = scenery.claims();
    core.get(TopicSettings.class).refresh(null);
    return () -> core.get(Settler.class).ackAll(claims);
  }

  private static Play.Act cancelChain(Scenery scenery, Core core) {
    chain(scenery, 2);
    return () -> core.get(Chains.class).cancel(1);
  }
}
