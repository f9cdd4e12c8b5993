package io.rowqueue.internal.database;

import java.util.List;
import java.util.function.Consumer;
import org.jooq.Condition;
import org.jooq.Record1;
import org.jooq.Select;

/**
 * Something to be looked up together with other things, in one read: an idle worker then asks the
 * server once where it would ask three times. Whoever is told the answer must not fail.
 */
public sealed interface PiggybackQuery {

  /** Whether {@code condition} holds. */
  static PiggybackQuery whether(Condition condition, Consumer<Boolean> answer) {
    return new Whether(condition, answer);
  }

  /** Which texts {@code query} gives. */
  static PiggybackQuery texts(
      Select<? extends Record1<String>> query, Consumer<List<String>> answer) {
    return new Texts(query, answer);
  }

  /**
   * Answered by yes or no.
   *
   * @param condition an EXISTS, say
   * @param answer is told
   */
  record Whether(Condition condition, Consumer<Boolean> answer) implements PiggybackQuery {}

  /**
   * Answered by rows.
   *
   * @param query gives texts
   * @param answer is told them
   */
  record Texts(Select<? extends Record1<String>> query, Consumer<List<String>> answer)
      implements PiggybackQuery {}
}
