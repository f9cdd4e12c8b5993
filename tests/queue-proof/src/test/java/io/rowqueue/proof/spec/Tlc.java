package io.rowqueue.proof.spec;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tlc2.TLC;

/**
 * The model checker of TLA+, in a process of its own: it keeps what it knows in static fields, and
 * unpacks its standard modules into the directory for temporary files.
 */
final class Tlc {

  private Tlc() {}

  /**
   * Checks {@code module} as {@code configuration} says, on one thread.
   *
   * @param specification the directory of the modules
   * @param evidence a directory that is kept: the configuration, and what the checker said
   */
  static Cause check(Path specification, String module, Configuration configuration, Path evidence)
      throws IOException, InterruptedException, URISyntaxException {
    Files.createDirectories(evidence);
    Path file = Files.writeString(evidence.resolve("checked.cfg"), configuration.text());
    Path said = evidence.resolve("tlc.txt");
    Process process =
        new ProcessBuilder(command(module, file, evidence))
            .directory(specification.toFile())
            .redirectErrorStream(true)
            .redirectOutput(said.toFile())
            .start();
    try {
      return new Cause(process.waitFor(), Files.readString(said));
    } finally {
      process.destroyForcibly();
    }
  }

  private static List<String> command(String module, Path configuration, Path evidence)
      throws URISyntaxException {
    Path jar = Path.of(TLC.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx1g",
        "-XX:+UseSerialGC",
        // These models are done before the other compiler has paid for itself.
        "-XX:TieredStopAtLevel=1",
        "-Djava.io.tmpdir=" + evidence,
        "-cp",
        jar.toString(),
        TLC.class.getName(),
        "-nowarning",
        // of each state only what has changed
        "-difftrace",
        "-workers",
        "1",
        "-metadir",
        evidence.resolve("states").toString(),
        "-config",
        configuration.toString(),
        module + ".tla");
  }

  /** A configuration of the checker: the size of the model, its switches, and what is checked. */
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

  /** What the checker found. */
  record Cause(int exit, String output) {

    private static final int HOLDS = 0;
    private static final int INVARIANT_BROKEN = 12;
    private static final int LIVENESS_BROKEN = 13;

    private static final Pattern BROKEN_INVARIANT =
        Pattern.compile("Error: Invariant (\\w+) is violated");
    private static final Pattern STATES =
        Pattern.compile(
            "(\\d+) states generated, (\\d+) distinct states found, (\\d+) states left");
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

  /** What RowQueue does not do, and the property that breaks if it did. */
  enum Mutant {
    NO_FENCE("TheDeadChangeNothing", "FenceHasLockId", "FenceHasClaimNumber"),
    FENCE_WITHOUT_LOCK_ID("OnlyItsOwnerSettles", "FenceHasLockId"),
    FENCE_WITHOUT_CLAIM_NUMBER("AttemptsAreFailures", "FenceHasClaimNumber"),
    EFFECT_COMMITTED_APART("EffectAtMostOnce", "AckWithEffect"),
    NO_RECONCILE("EverythingIsSettled", "ClaimsAreReconciled"),
    LEASE_BY_THE_LOCAL_CLOCK("NoFalseDeath", "DatabaseClock"),
    DEATH_WITHOUT_GUARD("NoFalseDeath", "DeathIsGuarded"),
    REAP_BEFORE_THE_ROW_FLIPS("TheLivingAreNotReaped", "DeathBeforeReap"),
    REAP_WITHOUT_SECOND_POLL("TheLivingAreNotReaped", "ReapLooksAgain"),
    EVERY_LOSS_COUNTS("LostAsDocumented", "SuspectsAreMarked"),
    REDRIVE_COUNTS_CLAIMS_ANEW("ClaimsAreGivenOnce", "RedriveKeepsNumber"),
    ROW_BEFORE_LOCK("NoFalseDeath", "LockBeforeRow"),
    ONE_POLL_AT_A_FREE_LOCK("NoFalseDeath", "SecondLook"),
    NO_SERVER_IDENTITY("NoFalseDeath", "ServerIdentity"),
    LOCK_TAKEN_AGAIN_UNTOLD("NoFalseDeath", "TellMovesLease"),
    LOCK_DEATH_WITHOUT_GUARD("NoFalseDeath", "DeathIsGuarded");

    private final String broken;
    private final ImmutableList<String> switchedOff;

    Mutant(String broken, String... switchedOff) {
      this.broken = broken;
      this.switchedOff = ImmutableList.copyOf(switchedOff);
    }

    String broken() {
      return broken;
    }

    /** Whether that only breaks by something that never happens. */
    boolean liveness() {
      return this == NO_RECONCILE;
    }

    String module() {
      return compareTo(ROW_BEFORE_LOCK) < 0 ? "RowQueue" : "LivenessLock";
    }

    String configuration() {
      return liveness() ? "RowQueueLiveness" : module();
    }

    Map<String, String> constants() {
      Map<String, String> constants = new HashMap<>();
      switchedOff.forEach(one -> constants.put(one, "FALSE"));
      if (this == REDRIVE_COUNTS_CLAIMS_ANEW) {
        // A dead letter at the first failure needs no deep search.
        constants.put("MaxAttempts", "1");
      }
      return constants;
    }
  }
}
