package io.rowqueue.internal.body;

import io.rowqueue.internal.text.FailureText;
import io.rowqueue.internal.text.Humanize;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one sweep could not delete: a store that is away refuses each body for the same reason, and
 * is one line. Confined to the sweep's thread.
 */
final class UndeletedBodies {

  private static final Logger LOG = LoggerFactory.getLogger(UndeletedBodies.class);

  private final Map<String, Of> stores = new TreeMap<>();

  private record Of(int bodies, String first, Exception failure) {}

  void add(String store, String reference, Exception failure) {
    stores.merge(
        store,
        new Of(1, reference, failure),
        (before, one) -> new Of(before.bodies + 1, before.first, before.failure));
  }

  /** A line for each store. */
  void tell() {
    stores.forEach(
        (store, of) ->
            LOG.warn(
                "{} not be deleted from {}, {} the first of them; the next sweep tries again: {}",
                Humanize.count(of.bodies, "body could", "bodies could"),
                store,
                of.first,
                FailureText.of(of.failure)));
  }
}
