package io.rowqueue.example.report;

/**
 * The wish for a report; the payload of topic {@code report.make}.
 *
 * @param hours how many hours it looks back, at least 1
 */
public record MakeReport(int hours) {

  /** Where these are enqueued. */
  public static final String TOPIC = "report.make";
}
