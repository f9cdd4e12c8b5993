package io.rowqueue.testkit.internal.contract;

import io.rowqueue.MessageId;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimRequest;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.database.Transaction;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.reap.Reaper;
import io.rowqueue.internal.reap.WorkerRegistry.WorkerAddress;
import io.rowqueue.internal.reap.WorkerRegistry.WorkerRegistration;
import io.rowqueue.operate.AttemptError;
import io.rowqueue.operate.MessageDetails;
import io.rowqueue.operate.MessageLocation;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** A queue with two workers, and the vocabulary of the contracts. */
final class Scene {

  static final Topic ORDERS = new Topic("orders");
  static final Topic MAILS = new Topic("mails");
  static final LockId ME = new LockId("me-1-contract");
  static final LockId OTHER = new LockId("other-2-contract");
  static final Duration LEASE = Duration.ofSeconds(15);
  static final Duration MINUTE = Duration.ofMinutes(1);
  static final AttemptError ERROR = new AttemptError("java.io.IOException", "disk", "at Disk");
  static final int MANY = 1_000;
  static final int MOST_LOST = 3;

  final ContractQueue queue;

  Scene(ContractQueue queue) {
    this.queue = queue;
    register(ME);
    register(OTHER);
  }

  void register(LockId worker) {
    queue
        .workers()
        .register(
            new WorkerRegistration(
                worker, "host", 1, "test", Set.of(ORDERS, MAILS), WorkerAddress.NONE),
            LEASE);
  }

  boolean renew(LockId worker) {
    return queue.workers().renew(worker, LEASE, WorkerAddress.NONE, null);
  }

  /** Ends a transaction of the test without a COMMIT. */
  static final class RolledBack extends Exception {
    private static final long serialVersionUID = 1L;

    RolledBack() {
      super("the test rolls this back");
    }
  }

  /** Work in a transaction. */
  interface Work {
    void in(Transaction transaction) throws Exception;
  }

  void commit(Work work) {
    queue
        .transactions()
        .runOnce(
            Transition.ACK,
            tx -> {
              work.in(tx);
              return true;
            });
  }

  /** Work in a transaction that returns a value. */
  interface Making<T> {
    T in(Transaction transaction) throws Exception;
  }

  <T> T made(Making<T> making) {
    return queue.transactions().runOnce(Transition.ENQUEUE, making::in);
  }

  void rollBack(Work work) {
    try {
      queue
          .transactions()
          .<Boolean>runOnce(
              Transition.ACK,
              tx -> {
                work.in(tx);
                throw new RolledBack();
              });
    } catch (RuntimeException e) {
      if (!(e.getCause() instanceof RolledBack)) {
        throw e;
      }
    }
  }

  static NewMessage order(String payload) {
    return NewMessage.of(ORDERS, payload);
  }

  /** Returns {@code message} with headers of this size in bytes, as JSON. */
  static NewMessage withHeaders(NewMessage message, int bytes) {
    return message.withHeader("own", "h".repeat(bytes - "{\"own\":\"\"}".length()));
  }

  MessageId enqueue(NewMessage message) {
    return enqueueAll(List.of(message)).get(0);
  }

  List<MessageId> enqueueAll(Collection<NewMessage> messages) {
    List<MessageId> ids = new ArrayList<>();
    commit(tx -> ids.addAll(queue.producer().enqueueAll(tx.connection(), messages)));
    return ids;
  }

  List<MessageId> enqueue(int count) {
    List<NewMessage> messages = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      messages.add(order("order " + i));
    }
    return enqueueAll(messages);
  }

  /** The steps of a worker before it claims. */
  int tidy() {
    int all = 0;
    int moved = 1;
    while (moved > 0) {
      moved = queue.claims().promote(MANY) + queue.admission().admitNow();
      all += moved;
    }
    return all;
  }

  /** Claims all available messages, fewer than twenty. */
  List<Claim> claimAll() {
    return claimAll(ME);
  }

  List<Claim> claimAll(LockId worker) {
    tidy();
    return claim(worker, 20);
  }

  List<Claim> claim(LockId worker, int limit) {
    return queue.strategy().claim(new ClaimRequest(ORDERS, worker, limit, limit));
  }

  void ack(Claim claim) {
    commit(tx -> queue.settler().ack(tx, claim));
  }

  /** Returns the ids of all available messages, which are released again. */
  List<MessageId> claimAndRelease() {
    List<Claim> claims = claimAll();
    queue.settler().releaseAll(claims);
    return ids(claims);
  }

  /** Returns the payloads in the queue, by topic. */
  List<String> payloads(Topic topic) {
    return queue.poll().messages().stream()
        .filter(message -> message.topic().equals(topic.name()))
        .map(message -> message.payloadAs(String.class))
        .toList();
  }

  /** Claims the only available message. */
  Claim claimOne() {
    return claimOne(ME);
  }

  Claim claimOne(LockId worker) {
    List<Claim> claims = claimAll(worker);
    if (claims.size() != 1) {
      throw new AssertionError(
          "expected one message to claim, and got %s; the queue has:%n%s"
              .formatted(claims, queue.poll()));
    }
    return claims.get(0);
  }

  Claim claimed(String payload) {
    enqueue(order(payload));
    return claimOne();
  }

  void dead(Claim claim) {
    if (!queue
        .settler()
        .deadLetter(claim, io.rowqueue.operate.DeadLetterReason.PERMANENT_FAILURE, Scene.ERROR)) {
      throw new AssertionError(claim + " should have been held");
    }
  }

  MessageDetails find(MessageId id) {
    return queue.messages().find(id);
  }

  MessageLocation place(MessageId id) {
    return find(id).place();
  }

  MessageDetails.Row row(MessageId id) {
    return Objects.requireNonNull(find(id).row(), () -> "message " + id + " is nowhere");
  }

  /** Declares {@code worker} dead and reaps its claims. */
  Reaper.Reaped loses(LockId worker) {
    queue.workers().deregister(worker);
    Reaper.Reaped reaped = queue.reaper().reap(MANY, MOST_LOST);
    register(worker);
    return reaped;
  }

  static List<MessageId> ids(Collection<Claim> claims) {
    return claims.stream().map(Claim::id).toList();
  }

  /** Returns the claim as if {@code worker} held it. */
  static Claim heldBy(LockId worker, Claim claim) {
    return new Claim(
        claim.id(),
        claim.topic(),
        worker,
        claim.number(),
        claim.attempts(),
        claim.lost(),
        claim.dueLater(),
        claim.createdAt(),
        claim.orderingKey(),
        claim.body());
  }

  static String text(Claim claim) {
    return new String(claim.body().payload(), StandardCharsets.UTF_8);
  }
}
