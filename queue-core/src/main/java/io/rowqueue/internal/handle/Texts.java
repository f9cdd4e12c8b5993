package io.rowqueue.internal.handle;

import org.jspecify.annotations.Nullable;

/** How the texts that one statement sends end the transaction. Confined to the handler's thread. */
final class Texts {

  private Ending ending;

  /** Of what was {@code prepared}, if anything was. */
  Texts(@Nullable String prepared) {
    this.ending = prepared == null ? Ending.NEVER : Ending.of(prepared);
  }

  /** The SQL text among the arguments of a JDBC call, where there is one. */
  static @Nullable String text(Object @Nullable [] arguments) {
    return arguments != null && arguments.length > 0 && arguments[0] instanceof String sql
        ? sql
        : null;
  }

  /** A text is added to the batch, or the values of what was prepared are. */
  void add(Object @Nullable [] arguments) {
    String batched = text(arguments);
    ending = batched == null ? ending : ending.and(Ending.of(batched));
  }

  /** Of an execution: of its own text, or else of what was prepared or added before. */
  Ending endingOf(Object @Nullable [] arguments) {
    String executed = text(arguments);
    return executed == null ? ending : Ending.of(executed);
  }
}
