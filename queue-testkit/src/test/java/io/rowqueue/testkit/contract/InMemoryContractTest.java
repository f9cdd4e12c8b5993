package io.rowqueue.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.database.Transaction;
import io.rowqueue.enqueue.BatchProducer;
import io.rowqueue.enqueue.ChainProducer;
import io.rowqueue.message.BatchSettings;
import io.rowqueue.message.Chain;
import io.rowqueue.operate.Topics;
import io.rowqueue.testkit.InMemoryQueue;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The same contracts as on the servers, of all that there is in memory. */
class InMemoryContractTest
    implements LifeContract, SetAsideContract, ScheduleContract, FanOutContract, ResultContract {

  private final ContractQueue queue = ContractQueue.of(InMemoryQueue.of());

  @Override
  public ContractQueue queue() {
    return queue;
  }

  @Test
  void features_areThoseWhoseContractsAreRun() {
    for (Feature feature : Feature.values()) {
      assertThat(queue.features().contains(feature))
          .as(feature.name())
          .isEqualTo(feature.contract().isInstance(this));
    }
  }

  @Test
  void features_thatItLacks_areRefusedInWords() {
    Map<Feature, ThrowingCallable> uses = new EnumMap<>(Feature.class);
    uses.put(Feature.LIMITS, () -> queue.room(Topics.class).limitKeyInFlight(Scene.ORDERS, 2));
    uses.put(Feature.DEPTH, () -> queue.room(Topics.class).limitDepth(Scene.ORDERS, 2));
    uses.put(Feature.BATCHES, () -> new Scene(queue).commit(this::openBatch));
    uses.put(Feature.CHAINS, () -> new Scene(queue).commit(this::beginChain));
    assertThat(uses.keySet()).isEqualTo(EnumSet.complementOf(EnumSet.copyOf(queue.features())));
    uses.forEach(
        (feature, use) ->
            assertThatThrownBy(use)
                .as(feature.name())
                .hasMessageContaining("a queue in memory has no "));
    assertThat(queue.look().messages()).isEmpty();
  }

  private void openBatch(Transaction tx) {
    queue.room(BatchProducer.class).open(tx.connection(), BatchSettings.defaults());
  }

  private void beginChain(Transaction tx) {
    queue.room(ChainProducer.class).enqueue(tx.connection(), Chain.of(Scene.order("tea")));
  }
}
