package io.rowqueue.bench.measure;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What it took to get so many messages done.
 *
 * @param messages how many; what is named after "each" is divided by it
 * @param seconds by the clock on the wall
 * @param serverSeconds the server's processor time, from the operating system; NaN where the server
 *     runs on another host
 * @param clientSeconds this process's processor time
 * @param statements what the server was asked, and so the round trips
 * @param rowsRead rows that the server's engine was asked for, on the way to those that count
 * @param lockWaits how often a row lock was waited for
 * @param deadlocks how often somebody was rolled back for one
 */
public record Effort(
    long messages,
    double seconds,
    double serverSeconds,
    double clientSeconds,
    long statements,
    long rowsRead,
    long lockWaits,
    long deadlocks) {

  private static final double MICROS = 1e6;

  /** Messages a second. */
  public double perSecond() {
    return messages / seconds;
  }

  /** The server's processor time for each message, in microseconds. */
  public double serverMicrosEach() {
    return serverSeconds * MICROS / messages;
  }

  /** This process's processor time for each message, in microseconds. */
  public double clientMicrosEach() {
    return clientSeconds * MICROS / messages;
  }

  /** Statements for each message. */
  public double statementsEach() {
    return statements / (double) messages;
  }

  /** Rows read for each message. */
  public double rowsReadEach() {
    return rowsRead / (double) messages;
  }

  /** Lock waits for each message. */
  public double lockWaitsEach() {
    return lockWaits / (double) messages;
  }

  Map<String, Object> sample(String title, String contender, int round) {
    Map<String, Object> sample = new LinkedHashMap<>();
    sample.put("case", title);
    sample.put("contender", contender);
    sample.put("round", round);
    sample.put("messages", messages);
    sample.put("perSecond", perSecond());
    sample.put("serverMicrosEach", serverMicrosEach());
    sample.put("clientMicrosEach", clientMicrosEach());
    sample.put("statementsEach", statementsEach());
    sample.put("rowsReadEach", rowsReadEach());
    sample.put("lockWaitsEach", lockWaitsEach());
    sample.put("deadlocks", deadlocks);
    sample.put("load", Stage.load());
    return sample;
  }
}
