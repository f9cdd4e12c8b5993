package io.rowqueue.testkit.internal.memory;

import io.rowqueue.testkit.internal.contract.BatchContract;
import io.rowqueue.testkit.internal.contract.BodyContract;
import io.rowqueue.testkit.internal.contract.ChainContract;
import io.rowqueue.testkit.internal.contract.DepthContract;
import io.rowqueue.testkit.internal.contract.FormerNameContract;
import io.rowqueue.testkit.internal.contract.LimitContract;
import io.rowqueue.testkit.internal.contract.ResultContract;

/** All contracts on a queue with a mistake in it, as {@link BrokenQueue} runs the first of them. */
class BrokenFeatures extends BrokenQueue
    implements LimitContract,
        BatchContract,
        ChainContract,
        ResultContract,
        DepthContract,
        BodyContract,
        FormerNameContract {}
