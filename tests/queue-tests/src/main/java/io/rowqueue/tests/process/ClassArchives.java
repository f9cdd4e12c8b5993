package io.rowqueue.tests.process;

import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.process.KillProbe.Moment;
import io.rowqueue.tests.process.NothingHandler.NothingModule;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What Java has loaded once for the shipped worker and for the tests' own programs, so that each of
 * hundreds of them starts in half the time. Made by a run of each that ends in good order, at the
 * first use in this JVM. Where Java makes none, they start as ever.
 */
public final class ClassArchives {

  private static final int LONGEST_SECONDS = 120;

  private ClassArchives() {}

  /** What the worker's Java is told. */
  public static List<String> ofWorker() {
    return Worker.OPTIONS;
  }

  /** What the Java of a program with {@link #classPath} is told. */
  static List<String> ofPrograms() {
    return Programs.OPTIONS;
  }

  /** This program's, where folders are packed as jars: there are no archives of folders. */
  static String classPath() {
    return Programs.CLASS_PATH;
  }

  private static final class Worker {
    static final List<String> OPTIONS = make();

    private static List<String> make() {
      try (QueueDatabase database = QueueDatabase.create()) {
        Path folder = folder();
        Path plugins = Files.createDirectory(folder.resolve("plugins"));
        PluginJar.pack(NothingModule.class, plugins.resolve("nothing.jar"));
        MessageProducer.create()
            .enqueue(
                database.dataSource(),
                NewMessage.of(NothingHandler.TOPIC, new NothingHandler.Nothing()));
        Path archive = folder.resolve("worker.jsa");
        ProcessBuilder run = Processes.worker(makes(archive), database.url(), plugins, "--once");
        return uses(archive, run);
      } catch (IOException | InterruptedException e) {
        throw new IllegalStateException("the worker's archive cannot be made", e);
      }
    }
  }

  private static final class Programs {
    static final String CLASS_PATH = pack();
    static final List<String> OPTIONS = make();

    private static String pack() {
      return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
          .map(Path::of)
          .map(each -> Files.isDirectory(each) ? jar(each) : each)
          .map(Path::toString)
          .collect(Collectors.joining(File.pathSeparator));
    }

    /** Of a producer at whose COMMIT nobody waits. */
    private static List<String> make() {
      try (QueueDatabase database = QueueDatabase.create();
          ServerSocket nobody = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        new Ledgers(database).open();
        Path archive = folder().resolve("programs.jsa");
        ProcessBuilder run =
            Processes.program(makes(archive), Program.class, database.url(), "produce");
        run.environment().put(KillProbe.TRANSITION, Transition.CLAIM.name());
        run.environment().put(KillProbe.MOMENT, Moment.BEFORE.name());
        run.environment().put(KillProbe.PORT, Integer.toString(nobody.getLocalPort()));
        return uses(archive, run);
      } catch (IOException | InterruptedException e) {
        throw new IllegalStateException("the programs' archive cannot be made", e);
      }
    }
  }

  private static Path folder() throws IOException {
    Path folder = Files.createTempDirectory("rowqueue-archives");
    Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
    return folder;
  }

  private static void delete(Path folder) {
    try (Stream<Path> all = Files.walk(folder)) {
      List<Path> deepestFirst = new ArrayList<>(all.toList());
      Collections.reverse(deepestFirst);
      for (Path each : deepestFirst) {
        Files.delete(each);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path jar(Path classes) {
    try (Stream<Path> all = Files.walk(classes)) {
      Path file = folder().resolve("classes.jar");
      try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(file))) {
        for (Path each : List.copyOf(all.filter(Files::isRegularFile).toList())) {
          jar.putNextEntry(new JarEntry(classes.relativize(each).toString()));
          Files.copy(each, jar);
        }
      }
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> makes(Path archive) {
    return List.of("-XX:ArchiveClassesAtExit=" + archive, "-Xlog:cds=off", "-Xlog:cds+dynamic=off");
  }

  private static List<String> uses(Path archive, ProcessBuilder run)
      throws IOException, InterruptedException {
    Process process = run.redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    if (process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS) && Files.exists(archive)) {
      return List.of("-XX:SharedArchiveFile=" + archive, "-Xlog:cds=off", "-Xlog:class+path=off");
    }
    process.destroyForcibly();
    System.err.println("NO ARCHIVE OF CLASSES WAS MADE: " + run.command());
    return List.of();
  }
}
