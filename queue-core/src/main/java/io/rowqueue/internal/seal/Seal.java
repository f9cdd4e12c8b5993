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
 * What a row says of its payload's seal.
 *
 * @param place where the sealed bytes lie
 * @param key whose seal it is; null if the row does not tell
 */
record Seal(Place place, @Nullable KeyId key) {

  /** Where sealed bytes lie. */
  enum Place {
    /** There are none. */
    NONE,
    /** In the row, or where nobody can look for them. */
    HERE,
    /** In rows of their own. */
    EXTERNAL
  }

  private static final Seal NONE = new Seal(Place.NONE, null);
  private static final Seal UNTOLD = new Seal(Place.HERE, null);
  private static final Seal EXTERNAL = new Seal(Place.EXTERNAL, null);

  /** That of a row with these headers whose payload begins like this. */
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

  /** No worker can read what is no headers, whatever keys it has. */
  private static Map<String, String> read(@Nullable String headers) {
    try {
      return Headers.parse(headers);
    } catch (PayloadException e) {
      return Map.of();
    }
  }

  /** The key that sealed what begins like this; null if that is the beginning of no seal. */
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
