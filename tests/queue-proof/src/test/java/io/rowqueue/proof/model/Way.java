package io.rowqueue.proof.model;

import io.rowqueue.claim.ClaimSettings;
import io.rowqueue.claim.ClaimStrategy.Kind;
import java.util.Locale;

/** A strategy, with or without the cursor. */
enum Way {
  SKIP_LOCKED(Kind.SKIP_LOCKED, false),
  UPDATE_LIMIT(Kind.UPDATE_LIMIT, false),
  OPTIMISTIC(Kind.OPTIMISTIC, false),
  LAST_INSERT_ID(Kind.LAST_INSERT_ID, false),
  SKIP_LOCKED_ABOVE_MARKS(Kind.SKIP_LOCKED, true),
  UPDATE_LIMIT_ABOVE_MARKS(Kind.UPDATE_LIMIT, true);

  private final Kind kind;
  private final boolean cursor;

  Way(Kind kind, boolean cursor) {
    this.kind = kind;
    this.cursor = cursor;
  }

  ClaimSettings settings() {
    return new ClaimSettings(kind, cursor);
  }

  /** Whether it waits for rows that others hold; such a claim is no step of a play. */
  boolean waits() {
    return kind == Kind.UPDATE_LIMIT || kind == Kind.LAST_INSERT_ID;
  }

  /** Whether the order of the claim key and the limit leave no choice. */
  boolean isExact() {
    return kind != Kind.OPTIMISTIC && !cursor;
  }

  boolean isOptimistic() {
    return kind == Kind.OPTIMISTIC;
  }

  /** Whether each message is a transaction of its own. */
  boolean oneByOne() {
    return kind == Kind.LAST_INSERT_ID;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
