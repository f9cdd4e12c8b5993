package io.rowqueue.proof.fault;

import io.rowqueue.proof.fault.plugin.Deed;
import io.rowqueue.testkit.QueueDatabase;
import java.util.HashMap;
import java.util.Map;

/**
 * What the books say of a message.
 *
 * @param line its ordering key; empty without
 */
record Booked(String topic, String what, String line) {

  /** All of them, by their messages' ids. */
  static Map<Long, Booked> all(QueueDatabase database) {
    Map<Long, Booked> booked = new HashMap<>();
    for (String row :
        database.strings(
            "SELECT CONCAT(message_id, ' ', topic, ' ', what, ' ', COALESCE(line, ''))"
                + " FROM enqueued")) {
      String[] words = row.split(" ", -1);
      booked.put(Long.parseLong(words[0]), new Booked(words[1], words[2], words[3]));
    }
    return booked;
  }

  boolean isOutside() {
    return topic.equals(Deed.OUTSIDE);
  }

  /** It returns, but after its time is over. */
  boolean isHanging() {
    return what.equals(Deed.What.HANG.name());
  }
}
