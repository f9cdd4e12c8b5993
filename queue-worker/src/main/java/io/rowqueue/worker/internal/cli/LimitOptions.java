package io.rowqueue.worker.internal.cli;

import io.rowqueue.MessageLimits;
import picocli.CommandLine.Option;

/** How large a message may be. */
@Setting
final class LimitOptions {

  @Option(
      names = "--max-payload-size",
      paramLabel = "SIZE",
      converter = SizeText.class,
      description = "Maximum payload size (default: 4m).")
  private Long maxPayload = 4L << 20;

  @Option(
      names = "--max-header-size",
      paramLabel = "SIZE",
      converter = SizeText.class,
      description = "Maximum size of the headers as JSON (default: 16k).")
  private Long maxHeaders = 16L << 10;

  MessageLimits limits() {
    try {
      return MessageLimits.defaults()
          .withPayloadBytes(bytes("--max-payload-size", maxPayload))
          .withHeadersBytes(bytes("--max-header-size", maxHeaders));
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage(String.valueOf(e.getMessage()));
    }
  }

  private static int bytes(String option, long size) {
    if (size > Integer.MAX_VALUE - 16) {
      throw CommandFailure.usage(option + " must be below 2g");
    }
    return (int) size;
  }
}
