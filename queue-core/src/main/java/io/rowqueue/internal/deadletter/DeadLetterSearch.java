package io.rowqueue.internal.deadletter;

import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;

import io.rowqueue.internal.message.Headers;
import java.util.Map;
import org.jooq.Condition;
import org.jooq.impl.DSL;
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

  /** Holds for a dead letter that this finds. */
  public Condition matches() {
    return DSL.and(
        error == null
            ? DSL.noCondition()
            : DSL.condition(
                "LOCATE(LOWER({0}), LOWER({1})) > 0", DSL.val(error), QUEUE_DEAD_LETTER.DETAIL),
        fingerprint == null ? DSL.noCondition() : QUEUE_DEAD_LETTER.FINGERPRINT.eq(fingerprint),
        orderingKey == null ? DSL.noCondition() : QUEUE_DEAD_LETTER.ORDERING_KEY.eq(orderingKey),
        headers.isEmpty() ? DSL.noCondition() : Headers.areIn(QUEUE_DEAD_LETTER.HEADERS, headers));
  }
}
