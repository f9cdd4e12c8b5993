package io.rowqueue.internal.database;

import java.util.List;
import java.util.function.Consumer;
import org.jooq.Condition;
import org.jooq.Record1;
import org.jooq.Select;

/**
 * A query that is combined with others into one read, so that an idle worker sends one statement
 * instead of three. The consumer of the answer must not throw.
 */
public sealed interface PiggybackQuery {

  /** Whether {@code condition} holds. */
  static PiggybackQuery whether(Condition condition, Consumer<Boolean> answer) {
    return new Whether(condition, answer);
  }

  /** Reads the texts that {@code query} returns. */
  static PiggybackQuery texts(
      Select<? extends Record1<String>> query, Consumer<List<String>> answer) {
    return new Texts(query, answer);
  }

  /**
   * Answered by yes or no.
   *
   * @param condition for example an EXISTS
   * @param answer receives the result
   */
  record Whether(Condition condition, Consumer<Boolean> answer) implements PiggybackQuery {}

  /**
   * Answered by rows.
   *
   * @param query selects texts
   * @param answer receives them
   */
  record Texts(Select<? extends Record1<String>> query, Consumer<List<String>> answer)
      implements PiggybackQuery {}
}
