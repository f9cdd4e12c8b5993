package io.rowqueue.internal.database;

import io.rowqueue.internal.database.PiggybackQuery.Texts;
import io.rowqueue.internal.database.PiggybackQuery.Whether;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record1;
import org.jooq.Record2;
import org.jooq.Select;
import org.jooq.Table;
import org.jooq.impl.DSL;

/**
 * Combines several {@link PiggybackQuery}s into one statement: one row for all yes/no queries, and
 * rows for each of the others.
 */
final class PiggybackQueries {

  private static final String YES = "1";
  private static final String NO = "0";

  private final List<Whether> whether;
  private final List<Texts> texts;

  PiggybackQueries(List<PiggybackQuery> questions) {
    this.whether = only(questions, Whether.class);
    this.texts = only(questions, Texts.class);
  }

  private static <T> List<T> only(List<PiggybackQuery> questions, Class<T> kind) {
    return questions.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  /** The raw answers of the server: first those of all yes/no queries, as one text. */
  Map<Integer, List<String>> run(DSLContext dsl) {
    List<Select<Record2<Integer, String>>> parts = new ArrayList<>();
    if (!whether.isEmpty()) {
      parts.add(DSL.select(DSL.inline(0), DSL.concat(yesOrNo())));
    }
    for (int i = 0; i < texts.size(); i++) {
      parts.add(numbered(1 + i, texts.get(i).query()));
    }
    return dsl.fetch(parts.stream().reduce(Select::unionAll).orElseThrow())
        .intoGroups(Record2::value1, Record2::value2);
  }

  private Field<?>[] yesOrNo() {
    return whether.stream()
        .map(one -> DSL.when(one.condition(), DSL.inline(YES)).otherwise(DSL.inline(NO)))
        .toArray(Field<?>[]::new);
  }

  private static Select<Record2<Integer, String>> numbered(
      int number, Select<? extends Record1<String>> query) {
    Table<? extends Record1<String>> requested = query.asTable("q" + number);
    return DSL.select(DSL.inline(number), requested.field(0, String.class)).from(requested);
  }

  /** Passes each answer to its query. */
  void complete(Map<Integer, List<String>> answers) {
    String yesOrNo = answers.getOrDefault(0, List.of("")).get(0);
    for (int i = 0; i < whether.size(); i++) {
      whether.get(i).answer().accept(yesOrNo.startsWith(YES, i));
    }
    for (int i = 0; i < texts.size(); i++) {
      texts.get(i).answer().accept(answers.getOrDefault(1 + i, List.of()));
    }
  }
}
