package io.rowqueue.database;

import java.util.List;
import java.util.function.Consumer;
import org.jooq.Condition;
import org.jooq.Record1;
import org.jooq.Select;
import org.jooq.impl.DSL;

/**
 * Something to be looked up together with other things, in one read: an idle worker then asks the
 * server once where it would ask three times.
 *
 * @param query gives texts
 * @param answer is told them; must not fail
 */
public record Question(Select<? extends Record1<String>> query, Consumer<List<String>> answer) {

  /** Whether {@code condition} holds. */
  public static Question whether(Condition condition, Consumer<Boolean> answer) {
    return new Question(
        DSL.select(DSL.inline("").as("answer")).where(condition),
        rows -> answer.accept(!rows.isEmpty()));
  }
}
