package io.rowqueue.testkit;

import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.api.Assertions;
import org.jspecify.annotations.Nullable;

/** Where one handling at a time takes place. Thread-safe. */
final class Stage {

  private volatile @Nullable Recording recording;
  private volatile @Nullable Object sent;
  private volatile boolean lost;

  /** A handling begins, whose claim somebody else has by the time it is settled if {@code lost}. */
  Recording begin(@Nullable Object payload, boolean claimsAreLost) {
    Recording fresh = new Recording();
    sent = payload;
    lost = claimsAreLost;
    recording = fresh;
    return fresh;
  }

  Recording recording() {
    return Objects.requireNonNull(recording, "no attempt has begun");
  }

  boolean claimsAreLost() {
    return lost;
  }

  /** The handler is given {@code payload}; what was sent should look the same. */
  void arrived(Object payload) {
    Object original = sent;
    if (original == null || isRaw(original) || isRaw(payload)) {
      return;
    }
    if (original.getClass() != payload.getClass()) {
      recording()
          .changed(
              "the test gives a %s, %s, and the handler takes a %s: %s"
                  .formatted(
                      original.getClass().getName(),
                      original,
                      payload.getClass().getName(),
                      payload));
      return;
    }
    try {
      Assertions.assertThat(payload).usingRecursiveComparison().isEqualTo(original);
    } catch (AssertionError e) {
      recording()
          .changed(
              ("the payload does not survive its codec: the test passes %s, and the handler"
                      + " receives %s; workers would lose the same parts")
                  .formatted(original, payload));
    }
  }

  /** Bytes, text, maps and lists are given on purpose. */
  private static boolean isRaw(Object payload) {
    return payload.getClass().isArray()
        || payload.getClass().getName().startsWith("java.")
        || payload instanceof Map
        || payload instanceof Collection;
  }
}
