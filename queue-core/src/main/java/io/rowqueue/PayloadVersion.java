package io.rowqueue;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Which version of its payload a type is. Producers note it in the message's headers, and workers
 * that have an older type leave the message to others. A type without it is version 1; so is a row
 * without the header, such as plain SQL inserts.
 *
 * <p>Stands on the payload's class, a superclass or an interface of it, asked in that order.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface PayloadVersion {

  /** 1 to 9,999; one more whenever older workers would misread what is written from now on. */
  int value();
}
