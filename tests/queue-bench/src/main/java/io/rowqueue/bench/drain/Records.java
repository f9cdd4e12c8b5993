package io.rowqueue.bench.drain;

import io.rowqueue.bench.drain.QueueTable.Work;
import io.rowqueue.message.NewMessage;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Payloads that shrink as records of real life do: names that recur, and numbers that do not.
 *
 * @param texts some that differ, made once
 */
record Records(List<String> texts) implements IntFunction<NewMessage> {

  private static final int DIFFERENT = 64;

  /** Of about {@code bytes} each, the same in every run. */
  static Records of(int bytes) {
    return new Records(
        IntStream.range(0, DIFFERENT).mapToObj(number -> text(number, bytes)).toList());
  }

  private static String text(int number, int bytes) {
    Random random = new Random(number);
    StringBuilder text = new StringBuilder();
    while (text.length() < bytes) {
      text.append(
          "article: %08x, quantity: %d, price: %d.%02d EUR, shelf: %c%d; "
              .formatted(
                  random.nextInt(),
                  1 + random.nextInt(20),
                  random.nextInt(1_000),
                  random.nextInt(100),
                  'A' + random.nextInt(26),
                  random.nextInt(100)));
    }
    return text.substring(0, bytes);
  }

  @Override
  public NewMessage apply(int number) {
    return NewMessage.of(QueueTable.TOPIC, new Work(number, texts.get(number % DIFFERENT)));
  }
}
