package io.rowqueue.operate;

import java.util.List;

/**
 * Finds encryption keys that stored payloads still need, so that an operator can remove the others
 * from the keyset. Covers messages, dead letters, archived copies, results, schedules, steps of
 * chains and completion messages of batches. Needs no keyset. Thread-safe.
 */
public interface KeysInUse {

  /**
   * Scans every table that holds payloads, a thousand rows per query, without locks and without
   * reading payloads. Does not see uncommitted rows. May miss a payload that moves to another table
   * during the scan, or count it twice. A key is out of use if no process encrypts with it any more
   * and a scan that began after that does not find it.
   *
   * @return ordered by key and table, those without a key last; empty if no payload is encrypted
   * @throws io.rowqueue.QueueException if the database fails
   */
  List<KeyUse> find();
}
