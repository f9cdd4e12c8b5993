package io.rowqueue.handler;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/**
 * What a handler may know and use while it handles one message. Confined to the handler's thread,
 * and dead once the handler has returned.
 */
public interface HandlerContext {

  /** The message's id; the same through every attempt and redrive. */
  MessageId id();

  /** The topic it was enqueued to. */
  Topic topic();

  /** The topic that its handler is bound to; not {@link #topic()} if that is an alias of it. */
  default Topic binding() {
    return topic();
  }

  /** Which attempt this is: 1 for the first, and never above the binding's maximum. */
  int attempt();

  /**
   * How often the message has been claimed, this time included. It grows with every claim and never
   * shrinks, so it tells this handling apart from every other of the same message.
   */
  int claimNumber();

  /** The message's headers; unmodifiable, empty if it has none. */
  Map<String, String> headers();

  /** What the message stays in line with; null if it has no ordering key. */
  @Nullable String orderingKey();

  /** When the message was enqueued, by the database's clock. */
  Instant createdAt();

  /**
   * A key for calls to the outside: stable across attempts, worker deaths and redrive, and
   * different from every other message's of this or any other queue. At most 64 ASCII characters.
   */
  String idempotencyKey();

  /**
   * The transaction in which the message will be deleted. Write here, and the write happens exactly
   * once. RowQueue begins and ends it: commit, rollback, setAutoCommit and close are refused.
   *
   * @throws IllegalStateException if the binding is not transactional
   */
  DSLContext transaction();

  /**
   * The same transaction as a JDBC connection, for code that has no jOOQ.
   *
   * @throws IllegalStateException if the binding is not transactional
   */
  Connection connection();

  /**
   * Lets this handling run until {@code fromNow} from now, before it is interrupted; never shorter
   * than it might have run anyway, and at most {@link HandlerSettings#withLongestTimeout} from its
   * begin. Costs no statement. In a batch it is for the whole batch. A worker that drains or stops
   * waits no longer for it.
   *
   * @param fromNow not negative
   * @return how long it may still run; less than {@code fromNow} near the longest
   * @throws IllegalStateException if the binding has no longest timeout
   * @throws HandlerTimeoutException if its time is over already
   * @throws IllegalArgumentException if {@code fromNow} is negative
   */
  Duration extendTimeout(Duration fromNow);

  /**
   * Says how far this handling is, for {@code messages show}. The last word counts; the worker
   * writes it within a second, beside the handler's transaction, and no handling fails or waits for
   * it.
   *
   * @param done how much is done; not negative
   * @param total how much there is; not negative
   * @param note what people should read; the first 255 characters are kept
   * @throws IllegalStateException if the binding shares its commit
   */
  void progress(long done, long total, String note);

  /** The same, where nobody knows how much there is. */
  void progress(long done, String note);

  /**
   * Whether somebody wants this message cancelled; costs no statement, and is known a second or so
   * after he said it. A handler that heeds it throws {@link CancelMessage}. One that returns has
   * won: what it did stays. In a batch it is of this message alone.
   */
  boolean isCancelRequested();

  /** Whether the message is a member of a batch by itself, not as a step of a chain. */
  boolean isMember();

  /**
   * The message's batch, to add to.
   *
   * @throws IllegalStateException if it {@link #isMember is none}
   */
  MemberContext batch();

  /**
   * Gives the next step of the message's chain a header, or replaces the one of that name. Without
   * effect if no step follows.
   *
   * @throws io.rowqueue.InvalidMessageException if {@code name} begins with {@code rowqueue-}, or
   *     all that is carried has more than 16 KiB
   */
  void putHeaderForNextStep(String name, String value);
}
