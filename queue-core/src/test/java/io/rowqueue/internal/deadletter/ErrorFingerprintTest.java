package io.rowqueue.internal.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ErrorFingerprintTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          com.shop.Order2Exception: order 4711 failed | com.shop.Order2Exception: order ? failed
          a.B: no row 7c9e6679-7425-40de-944b-e07fc1f90ae7 | a.B: no row ?
          a.B: user 'Ann O. Nymous' of "a b" | a.B: user ? of ?
          a.B: it can't read the users' file | a.B: it can't read the users' file
          a.B: 550 5.1.1 <ann@example.org>: no such user | a.B: 550 ?.?.? <?>: no such user
          a.B: the partner answered 504 after 3012 ms | a.B: the partner answered 504 after ? ms
          a.B: HTTP/1.1 503 Service Unavailable | a.B: HTTP/?.? 503 Service Unavailable
          a.B: 404 Not Found for order 404 | a.B: 404 Not Found for order ?
          a.B: status=5040 code: 512x | a.B: status=? code: ?
          4 claims died, the last one with vm-30354-3vtfa6a8o70y | ? claims died, the last one with ?
          a.B: an unclosed "quote | a.B: an unclosed "quote
          java.lang.NullPointerException | java.lang.NullPointerException
          """)
  void valuesThatVary_areAQuestionMark(String detail, String normalized) {
    assertThat(ErrorFingerprint.normalized(detail)).isEqualTo(normalized);
  }

  @Test
  void furtherLines_areLeftOut() {
    assertThat(ErrorFingerprint.normalized("a.B: no\n  at line 1")).isEqualTo("a.B: no");
    assertThat(ErrorFingerprint.normalized("")).isEmpty();
  }

  @Test
  void fingerprint_isEqualForOneErrorOnly() {
    assertThat(ErrorFingerprint.of("a.B: order 1\nx"))
        .isEqualTo(ErrorFingerprint.of("a.B: order 2\ny"))
        .isNotEqualTo(ErrorFingerprint.of("a.C: order 1"))
        .isNotEqualTo(ErrorFingerprint.of("a.B: customer 1"));
  }

  /** Errors come from applications, so a text may be built to be slow to match. */
  @Test
  void longTexts_areCut() {
    String long1 = "a.B: " + "\"'`“".repeat(100_000);
    assertThat(ErrorFingerprint.normalized(long1)).hasSizeLessThanOrEqualTo(500);
  }
}
