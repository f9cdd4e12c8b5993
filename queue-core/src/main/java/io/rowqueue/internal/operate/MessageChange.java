package io.rowqueue.internal.operate;

import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageId;
import io.rowqueue.operate.MessageDetails;
import io.rowqueue.operate.MessageLocation;
import io.rowqueue.operate.RefusedException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/** Checks operations on messages and explains refusals, for all implementations of the queue. */
public final class MessageChange {

  private static final Duration LONGEST_DELAY = Duration.ofDays(36_525);
  private static final Instant EARLIEST = Instant.parse("1970-01-02T00:00:00Z");
  private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");
  private static final int LONGEST_NAME = 255;

  private MessageChange() {}

  /**
   * Checks the name of a cancellation's requester.
   *
   * @throws InvalidMessageException if the name is too long to be stored
   */
  public static void checkRequestedBy(String by) {
    if (by.length() > LONGEST_NAME) {
      throw new InvalidMessageException(
          "the requester's name may have at most 255 characters, not " + by.length());
    }
  }

  /**
   * Checks a new delay of {@code id}.
   *
   * @throws InvalidMessageException if it is out of range
   */
  public static void checkDelay(MessageId id, Duration delay) {
    if (delay.isNegative() || delay.compareTo(LONGEST_DELAY) > 0) {
      throw new InvalidMessageException(
          "the delay of message %s must lie between zero and 100 years, not %s"
              .formatted(id, delay));
    }
  }

  /**
   * Checks a new due time of {@code id}; returns one that is due at the same time, since the first
   * instant of 1970 marks an ordered message that no worker has seen.
   *
   * @throws InvalidMessageException if it cannot be stored
   */
  public static Instant dueAt(MessageId id, Instant instant) {
    if (instant.isAfter(LATEST)) {
      throw new InvalidMessageException(
          "the due time of message %s must not be after %s, unlike %s"
              .formatted(id, LATEST, instant));
    }
    return instant.isBefore(EARLIEST) ? EARLIEST : instant;
  }

  /**
   * Checks a new priority of {@code id}.
   *
   * @throws InvalidMessageException if it is out of range
   */
  public static void checkPriority(MessageId id, int priority) {
    if (priority < Byte.MIN_VALUE || priority > Byte.MAX_VALUE) {
      throw new InvalidMessageException(
          "the priority of message %s must lie between -128 and 127, not %d"
              .formatted(id, priority));
    }
  }

  /** Explains why {@code found} was not {@code what}, for example cancelled, and the remedy. */
  public static RefusedException refused(MessageDetails found, String what) {
    return new RefusedException(
        "message %s was not %s: %s".formatted(found.id(), what, whyNot(found)));
  }

  private static String whyNot(MessageDetails found) {
    if (found.place() == MessageLocation.UNKNOWN) {
      return "no table has it; it was acknowledged, cancelled or deleted, or never existed";
    }
    MessageDetails.Row row = Objects.requireNonNull(found.row());
    return switch (found.place()) {
      case IN_FLIGHT ->
          "it is in flight, claimed by %s since %s; wait for its outcome, or request its cancellation"
              .formatted(row.worker(), row.since());
      case DEAD_LETTER ->
          "it has been a dead letter since %s; redrive it first".formatted(row.since());
      case BLOCKED ->
          "an earlier message blocks its ordering key; reschedule that one, or"
              + " cancel this one and enqueue it again";
      case ARCHIVED -> "it was acknowledged at %s by %s".formatted(row.since(), row.worker());
      default -> "it was in flight, but no longer is; try again";
    };
  }
}
