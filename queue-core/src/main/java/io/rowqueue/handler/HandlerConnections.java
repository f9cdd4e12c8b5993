package io.rowqueue.handler;

import static java.lang.annotation.ElementType.FIELD;
import static java.lang.annotation.ElementType.METHOD;
import static java.lang.annotation.ElementType.PARAMETER;
import static java.lang.annotation.RetentionPolicy.RUNTIME;

import io.rowqueue.internal.database.Transactions;
import jakarta.inject.Qualifier;
import java.lang.annotation.Retention;
import java.lang.annotation.Target;

/**
 * Marks the {@link Transactions} in which handlers run. Handlers have their own connections, so
 * that a handler that hoards them cannot starve claims, leases and settlements.
 */
@Qualifier @Retention(RUNTIME)
@Target({FIELD, METHOD, PARAMETER})
public @interface HandlerConnections {}
