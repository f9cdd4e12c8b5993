package io.rowqueue.proof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.internal.table.DefaultSchema;
import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;
import org.jooq.Field;
import org.jooq.Named;
import org.junit.jupiter.api.Test;

/**
 * MySQL reads a table that it believes to be as good as empty whole, where a statement names rows
 * by a list of keys, and waits for strangers' rows; with a forced index it goes by the keys, as
 * {@code KeyListPlanIT} shows, unless the statement names no other column: then MySQL and MariaDB
 * before 11 read a small table whole.
 */
class KeyListsTest {

  private static final Pattern LOCKS =
      Pattern.compile("^(UPDATE|DELETE)\\b.*|.*\\bFOR UPDATE\\b.*");

  private static final Pattern KEY_LIST =
      Pattern.compile("\\bid IN \\(\\?|_id IN \\(\\?|\\) OR \\(");

  @Test
  void statements_thatLockRowsByAListOfKeys_forceTheirIndex_andNameAnotherColumn()
      throws IOException {
    List<String> locking =
        StatementsFile.read().statements().stream()
            .filter(statement -> LOCKS.matcher(statement).matches())
            .filter(statement -> KEY_LIST.matcher(statement).find())
            .toList();
    assertThat(locking).as("statements with lists of keys").hasSizeGreaterThan(20);
    assertThat(locking).allSatisfy(statement -> assertThat(statement).contains("FORCE INDEX"));
    assertThat(locking)
        .filteredOn(statement -> !statement.startsWith("UPDATE"))
        .allMatch(KeyListsTest::namesAnotherColumn);
  }

  private static boolean namesAnotherColumn(String statement) {
    return DefaultSchema.DEFAULT_SCHEMA.getTables().stream()
        .filter(table -> names(statement, table))
        .allMatch(
            table -> {
              List<? extends Field<?>> others =
                  table
                      .fieldStream()
                      .filter(field -> !table.getPrimaryKey().getFields().contains(field))
                      .toList();
              return others.stream().anyMatch(field -> names(statement, field))
                  || (others.isEmpty() && !statement.startsWith("DELETE"));
            });
  }

  private static boolean names(String statement, Named part) {
    return statement.matches(".*\\b%s\\b.*".formatted(part.getName()));
  }
}
