package io.rowqueue.bench.pickup;

import com.google.inject.Module;
import io.rowqueue.bench.Bindings;
import io.rowqueue.bench.Bindings.Numbered;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.tests.process.Child;
import io.rowqueue.worker.Worker;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** The worker's process of {@link Pickup}: ten topics, everything else by default. */
final class PickupWorker {

  static final int TOPICS = 10;

  private final Map<Integer, Long> picked = new ConcurrentHashMap<>();

  private PickupWorker() {}

  /** With the queue's URL. */
  public static void main(String[] arguments) throws IOException {
    new PickupWorker().run(arguments[0]);
    System.exit(0);
  }

  static String topic(int number) {
    return "pickup" + number % TOPICS;
  }

  private void run(String url) throws IOException {
    List<Module> bindings =
        Stream.iterate(0, topic -> topic < TOPICS, topic -> topic + 1)
            .map(
                topic ->
                    Bindings.bind(
                        topic(topic),
                        (message, context) -> noted(message, System.nanoTime()),
                        HandlerSettings.defaults()))
            .toList();
    Worker worker = Bindings.start(url, bindings);
    Child.ready("ready");
    Child.awaitEnd();
    worker.close();
    picked.forEach(
        (number, nanos) -> System.out.println(PickupProducer.QUEUE + " " + number + " " + nanos));
  }

  private void noted(Numbered message, long nanos) {
    picked.putIfAbsent(message.number(), nanos);
  }
}
