package io.rowqueue.internal.result;

import io.rowqueue.Topic;
import org.jspecify.annotations.Nullable;

/** The state of an awaited message. */
public sealed interface ResultState {

  /** It may still be handled. */
  record InQueue() implements ResultState {}

  /** It is a dead letter. */
  record Dead(String reason, String detail) implements ResultState {}

  /**
   * It was acked, with this result.
   *
   * @param headers how {@code content} is wrapped; null if it is not
   * @param content null if its handler returned null
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Settled(Topic topic, @Nullable String headers, byte @Nullable [] content)
      implements ResultState {}
}
