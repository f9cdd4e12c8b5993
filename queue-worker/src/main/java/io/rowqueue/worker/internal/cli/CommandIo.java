package io.rowqueue.worker.internal.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.lang.ProcessBuilder.Redirect;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a command has around it, so that tests can put something else there. */
record CommandIo(
    Map<String, String> environment,
    InputStream in,
    Output out,
    PrintStream err,
    Secrets secrets,
    ShutdownReport shutdown) {

  CommandIo(Map<String, String> environment, InputStream in, Output out, PrintStream err) {
    this(environment, in, out, err, new Secrets(), new ShutdownReport());
  }

  /** For tests of several class loaders. */
  static CommandIo of(
      Map<String, String> environment, InputStream in, OutputStream out, PrintStream err) {
    return new CommandIo(environment, in, new Output(out, () -> false), err);
  }

  /** UTF-8 whatever the locale: programs read the output. */
  static CommandIo ofProcess() {
    return new CommandIo(
        System.getenv(),
        System.in,
        new Output(
            new FileOutputStream(FileDescriptor.out), () -> Terminal.isPipe(Terminal.OUTPUT)),
        new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8));
  }

  void show(String text) {
    out.show(text);
  }

  /** Prints what a command has done: on standard error where standard output cannot be written. */
  void report(String done) {
    out.report(done, text -> ErrorReport.print(this, text));
  }

  /** Not the components: the environment may hold secrets. */
  @Override
  public String toString() {
    return "Surroundings";
  }

  /** Tells terminals and pipes at the standard streams. */
  static final class Terminal {

    static final int INPUT = 0;
    static final int OUTPUT = 1;
    static final int ERROR = 2;

    private Terminal() {}

    static boolean isAt(int stream) {
      return test("-t", Integer.toString(stream));
    }

    /** Whether a process reads or writes it, or did so. */
    static boolean isPipe(int stream) {
      String file = "/dev/fd/" + stream;
      return test("-p", file) || test("-S", file);
    }

    /** Java cannot tell for each stream; the shell's own test can, where there is one. */
    private static boolean test(String what, String of) {
      try {
        ProcessBuilder builder =
            new ProcessBuilder("test", what, of)
                .redirectInput(Redirect.INHERIT)
                .redirectOutput(Redirect.INHERIT)
                .redirectError(Redirect.INHERIT);
        // It needs nothing from there, and a password may be among it.
        builder.environment().clear();
        Process test = builder.start();
        return test.waitFor(2, TimeUnit.SECONDS) && test.exitValue() == 0;
      } catch (IOException e) {
        return false;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
  }

  /**
   * Standard output, for results. A {@link java.io.PrintStream} hides that nothing can be written,
   * as on a full disk; this remembers it. A pipe whose reader has gone, as with {@code | head}, is
   * no failure. Not thread-safe.
   */
  static final class Output {

    private final OutputStream out;
    private final BooleanSupplier isPipe;
    private @Nullable String failure;
    private boolean toldElsewhere;

    Output(OutputStream out, BooleanSupplier isPipe) {
      this.out = out;
      this.isPipe = isPipe;
    }

    void show(String text) {
      boolean unused = write(text + "\n");
    }

    /** Prints what was done, or gives it to {@code otherwise}. */
    void report(String done, Consumer<String> otherwise) {
      if (!write(done + "\n")) {
        toldElsewhere = true;
        otherwise.accept(done);
      }
    }

    /** For texts of picocli. */
    PrintWriter writer() {
      OutputStream remembering =
          new OutputStream() {
            @Override
            public void write(int value) {
              write(new byte[] {(byte) value}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int from, int length) {
              boolean unused = Output.this.write(bytes, from, length);
            }
          };
      return new PrintWriter(new OutputStreamWriter(remembering, StandardCharsets.UTF_8), true);
    }

    /** What was lost, why, and how to go on; null if nothing was. */
    @Nullable String failure() {
      return failure == null
          ? null
          : "standard output cannot be written (%s); %s"
              .formatted(
                  failure,
                  toldElsewhere
                      ? "what was done is printed above"
                      : "the queue was not changed, so run the command again");
    }

    private boolean write(String text) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      return write(bytes, 0, bytes.length);
    }

    private boolean write(byte[] bytes, int from, int length) {
      try {
        out.write(bytes, from, length);
        out.flush();
        return true;
      } catch (IOException e) {
        if (isPipe.getAsBoolean()) {
          return true;
        }
        failure = e.getMessage();
        return false;
      }
    }
  }

  /**
   * The passwords of this run. No message is built with one; this is the second net, for what a
   * driver or a library says about them. Thread-safe.
   */
  static final class Secrets {

    /** Hiding every "a" of a message would tell more than it hides. */
    private static final int SHORTEST = 4;

    private static final Pattern URL_USER = Pattern.compile("//[^/@\\s]*@");
    private static final Pattern URL_PASSWORD =
        Pattern.compile("(?i)(password\\w*\\s*=\\s*)[^&,;)\\s]*");

    private static final List<Pattern> PASSWORD_PLACES =
        List.of(
            Pattern.compile("//[^:@]*:(.*)@"),
            Pattern.compile(":([^:@]*)@"),
            Pattern.compile("(?i)password\\w*\\s*=([^&]*)"),
            Pattern.compile("(?i)password\\w*\\s*=([^&,)]*)"));

    private final Set<String> values =
        new ConcurrentSkipListSet<>(
            (a, b) -> a.length() == b.length() ? a.compareTo(b) : b.length() - a.length());

    /** Remembers a password; null and what is too short to be hidden are left out. */
    void add(@Nullable String value) {
      if (value != null && value.length() >= SHORTEST) {
        values.add(value);
      }
    }

    String added(String value) {
      add(value);
      return value;
    }

    /**
     * Remembers whatever could be a password in a JDBC URL, as it stands and percent-decoded,
     * however the driver would divide it: its complaint about a URL quotes the part that it does
     * not read.
     */
    void addUrl(@Nullable String url) {
      if (url == null) {
        return;
      }
      for (Pattern place : PASSWORD_PLACES) {
        place.matcher(url).results().forEach(found -> addDecoded(found.group(1)));
      }
    }

    /** Where the driver divides it at a slash, its complaint has a part only. Digits are a port. */
    private void addDecoded(String value) {
      add(value);
      for (String part : value.split("[/?#]", -1)) {
        if (!part.matches("\\d*")) {
          add(part);
        }
      }
      try {
        add(URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8));
      } catch (IllegalArgumentException e) {
        // No percent-encoding; it was added as it stands.
        return;
      }
    }

    /** The text without passwords, and without users and passwords of JDBC URLs. */
    String hide(String text) {
      String hidden = text;
      for (String value : values) {
        hidden = hidden.replace(value, "***");
      }
      hidden = URL_USER.matcher(hidden).replaceAll("//***@");
      return URL_PASSWORD.matcher(hidden).replaceAll("$1***");
    }

    @Override
    public String toString() {
      return "Secrets[" + values.size() + "]";
    }
  }
}
