/** A shop that enqueues and handles in Spring's transactions. */
package io.rowqueue.spring.example;
