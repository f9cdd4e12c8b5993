/** RowQueue in Spring Boot applications: enqueuing, handlers and their worker. */
@NullMarked
package io.rowqueue.spring;

import org.jspecify.annotations.NullMarked;
