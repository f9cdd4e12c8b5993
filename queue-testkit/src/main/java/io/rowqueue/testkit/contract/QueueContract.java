package io.rowqueue.testkit.contract;

/**
 * Everything that a queue does for its workers, producers and operators. RowQueue's own tests run
 * it on the queue in memory, on MariaDB and on MySQL; a team runs it, or one of the contracts that
 * it is made of, on a room of its own:
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
    extends EnqueueContract,
        DeduplicationContract,
        ClaimContract,
        SettleContract,
        ReapContract,
        DeadLetterContract,
        MessagesContract,
        LineContract {

  @Override
  ContractQueue queue();
}
