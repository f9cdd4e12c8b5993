package io.rowqueue.operate;

import java.util.Locale;

/** Why a message was dead-lettered. */
public enum DeadLetterReason {
  /** Its last attempt failed. */
  ATTEMPTS_EXHAUSTED,
  /** Its handler threw a permanent failure. */
  PERMANENT_FAILURE,
  /** Its payload or headers cannot be decoded. */
  UNDECODABLE,
  /** Its payload or headers exceed the worker's limits. */
  TOO_LARGE,
  /** Its workers died repeatedly while they had claimed it: it is quarantined. */
  CLAIMS_LOST,
  /** Its handler ended the message's transaction; writes before that are committed. */
  LEFT_TRANSACTION,
  /** Workers could not read it, and had released it for too long. */
  UNREADABLE,
  /** Its payload lacks a wrapper that its handler requires. */
  NOT_WRAPPED,
  /** Its payload is stored separately, and is missing or damaged. */
  BODY_MISSING,
  /**
   * It was handled and rolled back for too long, since the database refused RowQueue's own
   * statements.
   */
  SETTLEMENT_REFUSED;

  /** The name in the {@code reason} column, such as {@code claims-lost}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The reason with the name {@code label}. */
  public static DeadLetterReason ofLabel(String label) {
    return valueOf(label.toUpperCase(Locale.ROOT).replace('-', '_'));
  }
}
