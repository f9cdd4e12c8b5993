package io.rowqueue.internal.claim;

import io.rowqueue.ClaimSettings.Kind;
import io.rowqueue.Topic;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One way to take available messages. Strategies differ in nothing else. Thread-safe, though one
 * claimer a process is what the figures in {@code docs/internals/decisions} advise.
 */
public interface ClaimStrategy {

  /**
   * Takes up to {@code request.limit()} available messages, the most urgent first, and commits
   * before it returns: no handler may begin before that.
   *
   * @return the claims; empty if nothing is available
   * @throws io.rowqueue.QueueException if the database fails after every repetition; claims that it
   *     may have made are released by the next reconciliation
   */
  List<Claim> claim(ClaimRequest request);

  /**
   * For each priority of {@code topic} that it knows, the id at and below which it does not look
   * just now; empty if it looks everywhere, or what it knows is old. A copy; for those who count
   * what lies above.
   */
  default NavigableMap<Byte, Long> marks(Topic topic) {
    return Collections.emptyNavigableMap();
  }

  /** Major, minor and patch. */
  Pattern NUMBERS = Pattern.compile("(\\d+)\\.(\\d+)(?:\\.(\\d+))?");

  /** MariaDB hides behind this in the greeting of the protocol. */
  String DISGUISE = "5.5.5-";

  /**
   * The best that a server has which calls itself {@code version}, such as "11.4.5-MariaDB-log":
   * SKIP LOCKED came with MySQL 8.0.1 and MariaDB 10.6. A version that cannot be read counts as an
   * old one, because every server can update with a limit.
   */
  static Kind bestOn(String version) {
    boolean mariaDb = version.toLowerCase(Locale.ROOT).contains("mariadb");
    String plain = version.startsWith(DISGUISE) ? version.substring(6) : version;
    Matcher numbers = NUMBERS.matcher(plain);
    if (!numbers.lookingAt()) {
      return Kind.UPDATE_LIMIT;
    }
    long number =
        Long.parseLong(numbers.group(1)) * 1_000_000
            + Long.parseLong(numbers.group(2)) * 1_000
            + (numbers.group(3) == null ? 0 : Long.parseLong(numbers.group(3)));
    return number >= (mariaDb ? 10_006_000 : 8_000_001) ? Kind.SKIP_LOCKED : Kind.UPDATE_LIMIT;
  }
}
