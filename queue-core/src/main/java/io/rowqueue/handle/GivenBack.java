package io.rowqueue.handle;

import io.rowqueue.message.MessageId;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * When messages were first given back, for as many as memory may hold: who was not seen for longest
 * is forgotten first, and begins anew. Thread-safe.
 */
final class GivenBack {

  /** A megabyte of ids and times. */
  static final int MOST = 10_000;

  private final Map<MessageId, Long> firstNanos =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<MessageId, Long> eldest) {
          return size() > MOST;
        }
      };

  /** When {@code id} was first seen: {@code now}, unless it is known. */
  synchronized long first(MessageId id, long now) {
    Long known = firstNanos.putIfAbsent(id, now);
    return known == null ? now : known;
  }

  /** It was read after all, or set aside. */
  synchronized void forget(MessageId id) {
    firstNanos.remove(id);
  }

  synchronized int size() {
    return firstNanos.size();
  }
}
