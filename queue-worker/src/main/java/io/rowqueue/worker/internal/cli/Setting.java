package io.rowqueue.worker.internal.cli;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks an option, or a class of options, that the environment and the settings file can give, too.
 * Every other option is taken from the command line only: it says what one call is about, and one
 * file serves all commands.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.FIELD})
@interface Setting {}
