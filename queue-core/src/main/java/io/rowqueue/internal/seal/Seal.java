package io.rowqueue.internal.seal;

import io.rowqueue.PayloadException;
import io.rowqueue.internal.body.BodyLocations;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.spi.KeyId;
import io.rowqueue.spi.Sealed;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a row reveals about the encryption of its payload.
 *
 * @param place where the encrypted bytes are stored
 * @param key the key that encrypted them; null if the row does not contain it
 */
record Seal(Place place, @Nullable KeyId key) {

  /** Where encrypted bytes are stored. */
  enum Place {
    /** The payload is not encrypted. */
    NONE,
    /** In the row, or in a place that cannot be read here. */
    HERE,
    /** In rows of their own. */
    EXTERNAL
  }

  private static final Seal NONE = new Seal(Place.NONE, null);
  private static final Seal UNTOLD = new Seal(Place.HERE, null);
  private static final Seal EXTERNAL = new Seal(Place.EXTERNAL, null);

  /** For a row with these headers whose payload has this beginning. */
  static Seal of(@Nullable String headers, byte @Nullable [] beginning) {
    Map<String, String> read = read(headers);
    List<String> wrappers = List.of(read.getOrDefault(Headers.WRAPPED, "").split(",", -1));
    if (!wrappers.contains(Sealed.NAME)) {
      return NONE;
    }
    if (!wrappers.get(wrappers.size() - 1).equals(Sealed.NAME)) {
      return UNTOLD;
    }
    String body = read.get(Headers.BODY);
    if (body != null) {
      return body.equals(BodyLocations.ROWS) ? EXTERNAL : UNTOLD;
    }
    return new Seal(Place.HERE, key(beginning));
  }

  /** Invalid headers cannot be read by any worker, whatever keys it has. */
  private static Map<String, String> read(@Nullable String headers) {
    try {
      return Headers.parse(headers);
    } catch (PayloadException e) {
      return Map.of();
    }
  }

  /**
   * The key that encrypted a payload with this beginning; null if it is not an encrypted payload.
   */
  static @Nullable KeyId key(byte @Nullable [] beginning) {
    if (beginning == null) {
      return null;
    }
    try {
      return KeyId.of(beginning);
    } catch (PayloadException e) {
      return null;
    }
  }
}
