package io.rowqueue.testkit;

import com.google.inject.Module;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Gives a test class its own migrated schema on a real server: created before the class, emptied
 * before each method, and dropped or reused afterwards. Classes may run in parallel; the methods of
 * one class run serially, because they share the schema. Nested classes share their outer class's
 * schema.
 *
 * <p>Constructors and methods take a {@link QueueDatabase} and its {@link TestQueue} as parameters.
 * Methods also take objects that are closed after the method:
 *
 * <ul>
 *   <li>a {@link TestWorker}, which processes messages on the test's thread on demand, with a clock
 *       that the test controls;
 *   <li>an {@link InlineProducer}, whose messages are processed in the enqueuing transaction;
 *   <li>a {@link LiveWorker}, which is running, and whose awaits follow its commits;
 *   <li>a {@link io.rowqueue.MessageProducer}, a plain one.
 * </ul>
 *
 * <pre>{@code
 * @QueueTest(OrderModule.class)
 * class OrderHandlerTest {
 *
 *   @Test
 *   void order_placed_sendsAMail(TestQueue queue, TestWorker worker) {
 *     queue.enqueue("order.placed", new OrderPlaced("o-1"));
 *     worker.runOnce();
 *     assertThat(queue).hasEnqueued("email.send").once().andNothingElse();
 *   }
 * }
 * }</pre>
 *
 * <p>The server is an embedded MariaDB, or the one that {@link io.rowqueue.testkit.TestServer} is
 * told to use.
 */
@Target({ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ExtendWith(QueueExtension.class)
@ResourceLock(providers = OneMethodAtOnce.class)
public @interface QueueTest {

  /**
   * The Guice modules with the handlers for a {@link TestWorker}, an {@link InlineProducer} or a
   * {@link LiveWorker}; each has a constructor without parameters, which may be private.
   */
  Class<? extends Module>[] value() default {};
}
