package io.rowqueue.worker.internal.cli;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks an option that only the command line gives, because it says what one call is about. From
 * the environment or a file, which serve every command, it would change what nobody asked for.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
@interface LineOnly {}
