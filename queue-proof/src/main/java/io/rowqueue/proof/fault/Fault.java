package io.rowqueue.proof.fault;

import java.util.Set;
import java.util.random.RandomGenerator;

/** Something that goes wrong. */
interface Fault {

  /** It hit every process. */
  Set<Long> EVERYBODY = Set.of();

  /** It hit no process: nothing may be handled twice because of it. */
  Set<Long> NOBODY = Set.of(0L);

  /**
   * Strikes, and heals what must be healed before it returns.
   *
   * @param random decides whom, when and for how long, so that a seed repeats it
   * @return the processes that it hit; may be {@link #EVERYBODY} or {@link #NOBODY}
   */
  Set<Long> strike(Rig rig, RandomGenerator random) throws Exception;
}
