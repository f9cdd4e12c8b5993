package io.rowqueue.worker.internal.cli;

/** The command line's entry point. */
public final class Main {

  private Main() {}

  public static void main(String[] args) {
    if (args.length > 0 && args[0].equals("run")) {
      DaemonOutput.install();
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
