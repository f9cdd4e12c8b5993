package io.rowqueue.proof.spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A configuration of the checker: the size of the model, its switches, and what is checked.
 *
 * @param text as the checker reads it
 */
record Configuration(String text) {

  private static final Pattern SWITCH = Pattern.compile("(?m)^  (\\w+) = TRUE$");
  private static final Pattern CHECKED = Pattern.compile("(?ms)^(INVARIANTS|PROPERTY)$.*");

  static Configuration of(Path file) throws IOException {
    return new Configuration(Files.readString(file));
  }

  /** The constants that say that the protocol is as it is. */
  Set<String> switches() {
    return SWITCH
        .matcher(text)
        .results()
        .map((MatchResult found) -> found.group(1))
        .collect(Collectors.toSet());
  }

  /** The same with other values for some constants. */
  Configuration with(Map<String, String> constants) {
    String changed = text;
    for (Map.Entry<String, String> constant : constants.entrySet()) {
      Pattern line = Pattern.compile("(?m)^  " + constant.getKey() + " = .*$");
      if (!line.matcher(changed).find()) {
        throw new IllegalArgumentException("no constant " + constant.getKey());
      }
      changed =
          line.matcher(changed)
              .replaceFirst("  " + constant.getKey() + " = " + constant.getValue());
    }
    return new Configuration(changed);
  }

  /** The same, but of the invariants only this one, so that no other breaks before it. */
  Configuration onlyChecking(String invariant) {
    return new Configuration(
        CHECKED.matcher(text).replaceFirst("INVARIANTS\n  TypeOK\n  " + invariant + "\n"));
  }
}
