package io.rowqueue.proof.statement;

import io.rowqueue.database.Transition;
import io.rowqueue.testkit.QueueDatabase;
import java.util.Map;
import java.util.TreeMap;

/** What each transition sends to the server, as {@code docs/protocol.md} shows it. */
public final class ProtocolSql {

  private ProtocolSql() {}

  /** Runs every transition once, on {@code database}. */
  public static Map<Transition, String> of(QueueDatabase database) {
    Map<Transition, String> sql = new TreeMap<>();
    try (Theatre theatre = new Theatre(database)) {
      for (Play play : Plays.all()) {
        if (play.onPage()) {
          sql.merge(
              play.transition(),
              text(play, theatre.perform(play)),
              (before, now) -> before + "\n" + now);
        }
      }
    }
    return Map.copyOf(sql);
  }

  private static String text(Play play, Performance performance) {
    String text = SqlText.of(performance.sent().stream().map(Sent::sql).toList());
    return play.variant().isEmpty() ? text : "-- " + play.variant() + "\n" + text;
  }
}
