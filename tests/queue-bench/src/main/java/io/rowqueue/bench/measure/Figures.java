package io.rowqueue.bench.measure;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** What was measured, in ascending order; at least one value. */
public record Figures(List<Double> sorted) {

  /** Of {@code values}, in any order. */
  public static Figures of(Collection<Double> values) {
    if (values.isEmpty()) {
      throw new IllegalStateException("nothing was measured");
    }
    return new Figures(values.stream().sorted().toList());
  }

  /** One figure of each of {@code all}. */
  public static <T> Figures of(Collection<T> all, ToDoubleFunction<T> figure) {
    return of(all.stream().mapToDouble(figure).boxed().toList());
  }

  /** The middle one, the upper of two. */
  public double median() {
    return at(0.5);
  }

  /** The smallest. */
  public double min() {
    return sorted.get(0);
  }

  /** The largest. */
  public double max() {
    return sorted.get(sorted.size() - 1);
  }

  /** The value that this share of all values does not exceed. */
  public double at(double share) {
    return sorted.get((int) Math.min(sorted.size() - 1, (long) (share * sorted.size())));
  }

  /**
   * What it took to get so many messages done: processor time by the operating system (the server's
   * is NaN where that runs on another host), and the counters of the whole server.
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
}
