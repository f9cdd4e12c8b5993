package io.rowqueue.claim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What one transaction took: what it keeps, and what must be handled alone and is left for others.
 *
 * @param kept in claim order
 * @param left in claim order
 */
record Batch(List<Taken> kept, List<Taken> left) {

  /** Keeps as many that must be handled alone as the request allows, and everything else. */
  static Batch of(ClaimRequest request, List<Taken> taken) {
    Batch batch = new Batch(new ArrayList<>(), new ArrayList<>());
    int alone = 0;
    for (Taken one : taken) {
      boolean keep = !request.alone(one.claim()) || alone++ < request.mostAlone();
      (keep ? batch.kept : batch.left).add(one);
    }
    return batch;
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
