package io.rowqueue.worker.internal.cli;

import picocli.CommandLine.Option;

/**
 * Picocli's own help options need its variables, which are switched off for the sake of payloads.
 */
@SuppressWarnings("UnusedVariable") // picocli reads them
final class HelpOptions {

  @LineOnly
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this text.")
  private boolean help;

  @LineOnly
  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Show the version.")
  private boolean version;
}
