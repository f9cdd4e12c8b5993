package io.rowqueue.internal.enqueue;

/** Where a message stands among those of its call that share its ordering key. */
enum GroupPosition {
  /** It has no such key, or is due later and takes its place then. */
  NONE,
  /** It tells workers that its line has grown. */
  FIRST,
  /** It waits behind the first. */
  BEHIND
}
