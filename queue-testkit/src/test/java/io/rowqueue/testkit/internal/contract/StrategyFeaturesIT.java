package io.rowqueue.testkit.internal.contract;

import org.junit.jupiter.api.Tag;

/**
 * The features in which a claim strategy has a part, with each of the strategies. Schedules,
 * subscriptions, results and depths have nothing to do with it.
 */
@Tag("full")
class StrategyFeaturesIT extends StrategyContractIT
    implements SkipDeadLetterContract,
        LimitContract,
        BatchContract,
        ChainContract,
        BodyContract,
        FormerNameContract {}
