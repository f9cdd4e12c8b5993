package io.rowqueue.internal.handle;

import io.rowqueue.internal.claim.Claim;
import org.slf4j.MDC;

/** Adds the message's identity to every log line of its handling. */
final class LogContext {

  private LogContext() {}

  static void enter(Claim claim) {
    MDC.put("message", claim.id().toString());
    MDC.put("topic", claim.topic().name());
    MDC.put("attempt", Integer.toString(claim.attempts() + 1));
    MDC.put("worker", claim.lockId().value());
  }

  static void leave() {
    MDC.remove("message");
    MDC.remove("topic");
    MDC.remove("attempt");
    MDC.remove("worker");
  }
}
