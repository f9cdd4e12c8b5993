package io.rowqueue.internal.handle;

import org.jspecify.annotations.Nullable;

/**
 * The SQL texts that one statement sends, and how they end the transaction. Confined to the
 * handler's thread.
 */
final class Texts {

  private Ending ending;

  /** Of a prepared statement, if {@code prepared} is given. */
  Texts(@Nullable String prepared) {
    this.ending = prepared == null ? Ending.NEVER : Ending.of(prepared);
  }

  /** The SQL text among the arguments of a JDBC call, if there is one. */
  static @Nullable String text(Object @Nullable [] arguments) {
    return arguments != null && arguments.length > 0 && arguments[0] instanceof String sql
        ? sql
        : null;
  }

  /** A text is added to the JDBC batch, or values for the prepared text. */
  void add(Object @Nullable [] arguments) {
    String batched = text(arguments);
    ending = batched == null ? ending : ending.and(Ending.of(batched));
  }

  /** The ending of an execution: of its own text, or of the texts prepared or added before. */
  Ending endingOf(Object @Nullable [] arguments) {
    String executed = text(arguments);
    return executed == null ? ending : Ending.of(executed);
  }
}
