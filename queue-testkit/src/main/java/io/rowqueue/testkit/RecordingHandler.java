package io.rowqueue.testkit;

import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.MessageHandler;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Remembers every payload it is given, and succeeds. Thread-safe.
 *
 * @param <P> the payload's type
 */
public class RecordingHandler<P> implements MessageHandler<P> {

  private final List<P> payloads = new CopyOnWriteArrayList<>();

  /** Remembers nothing yet. */
  public RecordingHandler() {}

  @Override
  public void handle(P payload, HandlerContext context) {
    payloads.add(payload);
  }

  /** What it was given so far, in order of arrival; a copy. */
  public List<P> payloads() {
    return List.copyOf(payloads);
  }
}
