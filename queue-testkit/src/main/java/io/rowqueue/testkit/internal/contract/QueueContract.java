package io.rowqueue.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * The full contract of a queue for workers, producers and operators. RowQueue's own tests run it on
 * MariaDB, on MySQL and on the queue in memory; run it, or one of its parts, on a custom component:
 *
 * <pre>{@code
 * @QueueTest
 * class OurStrategyIT implements ClaimContract {
 *   private ContractQueue queue;
 *   private TestWorker worker;
 *
 *   @BeforeEach
 *   void begin(QueueDatabase database) {
 *     worker = TestWorker.of(database).with(ClaimStrategy.class, new OurStrategy(database));
 *     queue = ContractQueue.of(database, worker);
 *   }
 *
 *   @AfterEach
 *   void end() {
 *     worker.close();
 *   }
 *
 *   @Override
 *   public ContractQueue queue() {
 *     return queue;
 *   }
 * }
 * }</pre>
 */
public interface QueueContract
    extends LifeContract,
        SkipDeadLetterContract,
        LimitContract,
        BatchContract,
        ChainContract,
        ScheduleContract,
        FanOutContract,
        ResultContract,
        DepthContract,
        BodyContract,
        FormerNameContract,
        PropertyContract {

  @Override
  ContractQueue queue();

  @Test
  default void everyFeature_hasItsContract() {
    assertThat(queue().features()).containsExactlyInAnyOrder(Feature.values());
    assertThat(Feature.values()).allMatch(feature -> feature.contract().isInstance(this));
  }
}
