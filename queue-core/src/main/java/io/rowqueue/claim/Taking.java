package io.rowqueue.claim;

import java.util.List;
import org.jooq.Condition;
import org.jooq.DSLContext;

/** The statements in which strategies differ. Stateless and thread-safe. */
interface Taking {

  /**
   * Takes, or picks out, up to {@code want.limit()} available messages, in claim order or as near
   * to it as the strategy comes.
   */
  List<Taken> take(DSLContext dsl, Want want);

  /**
   * Gives back, within the transaction, what must be handled alone and was taken beyond what is
   * allowed.
   */
  void leave(DSLContext dsl, List<Taken> left);

  /**
   * Does what is still to be done for the others to be the worker's at the COMMIT.
   *
   * @return those that will be; the rest was only picked out, and somebody else was faster
   */
  List<Taken> keep(DSLContext dsl, ClaimRequest request, List<Taken> kept);

  /**
   * What to take.
   *
   * @param request for whom, of which topic
   * @param limit at most how many
   * @param within which of the available messages of the topic
   */
  record Want(ClaimRequest request, int limit, Condition within) {}
}
