package io.rowqueue.testkit.internal.contract;

/**
 * The life of a message from its enqueuing to its end, including operators' actions: the minimum
 * for every queue.
 */
public interface LifeContract
    extends EnqueueContract,
        DeduplicationContract,
        ClaimContract,
        SettleContract,
        ReapContract,
        DeadLetterContract,
        MessagesContract,
        OrderingKeyContract {

  @Override
  ContractQueue queue();
}
