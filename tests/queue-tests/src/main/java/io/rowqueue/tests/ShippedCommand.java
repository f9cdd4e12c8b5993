package io.rowqueue.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.process.Checkout;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * The commands of the shipped jar, on a real database: with what is in that jar and nothing else,
 * but in this process, since some two hundred of them would spend most of their time on starting.
 */
public final class ShippedCommand {

  private final QueueDatabase database;

  /** On {@code database}. */
  public ShippedCommand(QueueDatabase database) {
    this.database = database;
  }

  /** What a command said, and how it ended. */
  public record Said(int exitCode, String out, String err) {}

  /** Runs {@code line} to its end. */
  public Said run(String line) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Thread thread = Thread.currentThread();
    ClassLoader own = thread.getContextClassLoader();
    thread.setContextClassLoader(Jar.LOADER);
    try {
      Map<String, String> environment = Map.of("ROWQUEUE_URL", database.url());
      int exitCode = Jar.run(environment, out, print(err), line.split(" "));
      return new Said(exitCode, text(out), text(err));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the jar's command line is another", e);
    } finally {
      thread.setContextClassLoader(own);
    }
  }

  /** The same; it must end well, and say nothing on standard error. */
  public String done(String line) {
    Said said = run(line);
    assertThat(said.exitCode()).as("%s: %s", line, said.err()).isZero();
    assertThat(said.err()).as(line).isEmpty();
    return said.out().strip();
  }

  /** The same; it must end with exit code 1. */
  public Said refused(String line) {
    Said said = run(line);
    assertThat(said.exitCode()).as("%s: %s", line, said.err()).isEqualTo(1);
    return said;
  }

  private static PrintStream print(ByteArrayOutputStream bytes) {
    return new PrintStream(bytes, true, StandardCharsets.UTF_8);
  }

  private static String text(ByteArrayOutputStream bytes) {
    return bytes.toString(StandardCharsets.UTF_8);
  }

  /** What {@code java -jar} would load. */
  private static final class Jar {

    private static final String ROOM = "io.rowqueue.worker.internal.cli.";
    private static final ClassLoader LOADER = loader();

    private static ClassLoader loader() {
      try {
        URL jar = Checkout.workerJar().toUri().toURL();
        ClassLoader loader =
            new URLClassLoader("shipped", new URL[] {jar}, ClassLoader.getPlatformClassLoader());
        // Drivers are looked for once in a process, and this one began with others.
        Class.forName("com.mysql.cj.jdbc.Driver", true, loader);
        return loader;
      } catch (MalformedURLException | ClassNotFoundException e) {
        throw new IllegalStateException("the worker's jar cannot be loaded", e);
      }
    }

    static int run(
        Map<String, String> environment, OutputStream out, PrintStream err, String[] arguments)
        throws ReflectiveOperationException {
      Class<?> io = LOADER.loadClass(ROOM + "CommandIo");
      Class<?> program = LOADER.loadClass(ROOM + "CommandLineProgram");
      Method of =
          io.getDeclaredMethod(
              "of", Map.class, InputStream.class, OutputStream.class, PrintStream.class);
      of.setAccessible(true);
      Object around = of.invoke(null, environment, new ByteArrayInputStream(new byte[0]), out, err);
      Constructor<?> constructor = program.getDeclaredConstructor(io);
      constructor.setAccessible(true);
      Object commands = constructor.newInstance(around);
      Method run = program.getDeclaredMethod("run", String[].class);
      run.setAccessible(true);
      return (int) run.invoke(commands, (Object) arguments);
    }
  }
}
