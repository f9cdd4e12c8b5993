package io.rowqueue.internal.message;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Several topics' names as one text with commas between them, on the command line and in a worker's
 * row. A name may itself have a comma: it, and a backslash, then have a backslash before them.
 */
public final class TopicNames {

  private TopicNames() {}

  /** The names in order as one text; empty if there are none. */
  public static String join(Collection<String> names) {
    return names.stream()
        .map(name -> name.replace("\\", "\\\\").replace(",", "\\,"))
        .collect(Collectors.joining(","));
  }

  /** The names of a text that {@link #join} or a person wrote; none if it is empty. */
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
