package io.rowqueue.internal.database;

import org.jooq.Field;
import org.jooq.impl.DSL;

/**
 * The value that an INSERT would have written, for its ON DUPLICATE KEY UPDATE. jOOQ's own {@link
 * DSL#excluded} is wrong in releases that Spring Boot 3.5 and Micronaut 4.10 bring (3.19.18 to
 * 3.19.27): for MySQL it names an alias that the statement does not declare.
 */
public final class InsertedValue {

  private InsertedValue() {}

  /** That of {@code column}. */
  public static <T> Field<T> of(Field<T> column) {
    return DSL.field("VALUES({0})", column.getDataType(), column.getUnqualifiedName());
  }
}
