package io.rowqueue.internal.message;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Lists of topic names, separated by commas, on the command line and in a worker's row. Commas and
 * backslashes within a name are escaped by a backslash.
 */
public final class TopicNames {

  private TopicNames() {}

  /** Joins {@code names} in their order; returns an empty string for none. */
  public static String join(Collection<String> names) {
    return names.stream()
        .map(name -> name.replace("\\", "\\\\").replace(",", "\\,"))
        .collect(Collectors.joining(","));
  }

  /** Splits a list written by {@link #join} or by an operator; an empty string has no names. */
  public static List<String> split(String text) {
    List<String> names = new ArrayList<>();
    StringBuilder name = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char character = text.charAt(i);
      if (character == '\\' && i + 1 < text.length()) {
        i++;
        name.append(text.charAt(i));
      } else if (character == ',') {
        names.add(name.toString());
        name.setLength(0);
      } else {
        name.append(character);
      }
    }
    if (!text.isEmpty()) {
      names.add(name.toString());
    }
    return List.copyOf(names);
  }
}
