package io.rowqueue.internal.wrap;

import io.rowqueue.PayloadException;
import io.rowqueue.internal.message.Headers;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Marks: the names of a payload's wrappers, separated by commas, in the order of their application.
 */
public final class Marks {

  /** More than any application needs, and few enough to unwrap. */
  public static final int MOST = 8;

  private static final Pattern NAME = Pattern.compile("[a-z0-9-]{1,32}");

  private Marks() {}

  /** Rejects an invalid name. */
  public static void check(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "a wrapper's name has 1 to 32 lower-case letters, digits and hyphens, unlike '%s'"
              .formatted(name));
    }
  }

  /** Appends a name to the mark. */
  public static String with(String mark, String name) {
    return mark.isEmpty() ? name : mark + "," + name;
  }

  /** The names in {@code mark}, the innermost first. */
  static List<String> names(String mark) {
    List<String> names = List.of(mark.split(",", MOST + 1));
    boolean each = names.stream().allMatch(name -> NAME.matcher(name).matches());
    if (!each || names.size() > MOST || names.stream().distinct().count() < names.size()) {
      throw new PayloadException(
          "the header %s is not a list of up to %d different wrappers"
              .formatted(Headers.WRAPPED, MOST));
    }
    return names;
  }
}
