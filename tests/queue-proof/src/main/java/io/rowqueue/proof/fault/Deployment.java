package io.rowqueue.proof.fault;

import io.rowqueue.internal.schema.QueueSchema;
import io.rowqueue.proof.fault.plugin.HandlingJournal;
import io.rowqueue.tests.process.Checkout;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * A rolling deploy across a schema version, by the order of docs/operations/upgrading.md: the next
 * version migrates while workers of this one run, then they are replaced one after the other. The
 * next injection goes back to this version on the newer schema, and so by turns.
 */
final class Deployment {

  private static final long LONGEST_COMMAND_SECONDS = 120;

  /** The schema does not fit. */
  private static final int REFUSED = 4;

  private Deployment() {}

  /** Deploys the next version, or this one again. */
  static Set<Long> roll(Cluster cluster, RandomGenerator random) throws Exception {
    Path next = cluster.home().resolve("next-worker.jar");
    if (cluster.jar().equals(next)) {
      cluster.deploy(Checkout.workerJar());
    } else {
      if (!Files.exists(next)) {
        migrate(cluster, NextVersion.pack(cluster.home()));
      }
      cluster.deploy(next);
    }
    WorkerFaults.roll(cluster, random);
    long others = cluster.othersThan(NextVersion.NAME, cluster.jar().equals(next));
    if (others > 0) {
      cluster.report(
          "after a deploy of %s, %d workers are of another version"
              .formatted(cluster.jar(), others));
    }
    return Injection.NOBODY;
  }

  /** Refuses to run before it has migrated, and then migrates. */
  private static void migrate(Cluster cluster, Path next) throws IOException, InterruptedException {
    Path handlers = cluster.home().resolve("handlers");
    expect(cluster, REFUSED, command(next, "run", "--once", "--handlers", handlers.toString()));
    expect(cluster, 0, command(next, "migrate"));
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

  private static void expect(Cluster cluster, int code, ProcessBuilder builder)
      throws IOException, InterruptedException {
    String name = builder.command().get(5);
    builder.environment().put("ROWQUEUE_URL", cluster.database().url());
    builder.environment().put(HandlingJournal.VARIABLE, cluster.home().toString());
    builder.redirectOutput(cluster.home().resolve(name + ".log").toFile());
    Process process = builder.start();
    if (!process.waitFor(LONGEST_COMMAND_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
    }
    if (process.exitValue() != code) {
      cluster.report(
          "%s of the next version ended with %d, not %d"
              .formatted(name, process.exitValue(), code));
    }
  }

  /**
   * The release after this one, as far as a schema version makes it: the shipped worker's jar with
   * one migration more, and compiled anew to need it. A worker compiles its version in, so that no
   * option could make one of another.
   */
  static final class NextVersion {

    /** What such a worker calls itself. */
    static final String NAME = "next";

    private static final int KNOWN = QueueSchema.KNOWN_VERSION;
    private static final int NEXT = KNOWN + 1;

    private static final String SCRIPT = "io/rowqueue/migration/V" + NEXT + "__next.sql";

    private static final String DECLARED =
        "queue-core/src/main/java/io/rowqueue/internal/schema/QueueSchema";

    /** Those that have the version compiled in. */
    private static final List<String> USES =
        List.of(
            "queue-core/src/main/java/io/rowqueue/internal/schema/JooqQueueSchema",
            "queue-worker/src/main/java/io/rowqueue/worker/internal/cli/MigrateCommand",
            "queue-worker/src/main/java/io/rowqueue/worker/internal/doctor/SchemaChecks");

    private NextVersion() {}

    static Path pack(Path folder) throws IOException {
      Path jar = Files.copy(Checkout.workerJar(), folder.resolve("next-worker.jar"));
      Path classes = Files.createDirectory(folder.resolve("next-classes"));
      compile(sources(folder), jar, classes);
      try (FileSystem files = FileSystems.newFileSystem(jar);
          Stream<Path> compiled = Files.walk(classes)) {
        for (Path each : compiled.filter(Files::isRegularFile).toList()) {
          Path place = files.getPath(classes.relativize(each).toString());
          Files.delete(place);
          Files.copy(each, place);
        }
        Files.writeString(files.getPath(SCRIPT), script());
        rename(files.getPath("META-INF/MANIFEST.MF"));
      }
      return jar;
    }

    private static List<Path> sources(Path folder) throws IOException {
      String constant = "KNOWN_VERSION = " + KNOWN + ";";
      String source = Files.readString(source(DECLARED));
      if (!source.contains(constant)) {
        throw new IllegalStateException("the version is declared in another way: " + DECLARED);
      }
      List<Path> sources = new ArrayList<>();
      sources.add(
          Files.writeString(
              folder.resolve("QueueSchema.java"),
              source.replace(constant, "KNOWN_VERSION = " + NEXT + ";")));
      USES.forEach(use -> sources.add(source(use)));
      return sources;
    }

    private static Path source(String name) {
      return Checkout.home().resolve(name + ".java");
    }

    private static void compile(List<Path> sources, Path jar, Path classes) {
      List<String> arguments =
          new ArrayList<>(
              List.of("-nowarn", "-proc:none", "-parameters", "-cp", jar.toString(), "-d"));
      arguments.add(classes.toString());
      sources.forEach(source -> arguments.add(source.toString()));
      int failed =
          ToolProvider.getSystemJavaCompiler()
              .run(null, null, null, arguments.toArray(String[]::new));
      if (failed != 0) {
        throw new IllegalStateException("the next version does not compile");
      }
    }

    /** The migration, as a release would ship it. */
    static String script() {
      return Ledger.resource("next.sql")
          .replace("{next}", Integer.toString(NEXT))
          .replace("{known}", Integer.toString(KNOWN));
    }

    private static void rename(Path file) throws IOException {
      Manifest manifest;
      try (InputStream in = Files.newInputStream(file)) {
        manifest = new Manifest(in);
      }
      manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_VERSION, NAME);
      try (OutputStream out = Files.newOutputStream(file)) {
        manifest.write(out);
      }
    }
  }
}
