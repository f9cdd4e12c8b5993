package io.rowqueue.worker.internal.cli;

/** The command line's entry point. */
public final class Main {

  private Main() {}

  /** Runs the command that {@code args} name and exits with its code. */
  public static void main(String[] args) {
    Surroundings surroundings = Surroundings.ofProcess();
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () ->
                    surroundings
                        .shutdown()
                        .requested(text -> ErrorReport.print(surroundings, text)),
                "queue-shutdown"));
    int code = new CommandLineProgram(surroundings).run(args);
    System.exit(code);
  }
}
