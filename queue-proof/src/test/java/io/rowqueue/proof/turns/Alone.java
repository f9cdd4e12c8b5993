package io.rowqueue.proof.turns;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A test class that changes or counts what all of a server share, or measures how long nothing
 * happens: no other class of this module runs meanwhile, in whichever JVM of the build.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface Alone {}
