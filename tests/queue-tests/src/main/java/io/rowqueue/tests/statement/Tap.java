package io.rowqueue.tests.statement;

import java.sql.Connection;
import java.sql.SQLException;

/** Hears of every statement before it is sent, and of every connection before it is taken. */
public interface Tap {

  /** Lets a connection be had, or throws why it cannot. */
  default void opening() throws SQLException {}

  /**
   * Lets it pass, or throws what its sender is told in place of the server's answer.
   *
   * @param real the connection itself, for what the server would have done to it
   */
  default void before(Sent sent, Connection real) throws SQLException {}

  /** Is told of each that failed. */
  default void failed(SQLException failure) {}
}
