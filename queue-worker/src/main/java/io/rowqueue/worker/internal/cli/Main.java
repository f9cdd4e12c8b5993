package io.rowqueue.worker.internal.cli;

import java.util.Locale;

/** The command line's entry point. */
public final class Main {

  private Main() {}

  public static void main(String[] args) {
    if (args.length > 0 && args[0].equals("run")) {
      DaemonOutput.install();
    } else {
      // English texts have no digits of another language. Handlers keep the host's locale.
      Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
    }
    CommandIo io = CommandIo.ofProcess();
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> io.shutdown().requested(text -> ErrorReport.print(io, text)),
                "queue-shutdown"));
    int code = new CommandLineProgram(io).run(args);
    System.exit(code);
  }
}
