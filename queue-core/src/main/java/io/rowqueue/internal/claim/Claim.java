package io.rowqueue.internal.claim;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Exclusive ownership of one message until it is settled, released, or reaped. Every statement that
 * ends it is fenced by {@code lockId} and {@code number}: if the row no longer carries both, the
 * claim was lost and nothing may be written.
 *
 * @param id the message
 * @param topic where it was enqueued
 * @param lockId the worker that holds it
 * @param number the claim number: how often the message has been claimed, this time included
 * @param attempts failed handlings so far
 * @param lost earlier claims that died with their workers
 * @param dueLater whether its due time is in the future, as a row inserted by plain SQL can have it
 * @param createdAt when it was enqueued, by the database's clock
 * @param delay how long after that it was due; zero if at once, or before
 * @param orderingKey the ordering key; null if it has none
 * @param batchId the batch shard that it belongs to, or the negated id of its chain; null if it has
 *     neither
 * @param body payload and headers
 * @param handled what its handler has left for the ack
 */
public record Claim(
    MessageId id,
    Topic topic,
    LockId lockId,
    int number,
    int attempts,
    int lost,
    boolean dueLater,
    Instant createdAt,
    Duration delay,
    @Nullable String orderingKey,
    @Nullable Long batchId,
    Body body,
    Handled handled) {

  private static final Comparator<Claim> BY_FENCE =
      Comparator.comparing((Claim claim) -> claim.lockId().value()).thenComparingInt(Claim::number);

  /** A new claim of a message that was due at once, in no batch and no chain. */
  public Claim(
      MessageId id,
      Topic topic,
      LockId lockId,
      int number,
      int attempts,
      int lost,
      boolean dueLater,
      Instant createdAt,
      @Nullable String orderingKey,
      Body body) {
    this(
        id,
        topic,
        lockId,
        number,
        attempts,
        lost,
        dueLater,
        createdAt,
        Duration.ZERO,
        orderingKey,
        null,
        body,
        Handled.NOT_YET);
  }

  /** Whether an earlier claim of the message died with its worker, perhaps because of it. */
  public boolean suspect() {
    return lost > 0;
  }

  /** The handler's result; null if there is none, or the handler has not returned. */
  public @Nullable HandlerResult result() {
    return handled.result();
  }

  /** The messages that the ack enqueues for the handler. */
  public FollowUps followUps() {
    return handled.followUps();
  }

  /** A copy with its body read. */
  public Claim withBody(Body read) {
    return with(read, handled);
  }

  /** A copy that its handler has handled. */
  public Claim withHandled(Handled returned) {
    return with(body, returned);
  }

  private Claim with(Body newBody, Handled newHandled) {
    return new Claim(
        id,
        topic,
        lockId,
        number,
        attempts,
        lost,
        dueLater,
        createdAt,
        delay,
        orderingKey,
        batchId,
        newBody,
        newHandled);
  }

  /**
   * A copy without its body, which can be read again. The copy still knows whether the payload is
   * stored separately.
   */
  public Claim withoutBody() {
    if (body.isExternal()) {
      return this;
    }
    return withBody(new Body(false, new byte[0], null, body.payloadBytes(), body.headersBytes()));
  }

  /** Names the message and the claim; never shows the body, which may hold secrets. */
  @Override
  public String toString() {
    return "message %s of '%s' (claim %d of %s)".formatted(id, topic, number, lockId);
  }

  /** Groups claims that one statement can fence, since they share lock_id and number. */
  public static Collection<List<Claim>> alike(Collection<Claim> claims) {
    return claims.stream()
        .collect(
            Collectors.groupingBy(
                Function.identity(), () -> new TreeMap<>(BY_FENCE), Collectors.toList()))
        .values();
  }

  /**
   * What a handler that has returned leaves for the ack.
   *
   * @param result its result; null if there is none
   * @param followUps the messages that the ack enqueues for it
   * @param nanos how long it took; of a batch, all of it
   */
  public record Handled(@Nullable HandlerResult result, FollowUps followUps, long nanos) {

    /** Of a handler that has not returned. */
    public static final Handled NOT_YET = new Handled(null, FollowUps.NOTHING, 0);
  }
}
