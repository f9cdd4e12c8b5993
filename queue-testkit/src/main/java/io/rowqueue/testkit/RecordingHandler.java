package io.rowqueue.testkit;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Remembers everything it is given, and succeeds or leaves the rest to another handler.
 * Thread-safe.
 *
 * <p>It remembers a message before the handling's transaction commits: a payload that is here may
 * still come again.
 *
 * @param <P> the payload's type
 */
public class RecordingHandler<P> implements MessageHandler<P> {

  private final MessageHandler<? super P> next;
  private final List<Handled<P>> handled = new CopyOnWriteArrayList<>();

  /** Remembers, and succeeds. */
  public RecordingHandler() {
    this((payload, context) -> {});
  }

  /** Remembers, and then does what {@code next} does. */
  public RecordingHandler(MessageHandler<? super P> next) {
    this.next = next;
  }

  @Override
  public void handle(P payload, HandlerContext context) throws Exception {
    handled.add(
        new Handled<>(
            payload,
            context.id(),
            context.topic(),
            context.attempt(),
            context.claimNumber(),
            Map.copyOf(context.headers())));
    next.handle(payload, context);
  }

  /** The payloads so far, in order of arrival; a copy. */
  public List<P> payloads() {
    return handled.stream().map(Handled::payload).toList();
  }

  /** The handlings so far, in order of arrival; a copy. */
  public List<Handled<P>> handled() {
    return List.copyOf(handled);
  }

  /**
   * Waits until there have been {@code count} handlings in all, and returns them.
   *
   * @throws AssertionError if there are fewer within {@code longest}
   */
  public List<Handled<P>> awaitHandled(int count, Duration longest) {
    return Await.until(
        count + " messages are handled", longest, this::handled, all -> all.size() >= count);
  }

  /** Forgets what it was given. */
  public void clear() {
    handled.clear();
  }

  /**
   * One handling: what the handler was given, and what its context said.
   *
   * @param <P> the payload's type
   * @param payload as the codec decoded it
   * @param id the message's id
   * @param topic its topic
   * @param attempt 1 for the first
   * @param claimNumber how often the message had been claimed, that time included
   * @param headers the message's headers; unmodifiable
   */
  public record Handled<P>(
      P payload,
      MessageId id,
      Topic topic,
      int attempt,
      int claimNumber,
      Map<String, String> headers) {}
}
