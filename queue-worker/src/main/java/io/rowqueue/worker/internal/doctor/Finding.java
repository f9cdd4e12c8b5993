package io.rowqueue.worker.internal.doctor;

import java.util.Objects;

/**
 * What the doctor has found of one thing.
 *
 * @param subject what was looked at, as one word that stays from version to version
 * @param severity how bad it is
 * @param found what was found
 * @param advice what to do about it; empty if there is nothing to do
 */
public record Finding(String subject, Severity severity, String found, String advice) {

  /** Checks that a bad finding comes with advice. */
  public Finding {
    Objects.requireNonNull(subject, "subject");
    if (severity.compareTo(Severity.WARNING) >= 0 && advice.isEmpty()) {
      throw new IllegalArgumentException("finding on " + subject + " says nothing to do");
    }
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
