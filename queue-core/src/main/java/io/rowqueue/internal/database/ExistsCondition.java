package io.rowqueue.internal.database;

import org.jooq.Condition;
import org.jooq.Select;
import org.jooq.impl.DSL;

/**
 * Whether a query has rows. jOOQ's own {@link DSL#exists} has another signature from 3.20 on, which
 * applications with Spring Boot 4.1 have: a call of it would end with a NoSuchMethodError there.
 */
public final class ExistsCondition {

  private ExistsCondition() {}

  /** Whether {@code query} has rows. */
  public static Condition of(Select<?> query) {
    return DSL.condition("exists ({0})", query);
  }
}
