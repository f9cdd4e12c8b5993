package io.rowqueue.spring.shop;

/** A payload. */
public record OrderPlaced(String name) {}
