package io.rowqueue.spring.example;

/** The payload of both topics. */
record OrderPlaced(long orderId) {}
