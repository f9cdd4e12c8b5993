package io.rowqueue.proof.model;

import java.util.List;

/**
 * The numbers that a step was given, turned into choices one after another. Zero is always the
 * plainest choice, so that shrinking numbers makes steps plainer. Not thread-safe.
 */
final class Choices {

  private final List<Integer> numbers;
  private int next;

  Choices(List<Integer> numbers) {
    this.numbers = numbers;
  }

  /** 0 to {@code bound - 1}. */
  int below(int bound) {
    return next() % bound;
  }

  <T> T of(List<T> options) {
    return options.get(below(options.size()));
  }

  @SafeVarargs
  final <T> T of(T... options) {
    return options[below(options.length)];
  }

  /** Seldom; never for zero. */
  boolean oneIn(int many) {
    return below(many) == many - 1;
  }

  private int next() {
    return next < numbers.size() ? numbers.get(next++) : 0;
  }
}
