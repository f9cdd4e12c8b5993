package io.rowqueue.worker.internal.cli;

import io.rowqueue.Results;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What a handler gave back, for people and for pipes. */
final class AwaitedResult {

  private AwaitedResult() {}

  /** The result that {@code wait} ends with: UTF-8 as it is kept, and {@code null} for null. */
  static String text(CommandDatabase database, ResultWait wait) {
    try (Results results = Results.over(database.dataSource())) {
      byte[] result = wait.over(results);
      return result == null
          ? "null"
          : TextTable.printable(new String(result, StandardCharsets.UTF_8));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CommandFailure.failed("the wait was broken off; the message goes on", e);
    }
  }

  /** A wait for the bytes of a result. */
  interface ResultWait {
    byte @Nullable [] over(Results results) throws InterruptedException;
  }
}
