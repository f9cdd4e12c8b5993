package io.rowqueue.proof.fault;

import io.rowqueue.proof.fault.plugin.HandlingJournal;
import io.rowqueue.proof.process.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * A rolling deploy across a schema version, by the order of UPGRADING.md: the next version migrates
 * while workers of this one run, then they are replaced one after the other. The strike after it
 * goes back to this version on the newer schema, and so by turns.
 */
final class Deployment {

  private static final long LONGEST_COMMAND_SECONDS = 120;

  /** The schema does not fit. */
  private static final int REFUSED = 4;

  private Deployment() {}

  /** Deploys the next version, or this one again. */
  static Set<Long> roll(Rig rig, RandomGenerator random) throws Exception {
    Path next = rig.fleet().home().resolve("next-worker.jar");
    if (rig.fleet().jar().equals(next)) {
      rig.fleet().deploy(Checkout.workerJar());
    } else {
      if (!Files.exists(next)) {
        migrate(rig, NextVersion.pack(rig.fleet().home()));
      }
      rig.fleet().deploy(next);
    }
    WorkerFaults.roll(rig, random);
    long others = rig.fleet().othersThan(rig.fleet().jar().equals(next));
    if (others > 0) {
      rig.report(
          "after a deploy of %s, %d workers are of another version"
              .formatted(rig.fleet().jar(), others));
    }
    return Fault.NOBODY;
  }

  /** Refuses to run before it has migrated, and then migrates. */
  private static void migrate(Rig rig, Path next) throws IOException, InterruptedException {
    Path handlers = rig.fleet().home().resolve("handlers");
    expect(rig, REFUSED, command(next, "run", "--once", "--handlers", handlers.toString()));
    expect(rig, 0, command(next, "migrate"));
  }

  private static ProcessBuilder command(Path jar, String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Checkout.java(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-jar",
                jar.toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().keySet().removeIf(variable -> variable.startsWith("ROWQUEUE_"));
    return builder;
  }

  private static void expect(Rig rig, int code, ProcessBuilder builder)
      throws IOException, InterruptedException {
    String name = builder.command().get(5);
    builder.environment().put("ROWQUEUE_URL", rig.database().url());
    builder.environment().put(HandlingJournal.VARIABLE, rig.fleet().home().toString());
    builder.redirectOutput(rig.fleet().home().resolve(name + ".log").toFile());
    Process process = builder.start();
    if (!process.waitFor(LONGEST_COMMAND_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
    }
    if (process.exitValue() != code) {
      rig.report(
          "%s of the next version ended with %d, not %d"
              .formatted(name, process.exitValue(), code));
    }
  }
}
