package io.rowqueue.proof.fault;

import java.util.ArrayList;
import java.util.List;

/**
 * A way for things to go wrong, over and over.
 *
 * @param name as the command line takes it
 * @param what in words
 * @param fault what strikes
 * @param mix what is enqueued meanwhile
 * @param workers how many processes
 * @param more options of theirs, beside those that make times short
 * @param makesDeadlocks whether the fault itself makes the server count deadlocks
 * @param killsServer whether it needs a server that it may kill
 */
record Scenario(
    String name,
    String what,
    Fault fault,
    Mix mix,
    int workers,
    List<String> more,
    boolean makesDeadlocks,
    boolean killsServer) {

  private static final int WORKERS = 3;

  static Scenario of(String name, String what, Fault fault) {
    return new Scenario(name, what, fault, Mix.USUAL, WORKERS, List.of(), false, false);
  }

  Scenario with(Mix other) {
    return new Scenario(name, what, fault, other, workers, more, makesDeadlocks, killsServer);
  }

  Scenario with(String... options) {
    return new Scenario(
        name, what, fault, mix, workers, List.of(options), makesDeadlocks, killsServer);
  }

  Scenario makingDeadlocks() {
    return new Scenario(name, what, fault, mix, workers, more, true, killsServer);
  }

  Scenario killingTheServer() {
    return new Scenario(name, what, fault, mix, workers, more, makesDeadlocks, true);
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
}
