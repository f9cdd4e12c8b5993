package io.rowqueue.internal.handle;

import io.rowqueue.internal.claim.Claim;
import java.io.InputStream;
import java.util.Map;

/**
 * A claim that is ready to be handled: its payload decoded, its headers parsed.
 *
 * @param claim with its body as stored in the row
 * @param handler its handler
 * @param handling of this message, possibly together with others
 * @param payload decoded; a {@link StreamedPayload} if its handler reads a stream
 * @param headers the parsed headers
 * @param bytes the size of the unwrapped payload
 */
record Invocation(
    Claim claim,
    BoundHandler handler,
    Handling handling,
    Object payload,
    Map<String, String> headers,
    int bytes) {

  /** The claim without its body, but with the handler's result and the messages to enqueue. */
  Claim handled() {
    return handling.handled(claim.withoutBody());
  }

  /** The payload of a handler of {@link InputStream}: opened anew each time that it runs. */
  @FunctionalInterface
  interface StreamedPayload {

    InputStream open();
  }
}
