package io.rowqueue.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a bean, or a method of a bean, the handler of a topic.
 *
 * <ul>
 *   <li>A class implements {@link io.rowqueue.handler.MessageHandler}, {@link
 *       io.rowqueue.handler.ResultHandler} or {@link io.rowqueue.handler.BatchHandler} for a
 *       concrete payload type.
 *   <li>A method takes the payload, and optionally a {@link io.rowqueue.handler.HandlerContext}; or
 *       a {@code List<Delivery<Payload>>}, for batches. What it returns is the result, which {@link
 *       #results} stores.
 * </ul>
 *
 * <p>The handler runs in a transaction of the application's transaction manager, in which its
 * message is deleted. What JPA, JdbcTemplate, jOOQ and {@code @Transactional} methods write there
 * is committed with that deletion, or not at all. An exception, and a transaction that is marked as
 * rollback-only, fail the attempt.
 *
 * <p>With lazy initialization, a bean method has to return the handler's class: of a bean that does
 * not exist yet, Spring knows only the declared type, and the handlers of an interface's
 * implementation are not found.
 *
 * <p>Texts may contain placeholders such as {@code ${orders.timeout}}. Durations are written as in
 * Spring Boot's properties: {@code 30s}, {@code 5m}.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface RowQueueHandler {

  /** The topic; one handler each. */
  String value();

  /** The failed attempts after which a message is dead-lettered; 0 for the worker's default. */
  int attempts() default 0;

  /** The time after which the handler is interrupted; empty for the worker's default. */
  String timeout() default "";

  /** The fixed delay between attempts; empty for exponential backoff with jitter. */
  String backoff() default "";

  /** How many messages one worker handles at once; 0 for as many as it has threads. */
  int threads() default 0;

  /** The maximum number of messages per call of a batch handler; 0 for 100. */
  int batchSize() default 0;

  /**
   * Whether the handler runs in a transaction. If not, no connection is held while it runs, and its
   * effects happen at least once.
   */
  boolean transactional() default true;

  /** How long the result is stored; empty to discard it. */
  String results() default "";

  /** Former names of the topic, whose messages are handled, too. */
  String[] formerTopics() default {};
}
