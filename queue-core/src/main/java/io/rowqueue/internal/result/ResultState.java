package io.rowqueue.internal.result;

import io.rowqueue.Topic;
import org.jspecify.annotations.Nullable;

/** Where an awaited message was found. */
public sealed interface ResultState {

  /** Somebody may still handle it. */
  record InQueue() implements ResultState {}

  /** It was set aside. */
  record Dead(String reason, String detail) implements ResultState {}

  /**
   * It was acked, and this is kept of it.
   *
   * @param headers how {@code content} is wrapped; null if it is not
   * @param content null if its handler returned null
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Settled(Topic topic, @Nullable String headers, byte @Nullable [] content)
      implements ResultState {}
}
