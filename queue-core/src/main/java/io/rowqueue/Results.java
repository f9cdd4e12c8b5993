package io.rowqueue;

import io.rowqueue.internal.depth.HandlingThread;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.internal.result.ResultWaits;
import io.rowqueue.internal.result.ResultWaits.ResultState;
import io.rowqueue.internal.wrap.Unwrapping;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.spi.Unwrapper;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Awaits the results of handlers whose bindings set {@link
 * io.rowqueue.handler.HandlerSettings#withResults}. Create one per process; thread-safe.
 *
 * <pre>{@code
 * try (Results results = Results.over(dataSource)) {
 *   Price price = results.enqueueAndAwait(
 *       producer, NewMessage.of("price", request), Price.class, Duration.ofSeconds(5));
 * }
 * }</pre>
 *
 * <p>All waits share one connection of the data source, on which the process sleeps until a worker
 * has committed a result for it. In addition, a poll once a second finds results without a
 * notification: results whose worker uses another account or another server, results of messages
 * that another process enqueued, dead letters and cancellations. The connection is closed a minute
 * after the last wait. The data source must provide at least two connections. Its account needs
 * {@code grants result-reader}.
 */
public final class Results implements AutoCloseable {

  private static final Duration UNTIL_LISTENING = Duration.ofSeconds(1);

  private final ResultWaits waiting;
  private final PayloadCodec codec;
  private final Unwrapping unwrapping;

  private Results(ResultWaits waiting, PayloadCodec codec, Unwrapping unwrapping) {
    this.waiting = waiting;
    this.codec = codec;
    this.unwrapping = unwrapping;
  }

  /** Awaits JSON results without wrappers, of the queue in the schema of {@code dataSource}. */
  public static Results over(DataSource dataSource) {
    return new Results(new ResultWaits(dataSource), PayloadCodec.json(), unwrapping());
  }

  /** A copy with another codec and these unwrappers; closing one closes both. */
  public Results reading(PayloadCodec other, Unwrapper... allowed) {
    return new Results(waiting, other, unwrapping(allowed));
  }

  private static Unwrapping unwrapping(Unwrapper... allowed) {
    return new Unwrapping(Set.of(allowed), MessageLimits.defaults());
  }

  /**
   * Enqueues {@code message} in a transaction of its own, and waits for its handler's result.
   *
   * @param longest the maximum time to wait
   * @return the handler's result, which may be null
   * @throws AwaitTimeoutException if that takes longer; the message stays in the queue
   * @throws DeadLetterException if it becomes a dead letter
   * @throws ResultUnavailableException if it is gone without a result
   * @throws io.rowqueue.PayloadException if the result cannot be decoded to {@code type}
   * @throws IllegalStateException on a thread that handles messages: handlers that wait for other
   *     handlers can block a worker completely
   * @throws InterruptedException if the thread is interrupted; the message stays in the queue
   */
  public <R> @Nullable R enqueueAndAwait(
      MessageProducer producer, NewMessage message, Class<R> type, Duration longest)
      throws InterruptedException {
    checkMayWait();
    long deadline = System.nanoTime() + TimeUnit.NANOSECONDS.convert(longest);
    MessageId id = enqueue(producer, message, longest);
    return await(id, type, Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
  }

  /**
   * Enqueues {@code message} in a transaction of its own, for a later {@link #await}: workers
   * notify this process of its result.
   *
   * @throws InterruptedException if the thread is interrupted; nothing was enqueued
   */
  public MessageId enqueue(MessageProducer producer, NewMessage message)
      throws InterruptedException {
    return enqueue(producer, message, UNTIL_LISTENING);
  }

  private MessageId enqueue(MessageProducer producer, NewMessage message, Duration longest)
      throws InterruptedException {
    waiting.listen(UNTIL_LISTENING.compareTo(longest) < 0 ? UNTIL_LISTENING : longest);
    NewMessage awaited = message.withStoredHeader(Headers.WAITER, waiting.waiter());
    return producer.enqueue(waiting.dataSource(), awaited);
  }

  /**
   * Waits for the result of message {@code id}, or returns it if it exists; throws the exceptions
   * of {@link #enqueueAndAwait}. Do not call it in the transaction that enqueues the message.
   */
  public <R> @Nullable R await(MessageId id, Class<R> type, Duration longest)
      throws InterruptedException {
    checkMayWait();
    CompletableFuture<@Nullable R> result = awaiting(id, type);
    try {
      return result.get(TimeUnit.NANOSECONDS.convert(longest), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new AwaitTimeoutException(id);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
    } finally {
      result.cancel(false);
    }
  }

  private static void checkMayWait() {
    if (HandlingThread.isCurrent()) {
      throw new IllegalStateException(
          "a handler must not wait for another message: a worker whose handlers all wait makes no"
              + " progress; let the other message's handler enqueue the next message");
    }
  }

  /**
   * Awaits a result without blocking a thread. The future fails with the exceptions of {@link
   * #enqueueAndAwait}, except those of timeouts; cancelling it only ends the wait. Dependent stages
   * run on the thread that polls for all waits: keep them short, or add them by an {@code Async}
   * method.
   */
  public <R> CompletableFuture<@Nullable R> awaiting(MessageId id, Class<R> type) {
    CompletableFuture<ResultState.Settled> found = waiting.await(id);
    CompletableFuture<@Nullable R> result = found.thenApply(settled -> decoded(settled, type));
    // Cancelling the future ends the wait.
    var unused = result.whenComplete((value, failure) -> found.cancel(false));
    return result;
  }

  private <R> @Nullable R decoded(ResultState.Settled settled, Class<R> type) {
    byte[] content = settled.content();
    if (content == null) {
      return null;
    }
    byte[] bytes =
        unwrapping.unwrapResult(settled.topic(), content, Headers.parse(settled.headers()));
    return type.cast(codec.decode(bytes, type));
  }

  /** Ends all waits with a {@link java.util.concurrent.CancellationException}. */
  @Override
  public void close() {
    waiting.close();
  }
}
