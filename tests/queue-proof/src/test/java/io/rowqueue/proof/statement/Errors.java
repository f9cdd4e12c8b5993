package io.rowqueue.proof.statement;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** What the driver threw, in what others made of it. */
public final class Errors {

  private Errors() {}

  /** The nearest of them. */
  public static SQLException sql(@Nullable Throwable failure) {
    Throwable current = failure;
    while (current != null) {
      if (current instanceof SQLException error) {
        return error;
      }
      current = current.getCause();
    }
    throw new AssertionError("no error of the driver is behind it", failure);
  }
}
