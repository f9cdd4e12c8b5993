package io.rowqueue.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;

/**
 * Beside {@code @SpringBootTest}: the application has no worker, and its tests handle messages on
 * their own thread. It needs {@code queue-testkit} with test scope.
 *
 * <p>Beans to inject: {@link io.rowqueue.testkit.TestWorker}, which handles on demand what is
 * committed, in transactions of the application's transaction manager; {@link
 * io.rowqueue.testkit.TestQueue}, whose assertions also see the test's own transaction; and {@link
 * io.rowqueue.testkit.QueueDatabase}, whose {@code clean()} empties the queue.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@TestPropertySource(properties = "rowqueue.worker.enabled=false")
@Import(QueueTestConfiguration.Selector.class)
public @interface QueueTest {

  /**
   * Whether {@link QueueTemplate} handles each message at once, in the transaction that enqueues
   * it: for tests that roll back. A message that is due later, has an ordering key or has no
   * handler stays in the queue; a handler that fails makes the enqueue throw.
   */
  boolean inline() default false;
}
