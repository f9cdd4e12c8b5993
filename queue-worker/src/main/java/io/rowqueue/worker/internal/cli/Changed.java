package io.rowqueue.worker.internal.cli;

import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Applies the options that are given to settings that have defaults. */
final class Changed {

  private Changed() {}

  /**
   * {@code settings} changed by {@code value}, or as they are if it is null.
   *
   * @throws CommandFailure if the settings refuse the value
   */
  static <S, V> S by(S settings, @Nullable V value, BiFunction<S, V, S> change) {
    if (value == null) {
      return settings;
    }
    try {
      return change.apply(settings, value);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage(String.valueOf(e.getMessage()));
    }
  }
}
