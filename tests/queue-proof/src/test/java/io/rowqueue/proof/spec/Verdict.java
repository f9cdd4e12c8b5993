package io.rowqueue.proof.spec;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the checker found.
 *
 * @param exit its exit code
 * @param output what it said
 */
record Verdict(int exit, String output) {

  private static final int HOLDS = 0;
  private static final int INVARIANT_BROKEN = 12;
  private static final int LIVENESS_BROKEN = 13;

  private static final Pattern BROKEN_INVARIANT =
      Pattern.compile("Error: Invariant (\\w+) is violated");
  private static final Pattern STATES =
      Pattern.compile("(\\d+) states generated, (\\d+) distinct states found, (\\d+) states left");
  private static final Pattern DURATION = Pattern.compile("Finished in (.+) at ");

  /** Whether every state was visited, and every property holds. */
  boolean holds() {
    return exit == HOLDS && output.contains("No error has been found");
  }

  /** Whether {@code property} is what broke; a liveness property is the only one of its check. */
  boolean breaks(String property, boolean liveness) {
    if (liveness) {
      return exit == LIVENESS_BROKEN && output.contains("Temporal properties were violated");
    }
    Matcher broken = BROKEN_INVARIANT.matcher(output);
    return exit == INVARIANT_BROKEN && broken.find() && broken.group(1).equals(property);
  }

  /** How many different states were visited. */
  long distinctStates() {
    Matcher states = STATES.matcher(output);
    long found = -1;
    while (states.find()) {
      found = Long.parseLong(states.group(2));
    }
    return found;
  }

  /** What was looked at, in a line. */
  String summary() {
    Matcher duration = DURATION.matcher(output);
    return "%,d different states in %s"
        .formatted(distinctStates(), duration.find() ? duration.group(1) : "an unknown time");
  }

  /** The counterexample, without what comes before and behind it; all that was said if none. */
  String trace() {
    int from = output.indexOf("Error: ");
    int to = output.indexOf(" states generated, ", Math.max(from, 0));
    if (from < 0 || to < 0) {
      return output;
    }
    return output.substring(from, output.lastIndexOf('\n', to)).strip();
  }
}
