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
 * Gives a test class a migrated schema of its own on a real server: there before the class, empty
 * of messages before each method, gone or another class's after it. Classes may run in parallel;
 * the methods of one class run one after another, because they share the schema. Nested classes
 * share their outer class's.
 *
 * <p>Constructors and methods take a {@link QueueDatabase} and its {@link TestQueue} as parameters.
 * Methods also take what ends with them:
 *
 * <ul>
 *   <li>a {@link TestWorker}, which handles on the test's thread when it is told to, by a clock
 *       that the test moves;
 *   <li>an {@link InlineProducer}, whose messages are handled in the transaction that enqueues
 *       them;
 *   <li>a {@link LiveWorker}, which is started, and whose awaits follow its commits;
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
   * The Guice modules whose handlers a {@link TestWorker}, an {@link InlineProducer} or a {@link
   * LiveWorker} has; each has a constructor without parameters, which may be private.
   */
  Class<? extends Module>[] value() default {};
}
