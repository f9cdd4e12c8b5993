package io.rowqueue.proof.fault;

import java.util.Set;
import java.util.random.RandomGenerator;

/** Something that goes wrong. */
interface Fault {

  /**
   * Strikes, and heals what must be healed before it returns.
   *
   * @param random decides whom, when and for how long, so that a seed repeats it
   * @return the processes that it hit; empty if all
   */
  Set<Long> strike(Rig rig, RandomGenerator random) throws Exception;
}
