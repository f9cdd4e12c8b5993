package io.rowqueue.testkit.memory;

import io.rowqueue.testkit.contract.BatchContract;
import io.rowqueue.testkit.contract.BodyContract;
import io.rowqueue.testkit.contract.ChainContract;
import io.rowqueue.testkit.contract.DepthContract;
import io.rowqueue.testkit.contract.FormerNameContract;
import io.rowqueue.testkit.contract.LimitContract;
import io.rowqueue.testkit.contract.ResultContract;

/** All contracts on a queue with a mistake in it, as {@link BrokenQueue} runs the first of them. */
class BrokenFeatures extends BrokenQueue
    implements LimitContract,
        BatchContract,
        ChainContract,
        ResultContract,
        DepthContract,
        BodyContract,
        FormerNameContract {}
