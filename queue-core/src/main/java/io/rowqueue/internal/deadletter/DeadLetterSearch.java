package io.rowqueue.internal.deadletter;

import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;

import io.rowqueue.internal.message.Headers;
import java.util.Map;
import org.jooq.Condition;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Conditions on dead letters in addition to those of a {@link
 * io.rowqueue.operate.DeadLetterFilter}; null means any. No index has them, except for the
 * fingerprint together with a topic.
 *
 * @param error a part of their error, in any case
 * @param fingerprint the fingerprint of their error
 * @param orderingKey their ordering key
 * @param headers the headers that each has, among others
 */
public record DeadLetterSearch(
    @Nullable String error,
    @Nullable Long fingerprint,
    @Nullable String orderingKey,
    Map<String, String> headers) {

  /** Every dead letter. */
  public static final DeadLetterSearch ANY = new DeadLetterSearch(null, null, null, Map.of());

  /** Copies the headers. */
  public DeadLetterSearch {
    headers = Map.copyOf(headers);
  }

  Condition matches() {
    return DSL.and(
        error == null
            ? DSL.noCondition()
            : DSL.condition(
                "LOCATE(LOWER({0}), LOWER({1})) > 0", DSL.val(error), QUEUE_DEAD_LETTER.DETAIL),
        fingerprint == null ? DSL.noCondition() : QUEUE_DEAD_LETTER.FINGERPRINT.eq(fingerprint),
        orderingKey == null ? DSL.noCondition() : QUEUE_DEAD_LETTER.ORDERING_KEY.eq(orderingKey),
        headers.isEmpty() ? DSL.noCondition() : hasHeaders());
  }

  /** Headers that SQL wrote may not be JSON, which is an error on MySQL. */
  private Condition hasHeaders() {
    return DSL.condition(
        "CASE WHEN JSON_VALID({0}) THEN JSON_CONTAINS({0}, {1}) ELSE 0 END = 1",
        QUEUE_DEAD_LETTER.HEADERS, DSL.val(Headers.toJson(headers), SQLDataType.CLOB));
  }
}
