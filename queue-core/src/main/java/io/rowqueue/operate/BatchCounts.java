package io.rowqueue.operate;

/**
 * Counts of a batch's members.
 *
 * @param total members added
 * @param acked members handled
 * @param dead members that are dead letters, or were discarded as such
 * @param cancelled members cancelled
 */
public record BatchCounts(long total, long acked, long dead, long cancelled) {

  /** Members that are neither handled, nor dead letters, nor cancelled. */
  public long left() {
    return Math.max(0, total - acked - dead - cancelled);
  }

  /** As in the completion message's header. */
  public String text() {
    return "total=%d done=%d failed=%d cancelled=%d".formatted(total, acked, dead, cancelled);
  }
}
