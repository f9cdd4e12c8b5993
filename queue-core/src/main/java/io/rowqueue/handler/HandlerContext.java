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
 * The message and the services available to a handler while it handles one message. Confined to the
 * handler's thread. The context must not be used after the handler returns.
 */
public interface HandlerContext {

  /** The message's id; it stays the same through every attempt and redrive. */
  MessageId id();

  /** The topic it was enqueued to. */
  Topic topic();

  /** The topic that its handler is bound to; not {@link #topic()} if that is an alias of it. */
  default Topic binding() {
    return topic();
  }

  /** The number of this attempt: 1 for the first, and never above the binding's maximum. */
  int attempt();

  /**
   * How often the message has been claimed, including this time. Every claim increments it and
   * nothing lowers it, so it identifies this handling among all handlings of the message.
   */
  int claimNumber();

  /** The message's headers; unmodifiable, empty if it has none. */
  Map<String, String> headers();

  /** The message's ordering key; null if it has none. */
  @Nullable String orderingKey();

  /** When the message was enqueued, by the database's clock. */
  Instant createdAt();

  /**
   * An idempotency key for calls to external systems: stable across attempts, worker deaths and
   * redrive, and different from that of every other message of this or any other queue. At most 64
   * ASCII characters.
   */
  String idempotencyKey();

  /**
   * The transaction in which the message will be deleted. Writes in it happen exactly once.
   * RowQueue begins and ends it: commit, rollback, setAutoCommit and close are refused.
   *
   * @throws IllegalStateException if the binding is not transactional
   */
  DSLContext transaction();

  /**
   * The same transaction as a JDBC connection, for code without jOOQ.
   *
   * @throws IllegalStateException if the binding is not transactional
   */
  Connection connection();

  /**
   * Extends the timeout to {@code fromNow} from now; never shortens it, and is limited to {@link
   * HandlerSettings#withLongestTimeout} from the handler's start. Sends no statement. In a batch it
   * applies to the whole batch. Does not extend the shutdown timeout of a worker that drains or
   * stops.
   *
   * @param fromNow not negative
   * @return how long the handler may still run; less than {@code fromNow} near the limit
   * @throws IllegalStateException if the binding has no longest timeout
   * @throws HandlerTimeoutException if the timeout has already passed
   * @throws IllegalArgumentException if {@code fromNow} is negative
   */
  Duration extendTimeout(Duration fromNow);

  /**
   * Reports the handler's progress, for {@code messages show}. The latest report counts; the worker
   * writes it within a second, outside the handler's transaction, and no handler fails or waits
   * because of it.
   *
   * @param done how much is done; not negative
   * @param total how much there is; not negative
   * @param note a text for operators; the first 255 characters are kept
   * @throws IllegalStateException if the binding shares its commit
   */
  void progress(long done, long total, String note);

  /** Reports progress when the total is unknown. */
  void progress(long done, String note);

  /**
   * Whether the cancellation of this message was requested. Sends no statement; a request arrives
   * after about a second. A handler complies by throwing {@link CancelMessage}. If it returns
   * normally, the message is acknowledged. In a batch it applies to this message only.
   */
  boolean isCancelRequested();

  /** Whether the message itself is a member of a batch; false for a step of a chain. */
  boolean isMember();

  /**
   * The message's batch, to add members.
   *
   * @throws IllegalStateException if it {@link #isMember is not a member}
   */
  MemberContext batch();

  /**
   * Sets a header of the next step of the message's chain. Has no effect if no step follows.
   *
   * @throws io.rowqueue.InvalidMessageException if {@code name} begins with {@code rowqueue-}, or
   *     all such headers together exceed 16 KiB
   */
  void putHeaderForNextStep(String name, String value);
}
