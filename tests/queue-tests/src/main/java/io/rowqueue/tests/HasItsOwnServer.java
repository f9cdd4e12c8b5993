package io.rowqueue.tests;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** On the second server of a whole build it would be the same once more. */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@DisabledIfSystemProperty(
    named = SecondServer.PROPERTY,
    matches = "true",
    disabledReason = "it starts a MariaDB of its own, whatever server the others run on")
public @interface HasItsOwnServer {}
