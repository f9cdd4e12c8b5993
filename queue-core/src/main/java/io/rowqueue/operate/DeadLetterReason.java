package io.rowqueue.operate;

import java.util.Locale;

/** Why a message was set aside. */
public enum DeadLetterReason {
  /** Its last attempt failed. */
  ATTEMPTS_EXHAUSTED,
  /** Its handler said that no attempt can succeed. */
  PERMANENT_FAILURE,
  /** Its payload or headers cannot be decoded. */
  UNDECODABLE,
  /** Its payload or headers exceed the worker's limits. */
  TOO_LARGE,
  /** Its claims kept dying with their workers: it is quarantined. */
  CLAIMS_LOST,
  /**
   * Its handler ended the message's transaction by itself; what it wrote before that is committed.
   */
  LEFT_TRANSACTION,
  /** A worker could not read it yet, and had given it back for long. */
  UNREADABLE,
  /** Its payload lacks a wrapper that its handler requires. */
  NOT_WRAPPED,
  /** Its payload lies beside its row, and is not there, or is not what was written. */
  BODY_MISSING,
  /** It was handled and rolled back for long, since the database refused RowQueue's own part. */
  SETTLEMENT_REFUSED;

  /** The name as the {@code reason} column holds it, such as {@code claims-lost}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The reason that {@code label} names. */
  public static DeadLetterReason ofLabel(String label) {
    return valueOf(label.toUpperCase(Locale.ROOT).replace('-', '_'));
  }
}
