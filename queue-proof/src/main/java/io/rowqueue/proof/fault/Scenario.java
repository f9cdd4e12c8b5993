package io.rowqueue.proof.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A way for things to go wrong, over and over.
 *
 * @param name as the command line takes it
 * @param what in words
 * @param fault what strikes
 * @param mix what is enqueued meanwhile
 * @param workers how many processes
 * @param more options of theirs, beside those that make times short
 * @param share of the faults that are divided among all scenarios
 * @param traits what else there is to know of it
 */
record Scenario(
    String name,
    String what,
    Fault fault,
    Mix mix,
    int workers,
    List<String> more,
    int share,
    Set<Trait> traits) {

  /** What sets some scenarios apart. */
  enum Trait {
    /** The fault itself makes the server count deadlocks. */
    MAKES_DEADLOCKS,
    /** It needs a server that it may kill. */
    KILLS_THE_SERVER,
    /** Its workers have clocks of their own. */
    FAKES_CLOCKS,
    /** It strikes workers or their packets; one server has no other part in it than another. */
    STRIKES_WORKERS_ALONE,
    /** Operators interfere all the time. */
    HAS_OPERATORS,
    /** Somebody ends a handling every now and then, also while it strikes. */
    NEVER_PAUSES
  }

  private static final int WORKERS = 3;

  /** Most take a second or two. */
  private static final int OFTEN = 14;

  static Scenario of(String name, String what, Fault fault, Trait... traits) {
    return new Scenario(name, what, fault, Mix.USUAL, WORKERS, List.of(), OFTEN, Set.of(traits));
  }

  Scenario with(Mix other) {
    return new Scenario(name, what, fault, other, workers, more, share, traits);
  }

  Scenario with(String... options) {
    return new Scenario(name, what, fault, mix, workers, List.of(options), share, traits);
  }

  /** One takes about five seconds. */
  Scenario seldom() {
    return new Scenario(name, what, fault, mix, workers, more, 5, traits);
  }

  /** One takes a quarter of a minute and more. */
  Scenario rarely() {
    return new Scenario(name, what, fault, mix, workers, more, 1, traits);
  }

  boolean has(Trait trait) {
    return traits.contains(trait);
  }

  /** Why it cannot run here; null if it can. */
  @Nullable String obstacle(Server server) {
    if (has(Trait.KILLS_THE_SERVER) && !server.restarts()) {
      return "it needs a command that starts the server again";
    }
    if (has(Trait.FAKES_CLOCKS) && !FakeClock.isThere()) {
      return "it needs Debian's package libfaketime";
    }
    return null;
  }

  /** Of each worker. A later option wins over an earlier one. */
  List<String> options() {
    List<String> options =
        new ArrayList<>(
            List.of(
                "--threads=8",
                "--lease=3s",
                "--renew-every=1s",
                "--poll-every=500ms",
                "--drain=10s",
                "--handler-timeout=20s",
                // Nobody's fault but the harness's, where that is not what the scenario is about.
                "--max-lost=1000"));
    for (String option : more) {
      String flag = option.substring(0, option.indexOf('=') + 1);
      options.removeIf(usual -> usual.startsWith(flag));
      options.add(option);
    }
    return options;
  }

  /** The name. */
  @Override
  public String toString() {
    return name;
  }
}
