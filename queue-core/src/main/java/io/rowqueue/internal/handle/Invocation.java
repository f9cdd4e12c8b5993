package io.rowqueue.internal.handle;

import io.rowqueue.internal.claim.Claim;
import java.io.InputStream;
import java.util.Map;

/**
 * A claim that is ready to be handled: its payload decoded, its headers read.
 *
 * @param claim with its body as the row has it
 * @param handler what handles it
 * @param handling of it, perhaps along with others
 * @param payload decoded; a {@link StreamedPayload} if its handler reads a stream
 * @param headers as they were read
 * @param bytes how many the payload had, unwrapped
 */
record Invocation(
    Claim claim,
    BoundHandler handler,
    Handling handling,
    Object payload,
    Map<String, String> headers,
    int bytes) {

  /** The claim without its body, and with what its handler gave back and wants enqueued. */
  Claim handled() {
    return handling.handled(claim.withoutBody());
  }

  /** The payload of a handler of {@link InputStream}: opened anew each time that it runs. */
  @FunctionalInterface
  interface StreamedPayload {

    InputStream open();
  }
}
