package io.rowqueue.worker.cli;

/** The command line's entry point. */
public final class Main {

  private Main() {}

  /** Runs the command that {@code args} name and exits with its code. */
  public static void main(String[] args) {
    int code = new CommandLineProgram(Surroundings.ofProcess()).run(args);
    System.exit(code);
  }
}
