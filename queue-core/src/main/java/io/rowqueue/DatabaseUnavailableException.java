package io.rowqueue;

/** The database did not do its part: it cannot be reached, or refused a statement for good. */
public final class DatabaseUnavailableException extends QueueException {

  private static final long serialVersionUID = 1L;

  /** Says what was being done and what the database answered. */
  public DatabaseUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
