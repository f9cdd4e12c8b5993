package io.rowqueue.claim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What one transaction took: what it keeps, what must be handled alone and is left for others, and
 * what others were faster to take.
 *
 * @param kept in claim order
 * @param left in claim order
 * @param missed in claim order
 */
record Batch(List<Taken> kept, List<Taken> left, List<Taken> missed) {

  /** Keeps as many that must be handled alone as the request allows, and everything else. */
  static Batch of(ClaimRequest request, List<Taken> taken) {
    Batch batch = new Batch(new ArrayList<>(), new ArrayList<>(), List.of());
    int alone = 0;
    for (Taken one : taken) {
      boolean keep = !request.alone(one.claim()) || alone++ < request.mostAlone();
      (keep ? batch.kept : batch.left).add(one);
    }
    return batch;
  }

  /** As if it had found {@code more}, too. */
  Batch with(List<Taken> more) {
    return new Batch(Stream.concat(kept.stream(), more.stream()).toList(), left, missed);
  }

  /** The same when only {@code had} of what it would keep was to be had. */
  Batch keeping(List<Taken> had) {
    if (had.size() == kept.size()) {
      return this;
    }
    Set<Taken> mine = new HashSet<>(had);
    return new Batch(had, left, kept.stream().filter(one -> !mine.contains(one)).toList());
  }

  /** Whether there was nothing that it might have kept. */
  boolean isEmpty() {
    return kept.isEmpty() && missed.isEmpty();
  }

  /** Whether others were faster everywhere. */
  boolean wasMissed() {
    return kept.isEmpty() && !missed.isEmpty();
  }

  List<Claim> claims() {
    return kept.stream().map(Taken::claim).toList();
  }

  /** Raises the marks over what was taken, but never over what was left. */
  void pass(LowWater lowWater) {
    Map<Byte, Long> highest = new HashMap<>();
    kept.forEach(one -> highest.merge(one.priority(), one.id(), Math::max));
    Map<Byte, Long> lowestLeft = new HashMap<>();
    left.forEach(one -> lowestLeft.merge(one.priority(), one.id(), Math::min));
    highest.forEach(
        (priority, id) ->
            lowWater.passed(
                priority, Math.min(id, lowestLeft.getOrDefault(priority, Long.MAX_VALUE) - 1)));
  }
}
