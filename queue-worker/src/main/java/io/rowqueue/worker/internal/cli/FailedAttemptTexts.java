package io.rowqueue.worker.internal.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rowqueue.operate.FailedAttempt;
import java.util.List;

/** Failed attempts for people, and as JSON whose names are kept from version to version. */
final class FailedAttemptTexts {

  private FailedAttemptTexts() {}

  /** A paragraph each, with what parts it from the text before. */
  static String of(List<FailedAttempt> attempts) {
    StringBuilder text = new StringBuilder();
    for (FailedAttempt attempt : attempts) {
      text.append(
          "\n\nAttempt %d failed at %s, claim %d of %s:\n"
              .formatted(
                  attempt.attempt(), attempt.failedAt(), attempt.claimNumber(), attempt.worker()));
      text.append(TextTable.indented(error(attempt)));
    }
    return text.toString();
  }

  /** The trace begins with class and message, unless there is none. */
  private static String error(FailedAttempt attempt) {
    return attempt.trace().isBlank()
        ? attempt.errorClass() + ": " + attempt.errorMessage()
        : attempt.trace();
  }

  static void fill(ObjectNode root, List<FailedAttempt> attempts) {
    ArrayNode nodes = root.putArray("failedAttempts");
    for (FailedAttempt attempt : attempts) {
      ObjectNode node = nodes.addObject();
      node.put("attempt", attempt.attempt());
      node.put("claimNumber", attempt.claimNumber());
      node.put("worker", attempt.worker());
      node.put("failedAt", attempt.failedAt().toString());
      node.put("errorClass", attempt.errorClass());
      node.put("errorMessage", attempt.errorMessage());
      node.put("trace", attempt.trace());
    }
  }
}
