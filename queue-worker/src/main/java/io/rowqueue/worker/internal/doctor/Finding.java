package io.rowqueue.worker.internal.doctor;

import io.rowqueue.internal.text.Humanize;
import java.time.Duration;
import java.util.Objects;

/**
 * The result of a check.
 *
 * @param subject the checked subject, one word that is stable across versions
 * @param severity its severity
 * @param found the observation
 * @param advice the remedy; empty if nothing needs to be done
 */
public record Finding(String subject, Severity severity, String found, String advice) {

  /** Validates that a bad finding has advice. */
  public Finding {
    Objects.requireNonNull(subject, "subject");
    if (severity.compareTo(Severity.WARNING) >= 0 && advice.isEmpty()) {
      throw new IllegalArgumentException("finding on " + subject + " has no advice");
    }
  }

  /** Such as {@code 8 h}; no part is shorter than a second. */
  static String duration(Duration length) {
    return Humanize.duration(Duration.ofSeconds(length.toSeconds()));
  }

  static Finding ok(String subject, String found) {
    return new Finding(subject, Severity.OK, found, "");
  }

  static Finding unknown(String subject, String found, String advice) {
    return new Finding(subject, Severity.UNKNOWN, found, advice);
  }

  static Finding warning(String subject, String found, String advice) {
    return new Finding(subject, Severity.WARNING, found, advice);
  }

  static Finding problem(String subject, String found, String advice) {
    return new Finding(subject, Severity.PROBLEM, found, advice);
  }
}
