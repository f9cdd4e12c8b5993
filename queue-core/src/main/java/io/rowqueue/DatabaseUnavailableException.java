package io.rowqueue;

/** The database cannot be reached, or refused a statement permanently. */
public final class DatabaseUnavailableException extends QueueException {

  /** The message says what was being done, and the database's error. */
  public DatabaseUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
