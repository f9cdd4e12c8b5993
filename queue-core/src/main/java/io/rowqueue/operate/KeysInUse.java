package io.rowqueue.operate;

import java.util.List;

/**
 * Which keys still have something to open, for whoever wants to take one out of a keyset: what
 * waits or is handled, dead letters, kept copies, results, schedules, steps of chains and
 * completion messages of batches. Needs no keyset. Thread-safe.
 */
public interface KeysInUse {

  /**
   * Walks through every table that holds payloads, a thousand rows a read, without locks and
   * without reading payloads. It does not see what is not committed, and may miss or count twice
   * what moves from one table to another meanwhile: a key is out of use when nobody seals with it
   * any more and a walk that began after that finds none.
   *
   * @return by key and table, those without a key last; empty if nothing is sealed
   * @throws io.rowqueue.QueueException if the database fails
   */
  List<KeyUse> find();
}
