package io.rowqueue.operate;

/**
 * What has become of a batch's members.
 *
 * @param total how many were added
 * @param acked how many were handled
 * @param dead how many are dead letters, or were and have been discarded
 * @param cancelled how many were taken out
 */
public record BatchCounts(long total, long acked, long dead, long cancelled) {

  /** How many are neither handled, nor dead letters, nor cancelled. */
  public long left() {
    return Math.max(0, total - acked - dead - cancelled);
  }

  /** As the completion message's header has it. */
  public String text() {
    return "total=%d done=%d failed=%d cancelled=%d".formatted(total, acked, dead, cancelled);
  }
}
