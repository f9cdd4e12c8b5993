package io.rowqueue.proof.fault;

import io.rowqueue.proof.process.Checkout;
import io.rowqueue.schema.QueueSchema;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * The release after this one, as far as a schema version makes it: the shipped worker's jar with
 * one migration more, and compiled anew to need it. A worker compiles its version in, so that no
 * option could make one of another.
 */
final class NextVersion {

  /** What such a worker calls itself. */
  static final String NAME = "next";

  private static final int KNOWN = QueueSchema.KNOWN_VERSION;
  private static final int NEXT = KNOWN + 1;

  private static final String SCRIPT = "io/rowqueue/migration/V" + NEXT + "__next.sql";

  private static final String DECLARED = "queue-core/src/main/java/io/rowqueue/schema/QueueSchema";

  /** Those that have the version compiled in. */
  private static final List<String> USES =
      List.of(
          "queue-core/src/main/java/io/rowqueue/schema/JooqQueueSchema",
          "queue-worker/src/main/java/io/rowqueue/worker/cli/MigrateCommand",
          "queue-worker/src/main/java/io/rowqueue/worker/doctor/SchemaChecks");

  private NextVersion() {}

  /** Makes its jar in {@code folder}. */
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
  static String script() throws IOException {
    try (InputStream text =
        Objects.requireNonNull(NextVersion.class.getResourceAsStream("next.sql"))) {
      return new String(text.readAllBytes(), StandardCharsets.UTF_8)
          .replace("{next}", Integer.toString(NEXT))
          .replace("{known}", Integer.toString(KNOWN));
    }
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
