package io.rowqueue.bench.inprocess;

import io.rowqueue.claim.ClaimStore;
import io.rowqueue.claim.Survey;
import io.rowqueue.message.Topic;
import java.util.List;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;

/** {@link ClaimCost} of one message, and the look at ten topics that comes before it. */
public class ClaimOfOne extends ClaimCost {

  private static final List<Topic> TEN =
      IntStream.range(0, 10).mapToObj(number -> new Topic("cost" + number)).toList();

  private final ClaimStore store = injector.getInstance(ClaimStore.class);

  /** For JMH. */
  public ClaimOfOne() {
    super(1);
  }

  /** What an idle worker asks when it is woken. */
  @Benchmark
  public Survey look() {
    return store.survey(TEN);
  }
}
