package io.rowqueue.tests;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.sql.Connection;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A test of each isolation level that producers use; its first parameter is the level. */
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest
@ValueSource(ints = {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ})
public @interface EachIsolation {}
