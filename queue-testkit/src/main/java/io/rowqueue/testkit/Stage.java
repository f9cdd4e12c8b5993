package io.rowqueue.testkit;

import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.api.Assertions;
import org.jspecify.annotations.Nullable;

/** The environment of one attempt at a time. Thread-safe. */
final class Stage {

  private volatile @Nullable Recording recording;
  private volatile @Nullable Object sent;
  private volatile boolean lost;

  /** Starts an attempt; if {@code lost}, its claim is lost before its settlement. */
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

  /** Called with the decoded payload, which should equal the one sent. */
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

  /** For bytes, text, maps and lists, the difference is intended. */
  private static boolean isRaw(Object payload) {
    return payload.getClass().isArray()
        || payload.getClass().getName().startsWith("java.")
        || payload instanceof Map
        || payload instanceof Collection;
  }
}
