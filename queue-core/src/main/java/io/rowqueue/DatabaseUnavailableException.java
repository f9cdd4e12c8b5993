package io.rowqueue;

/** The database cannot be reached, or refused a statement permanently. */
public final class DatabaseUnavailableException extends QueueException {

  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what was being done, and the database's error
   * @param cause the cause
   */
  public DatabaseUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
