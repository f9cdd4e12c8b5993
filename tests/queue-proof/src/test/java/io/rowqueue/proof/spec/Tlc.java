package io.rowqueue.proof.spec;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
  static Verdict check(
      Path specification, String module, Configuration configuration, Path evidence)
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
      return new Verdict(process.waitFor(), Files.readString(said));
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
}
