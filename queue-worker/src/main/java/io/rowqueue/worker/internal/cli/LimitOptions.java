package io.rowqueue.worker.internal.cli;

import io.rowqueue.MessageLimits;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How large a message may be. */
final class LimitOptions {

  @Option(
      names = "--max-payload-size",
      paramLabel = "SIZE",
      converter = SizeText.class,
      description = "The largest payload (default: 4m).")
  private @Nullable Long maxPayload;

  @Option(
      names = "--max-header-size",
      paramLabel = "SIZE",
      converter = SizeText.class,
      description = "The largest headers, as JSON (default: 16k).")
  private @Nullable Long maxHeaders;

  MessageLimits limits() {
    MessageLimits limits = MessageLimits.defaults();
    limits =
        Changed.by(
            limits, bytes("--max-payload-size", maxPayload), MessageLimits::withPayloadBytes);
    return Changed.by(
        limits, bytes("--max-header-size", maxHeaders), MessageLimits::withHeadersBytes);
  }

  private static @Nullable Integer bytes(String option, @Nullable Long size) {
    if (size != null && size > Integer.MAX_VALUE - 16) {
      throw CommandFailure.usage(option + " must be below 2g");
    }
    return size == null ? null : size.intValue();
  }
}
