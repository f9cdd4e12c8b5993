package io.rowqueue.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives a test class a migrated schema of its own on a real server, empty before each method and
 * gone after the class. Parameters of type {@link QueueDatabase} are injected.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(QueueExtension.class)
public @interface QueueTest {}
