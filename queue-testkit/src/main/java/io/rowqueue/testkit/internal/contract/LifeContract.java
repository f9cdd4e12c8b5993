package io.rowqueue.testkit.internal.contract;

/**
 * The life of a message from its enqueuing to its end, with its operators' part in it: what every
 * queue does, whatever else it has.
 */
public interface LifeContract
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
