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
 * Records its messages, and succeeds or delegates to another handler. Thread-safe.
 *
 * <p>Records a message before the attempt's transaction commits, so that a recorded payload may be
 * redelivered.
 *
 * @param <P> the payload's type
 */
public class RecordingHandler<P> implements MessageHandler<P> {

  private final MessageHandler<? super P> next;
  private final List<Handled<P>> handled = new CopyOnWriteArrayList<>();

  /** Records and succeeds. */
  public RecordingHandler() {
    this((payload, context) -> {});
  }

  /** Records and calls {@code next}. */
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

  /** Returns the payloads so far, in order of arrival; a copy. */
  public List<P> payloads() {
    return handled.stream().map(Handled::payload).toList();
  }

  /** Returns the attempts so far, in order of arrival; a copy. */
  public List<Handled<P>> handled() {
    return List.copyOf(handled);
  }

  /**
   * Waits until there have been {@code count} attempts in total, and returns them.
   *
   * @throws AssertionError if there are fewer within {@code longest}
   */
  public List<Handled<P>> awaitHandled(int count, Duration longest) {
    return Await.until(
        count + " messages are handled", longest, this::handled, all -> all.size() >= count);
  }

  /** Clears the recording. */
  public void clear() {
    handled.clear();
  }

  /**
   * An attempt, with the handler's input.
   *
   * @param <P> the payload's type
   * @param payload as the codec decoded it
   * @param id the message's id
   * @param topic its topic
   * @param attempt 1 for the first
   * @param claimNumber how often the message had been claimed, including this claim
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
