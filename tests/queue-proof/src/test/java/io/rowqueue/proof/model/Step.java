package io.rowqueue.proof.model;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One step before it is played: what kind, and the numbers that become its choices. What exactly it
 * does depends on where the play stands by then; the same steps always make the same play.
 */
record Step(Action deed, List<Integer> numbers) {

  private static final int NUMBERS = 5;
  private static final int BOUND = 60;

  Step {
    numbers = List.copyOf(numbers);
  }

  static Step random(RandomGenerator random) {
    return new Step(
        Action.random(random),
        IntStream.range(0, NUMBERS).mapToObj(i -> random.nextInt(BOUND)).toList());
  }

  /** Such as {@code claim.1.0.3}. */
  static Step parse(String text) {
    List<String> parts = Arrays.asList(text.strip().split("\\.", -1));
    return new Step(
        Action.valueOf(parts.get(0).toUpperCase(Locale.ROOT).replace('-', '_')),
        parts.stream().skip(1).map(Integer::valueOf).toList());
  }

  static List<Step> parseAll(String text) {
    return Stream.of(text.strip().split("[,\\s]+", -1)).map(Step::parse).toList();
  }

  static String text(List<Step> steps) {
    return steps.stream().map(Step::toString).collect(Collectors.joining(","));
  }

  @Override
  public String toString() {
    int used = numbers.size();
    while (used > 0 && numbers.get(used - 1) == 0) {
      used--;
    }
    return Stream.concat(
            Stream.of(deed.toString()), numbers.stream().limit(used).map(String::valueOf))
        .collect(Collectors.joining("."));
  }

  /** A constant's name for the script, such as "ack grouped". */
  static String words(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
