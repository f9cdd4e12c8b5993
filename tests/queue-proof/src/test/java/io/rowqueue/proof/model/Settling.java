package io.rowqueue.proof.model;

import io.rowqueue.claim.ClaimLostException;
import io.rowqueue.claim.ClaimStore;
import io.rowqueue.database.Transactions;
import io.rowqueue.database.Transition;
import io.rowqueue.deadletter.DeadLetterReason;
import io.rowqueue.settle.Settler;
import java.time.Duration;
import java.util.List;

/** The ways to end a claim, or to mark it started; each says whether the claim was still held. */
enum Settling {
  ACK_GROUPED {
    @Override
    boolean really(Protocol protocol, Held held) {
      return protocol.get(Settler.class).ackAll(List.of(held.claim())) == 1;
    }

    @Override
    boolean inModel(Model model, Held held) {
      return model.ack(held);
    }
  },
  ACK_IN_TRANSACTION {
    @Override
    boolean really(Protocol protocol, Held held) {
      return unlessLost(
          () ->
              protocol
                  .get(Transactions.class)
                  .run(
                      Transition.ACK,
                      tx -> {
                        protocol.get(Settler.class).ack(tx, held.claim());
                        return held;
                      }));
    }

    @Override
    boolean inModel(Model model, Held held) {
      return model.ack(held);
    }
  },
  RETRY {
    @Override
    boolean really(Protocol protocol, Held held) {
      return protocol.get(Settler.class).retry(held.claim(), World.ERROR, Model.BACKOFF);
    }

    @Override
    boolean inModel(Model model, Held held) {
      return model.retry(held, ERROR, Model.BACKOFF);
    }
  },
  RETRY_AT_ONCE {
    @Override
    boolean really(Protocol protocol, Held held) {
      return protocol.get(Settler.class).retry(held.claim(), World.ERROR, Duration.ZERO);
    }

    @Override
    boolean inModel(Model model, Held held) {
      return model.retry(held, ERROR, Duration.ZERO);
    }
  },
  RELEASE {
    @Override
    boolean really(Protocol protocol, Held held) {
      return protocol.get(Settler.class).release(held.claim(), WAIT);
    }

    @Override
    boolean inModel(Model model, Held held) {
      return model.release(held, WAIT);
    }
  },
  RELEASE_AT_ONCE {
    @Override
    boolean really(Protocol protocol, Held held) {
      return protocol.get(Settler.class).releaseAll(List.of(held.claim())) == 1;
    }

    @Override
    boolean inModel(Model model, Held held) {
      return model.release(held, Duration.ZERO);
    }
  },
  DEAD_LETTER {
    @Override
    boolean really(Protocol protocol, Held held) {
      return protocol.get(Settler.class).deadLetter(held.claim(), REASON, World.ERROR);
    }

    @Override
    boolean inModel(Model model, Held held) {
      return model.deadLetter(held, REASON, ERROR);
    }
  },
  HAND_BACK {
    @Override
    boolean really(Protocol protocol, Held held) {
      return protocol.get(ClaimStore.class).handBack(List.of(held.claim())) == 1;
    }

    @Override
    boolean inModel(Model model, Held held) {
      return model.handBack(held);
    }
  },
  START {
    @Override
    boolean really(Protocol protocol, Held held) {
      return unlessLost(() -> protocol.get(ClaimStore.class).start(held.claim()));
    }

    @Override
    boolean inModel(Model model, Held held) {
      return model.start(held);
    }
  };

  private static final Duration WAIT = Duration.ofSeconds(1);
  private static final DeadLetterReason REASON = DeadLetterReason.PERMANENT_FAILURE;
  private static final String ERROR = World.ERROR.summary();

  /** Does it; whether the protocol says that the claim was held. */
  abstract boolean really(Protocol protocol, Held held);

  /** Does it in the model; whether the claim was held. */
  abstract boolean inModel(Model model, Held held);

  /** Does it in both, and checks that both say the same. */
  final boolean inBoth(World world, Held held) {
    boolean ended = really(world.protocol, held);
    world.answered(this + " found the claim held", ended, inModel(world.model, held));
    world.happened(this + (ended ? "" : " is lost"));
    return ended;
  }

  private static boolean unlessLost(Runnable action) {
    try {
      action.run();
      return true;
    } catch (ClaimLostException e) {
      return false;
    }
  }

  @Override
  public String toString() {
    return Words.of(this);
  }
}
