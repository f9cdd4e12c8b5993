package io.rowqueue.internal.database;

import io.rowqueue.QueueException;
import io.rowqueue.internal.text.FailureText;
import io.rowqueue.internal.text.Humanize;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The rows that a change of many has left out, since the server refused them. Not thread-safe.
 *
 * @param <K> the type of a row's id
 */
public final class Refusals<K> {

  /** All rows may be refused, for example for lack of a privilege. */
  private static final int MOST_IN_VAIN = 10;

  private static final int MOST = 200;
  private static final int MOST_NAMED = 10;

  private final Set<K> rows = new LinkedHashSet<>();
  private @Nullable QueueException last;

  /**
   * Adds a row, and throws {@code refusal} if it is unlikely that others will be accepted.
   *
   * @param someChanged whether the server has accepted any
   */
  public void add(K row, QueueException refusal, boolean someChanged) {
    rows.add(row);
    last = refusal;
    if (rows.size() >= (someChanged ? MOST : MOST_IN_VAIN)) {
      throw refusal;
    }
  }

  /** Each once, in the order of their first refusals. */
  public Set<K> rows() {
    return rows;
  }

  /** Why the last one was refused; null if none was. */
  public @Nullable QueueException last() {
    return last;
  }

  /** Such as {@code 17 and 2 others: Duplicate entry '17'}; the reason is that of the last. */
  public String text() {
    return last == null ? "" : names(rows) + ": " + FailureText.of(last);
  }

  /** The first ten, and how many more there are. */
  static String names(Collection<?> rows) {
    return rows.stream().limit(MOST_NAMED).map(String::valueOf).collect(Collectors.joining(", "))
        + (rows.size() > MOST_NAMED
            ? " and " + Humanize.count(rows.size() - MOST_NAMED, "other")
            : "");
  }
}
