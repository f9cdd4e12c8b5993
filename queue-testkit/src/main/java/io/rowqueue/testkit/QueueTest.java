package io.rowqueue.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Gives a test class a migrated schema of its own on a real server: created before the class, empty
 * of messages before each method, gone after the class. Classes may run in parallel; the methods of
 * one class run one after another, because they share the schema. Nested classes share their outer
 * class's. Constructors and methods take a {@link QueueDatabase} as a parameter.
 *
 * <pre>{@code
 * @QueueTest
 * class OrderHandlerTest {
 *
 *   @Test
 *   void order_twice_isStoredOnce(QueueDatabase database) { ... }
 * }
 * }</pre>
 *
 * <p>The server is an embedded MariaDB, or the one that {@link
 * io.rowqueue.testkit.server.TestServer} is told to use.
 */
@Target({ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ExtendWith(QueueExtension.class)
@ResourceLock(providers = OneMethodAtOnce.class)
public @interface QueueTest {}
