package io.rowqueue.proof.security;

import io.rowqueue.batch.MessageBatch;
import io.rowqueue.claim.Claim;
import io.rowqueue.claim.ClaimRequest;
import io.rowqueue.claim.ClaimStrategy;
import io.rowqueue.claim.Following;
import io.rowqueue.claim.LockId;
import io.rowqueue.database.TransactionProbe;
import io.rowqueue.deadletter.DeadLetterReason;
import io.rowqueue.deadletter.DeadLetters;
import io.rowqueue.enqueue.BatchProducer;
import io.rowqueue.enqueue.ChainProducer;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.BatchSettings;
import io.rowqueue.message.Chain;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Batches;
import io.rowqueue.operate.Chains;
import io.rowqueue.operate.Messages;
import io.rowqueue.proof.statement.Core;
import io.rowqueue.settle.AttemptError;
import io.rowqueue.settle.Settler;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.wakeup.Ring;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** What becomes of batches and chains: producers' part, workers' and operators'. */
final class MemberPlays {

  private static final Topic TOPIC = new Topic("play");
  private static final AttemptError ERROR = new AttemptError("E", "m", "t");

  private static final BatchSettings COMPLETING =
      BatchSettings.defaults().completingWith(NewMessage.of("done", 1));

  private final QueueDatabase database;
  private final DataSource account;
  private final Core mine;
  private final Core administrator;

  MemberPlays(QueueDatabase database, DataSource account) {
    this.database = database;
    this.account = account;
    this.mine = new Core(account, TransactionProbe.NONE);
    this.administrator = new Core(database.dataSource(), TransactionProbe.NONE);
  }

  void addProducers(Plays plays) {
    plays.add("enqueue an empty batch", () -> enqueue(account, 0));
    plays.add("enqueue a batch", () -> enqueue(account, 2));
    plays.add("enqueue a chain", () -> begin(account, null));
    plays.add(
        "add a chain to a batch",
        () -> begin(account, producer().open(account, BatchSettings.defaults())));
  }

  void addWorkers(Plays plays) {
    plays.add("ack the last member", () -> ack(member(1)));
    plays.add(
        "ack a member that adds a batch",
        () -> {
          NewMessage added = NewMessage.of(TOPIC, "p".getBytes(StandardCharsets.UTF_8));
          ack(
              member(1)
                  .withFollowing(
                      new Following(
                          List.of(
                              new Following.NewMembers(COMPLETING, List.of(added)),
                              new Following.NewMembers(COMPLETING, List.of())),
                          Map.of())));
        });
    plays.add(
        "ack a chain's two steps",
        () -> {
          begin(database.dataSource(), open());
          ack(claimed());
          ack(claimed());
          Plays.hold(database.count("SELECT COUNT(*) FROM queue_chain") == 0);
        });
    plays.add(
        "go on with a cancelled batch",
        () -> {
          MessageBatch batch = open();
          producer().add(database.dataSource(), batch, messages(1));
          begin(database.dataSource(), batch);
          database.execute(
              "UPDATE queue_batch SET cancelled = 1",
              "INSERT INTO queue_batch (parent, leaves, open_leaves, created_at) VALUES ("
                  + batch.id() * 64
                  + ", 1, 1, UTC_TIMESTAMP(6))");
          Plays.hold(mine.get(Batches.class).sweep() == 2);
        });
    plays.add(
        "prune batches",
        () -> {
          enqueue(database.dataSource(), 0);
          database.execute(
              "UPDATE queue_batch SET completed_at = UTC_TIMESTAMP(6) - INTERVAL 8 DAY");
          Plays.hold(mine.get(Batches.class).prune(10) == 1);
        });
  }

  void addOperators(Plays plays) {
    Batches batches = mine.get(Batches.class);
    DeadLetters dead = mine.get(DeadLetters.class);
    plays.add(
        "batches list, show, seal",
        () -> {
          long id = open().id();
          Plays.hold(batches.list(false, Long.MAX_VALUE, 10).size() == 1);
          batches.seal(id);
          Plays.hold(batches.find(id).orElseThrow().completedAt() != null);
        });
    plays.add(
        "batches cancel",
        () -> Plays.hold(batches.cancel(enqueue(database.dataSource(), 2).id()) == 2));
    plays.add(
        "batches recount",
        () -> {
          long id = enqueue(database.dataSource(), 2).id();
          database.execute("DELETE FROM queue_message");
          Plays.hold(batches.recount(id).cancelled() == 2);
        });
    plays.add(
        "dead-letters redrive, of a complete batch",
        () -> Plays.hold(dead.redrive(deadLetter(member(1)))));
    plays.add(
        "dead-letters redrive, of a chain in a complete batch",
        () -> {
          MessageBatch batch = open();
          begin(database.dataSource(), batch);
          producer().seal(database.dataSource(), batch);
          Plays.hold(dead.redrive(deadLetter(claimed())));
        });
    plays.add(
        "messages cancel, of a member",
        () -> mine.get(Messages.class).cancel(firstOf(enqueue(database.dataSource(), 1))));
    plays.add(
        "chains show, cancel",
        () -> {
          long id = begin(database.dataSource(), open());
          Plays.hold(mine.get(Chains.class).find(id).isPresent());
          Plays.hold(mine.get(Chains.class).cancel(id));
        });
  }

  private static BatchProducer producer() {
    return BatchProducer.over(MessageProducer.create()).ringing(Ring.SILENT);
  }

  private static List<NewMessage> messages(int count) {
    return Collections.nCopies(count, NewMessage.of(TOPIC, "p"));
  }

  private static MessageBatch enqueue(DataSource dataSource, int members) {
    return producer().enqueue(dataSource, COMPLETING, messages(members));
  }

  private MessageBatch open() {
    return producer().open(database.dataSource(), COMPLETING.withLeaves(1));
  }

  private static long begin(DataSource dataSource, @Nullable MessageBatch batch) {
    ChainProducer chains = ChainProducer.over(MessageProducer.create()).ringing(Ring.SILENT);
    Chain chain = Chain.of(NewMessage.of(TOPIC, "a")).then(NewMessage.of(TOPIC, "b"));
    return batch == null ? chains.enqueue(dataSource, chain) : chains.add(dataSource, batch, chain);
  }

  private MessageId firstOf(MessageBatch batch) {
    return new MessageId(
        database.count("SELECT MIN(id) FROM queue_message WHERE batch_id >= " + batch.id() * 64));
  }

  private Claim member(int members) {
    enqueue(database.dataSource(), members);
    return claimed();
  }

  private Claim claimed() {
    return administrator
        .get(ClaimStrategy.class)
        .claim(new ClaimRequest(TOPIC, LockId.create("host", 1), 1, 100))
        .get(0);
  }

  private void ack(Claim claim) {
    Plays.hold(mine.get(Settler.class).ackAll(List.of(claim)) == 1);
  }

  private MessageId deadLetter(Claim claim) {
    Plays.hold(
        administrator
            .get(Settler.class)
            .deadLetter(claim, DeadLetterReason.PERMANENT_FAILURE, ERROR));
    return claim.id();
  }
}
