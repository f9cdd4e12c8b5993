package io.rowqueue;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The version of a payload type. Producers store it in the message's headers, and workers with an
 * older type leave the message to others. A type without it has version 1, and so has a row without
 * the header, such as one inserted by plain SQL.
 *
 * <p>Looked up on the payload's class, then its superclasses and interfaces, in that order.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface PayloadVersion {

  /** 1 to 9,999; increment it whenever older workers would misread new payloads. */
  int value();
}
