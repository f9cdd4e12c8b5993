package io.rowqueue.internal.claim;

import io.rowqueue.ClaimSettings.Kind;
import io.rowqueue.QueueException;
import io.rowqueue.Topic;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A way to claim available messages. Strategies differ in nothing else. Thread-safe, though the
 * measurements in {@code docs/internals/decisions} advise one claimer per process.
 */
public interface ClaimStrategy {

  /**
   * Claims up to {@code request.limit()} available messages, the most urgent first, and commits
   * before it returns: no handler may start before that.
   *
   * @return the claims; empty if nothing is available
   * @throws io.rowqueue.QueueException if the database still fails after all retries; claims that
   *     it may have made are released by the next reconciliation
   */
  List<Claim> claim(ClaimRequest request);

  /** Returns why the database has refused rows that are left out for now. */
  default Optional<QueueException> refusal() {
    return Optional.empty();
  }

  /**
   * For each known priority of {@code topic}, the id at and below which claims do not search at the
   * moment; empty if they search everything, or if the positions are old. A copy, for readers that
   * count the messages above.
   */
  default NavigableMap<Byte, Long> marks(Topic topic) {
    return Collections.emptyNavigableMap();
  }

  /** Major, minor and patch. */
  Pattern NUMBERS = Pattern.compile("(\\d+)\\.(\\d+)(?:\\.(\\d+))?");

  /** MariaDB puts this before its version in the greeting of the protocol. */
  String DISGUISE = "5.5.5-";

  /**
   * The best strategy for a server with the version string {@code version}, such as
   * "11.4.5-MariaDB-log": SKIP LOCKED came with MySQL 8.0.1 and MariaDB 10.6. A version that cannot
   * be parsed counts as an old one, because every server supports UPDATE with LIMIT.
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
