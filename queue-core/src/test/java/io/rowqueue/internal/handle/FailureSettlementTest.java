package io.rowqueue.internal.handle;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.Outcome;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.handler.RetryPolicy;
import io.rowqueue.internal.claim.Body;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.spi.PayloadCodec;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Type;
import java.net.URL;
import java.net.URLClassLoader;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every failed message is settled in some way, whatever the application or the database throws. */
class FailureSettlementTest {

  private final IllegalStateException thrown = new IllegalStateException("no");

  private final Settlements settlements = new Settlements();
  private final FailureSettlement failures = new FailureSettlement(settlements);
  private final List<@Nullable ClassLoader> seen = new ArrayList<>();

  private static Claim claim() {
    byte[] payload = "1".getBytes(UTF_8);
    return new Claim(
        new MessageId(1),
        new Topic("order.paid"),
        LockId.create("host", 1),
        1,
        0,
        0,
        false,
        Instant.EPOCH,
        null,
        new Body(true, payload, null, payload.length, 0));
  }

  private static HandlerPolicy policy(RetryPolicy retries) {
    return HandlerPolicy.of(
        HandlerSettings.defaults().withRetryPolicy(retries),
        HandlerDefaults.defaults(),
        HandlerKind.MESSAGE);
  }

  private static HandlerPolicy policy() {
    return policy(RetryPolicy.defaults());
  }

  private static DatabaseUnavailableException answer(String state, int code) {
    return new DatabaseUnavailableException("no", new SQLException("no", state, code));
  }

  @ParameterizedTest
  @CsvSource({"45000, 1644", "23000, 1062", "42000, 1142", "HY000, 1114"})
  void failure_thatTheDatabaseRefusesToRecord_isReleasedWithADelay(String state, int code) {
    settlements.refusal = answer(state, code);
    assertThat(failures.settle(claim(), policy(), thrown)).isEqualTo(Outcome.UNHANDLED);
    assertThat(failures.settle(claim(), policy(), new PermanentFailure("no")))
        .isEqualTo(Outcome.UNHANDLED);
    assertThat(settlements.told)
        .hasSize(2)
        .allSatisfy(told -> assertThat(told).startsWith("release 1 PT1"));
  }

  /** A release would fail likewise, and take as long to do so. */
  @ParameterizedTest
  @CsvSource({"08S01, 0", "40001, 1213", "HY000, 1836"})
  void failure_inAnOutage_isGivenUp(String state, int code) {
    settlements.refusal = answer(state, code);
    assertThatThrownBy(() -> failures.settle(claim(), policy(), thrown))
        .isSameAs(settlements.refusal);
    assertThat(settlements.told).isEmpty();
  }

  @Test
  void retryPolicy_thatThrowsAnError_isReplacedByTheDefault() {
    RetryPolicy broken =
        (attempt, failure) -> {
          throw new NoClassDefFoundError("com/example/Backoff");
        };
    assertThat(failures.settle(claim(), policy(broken), thrown)).isEqualTo(Outcome.RETRIED);
    assertThat(settlements.told).containsExactly("retry 1");
  }

  private static final class Unprintable extends RuntimeException {

    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new NoClassDefFoundError("com/example/Texts");
    }
  }

  @Test
  void failure_whoseMessageCannotBeRead_isRetried() {
    assertThat(failures.settle(claim(), policy(), new Unprintable())).isEqualTo(Outcome.RETRIED);
  }

  @Test
  void failure_withAHugeText_isLoggedInPart() {
    Throwable huge =
        new IllegalStateException("no", new IllegalStateException("x".repeat(500_000)));
    assertThat(FailureSettlement.printable(thrown)).isSameAs(thrown);
    StringWriter printed = new StringWriter();
    FailureSettlement.printable(huge).printStackTrace(new PrintWriter(printed));
    assertThat(printed.toString()).contains("IllegalStateException: no").hasSizeLessThan(20_000);
  }

  @Test
  void settled_whateverExceptionIsThrown_isGivenUp() {
    assertThat(
            HandlerInvoker.settled(
                claim(),
                () -> {
                  throw new IllegalStateException("a bug");
                }))
        .isEqualTo(Outcome.GIVEN_UP);
  }

  /** Notes the class loader in which it runs. */
  private final class Noting implements PayloadCodec, RetryPolicy {

    @Override
    public byte[] encode(Object payload) {
      throw new AssertionError("nothing is encoded");
    }

    @Override
    public Object decode(byte[] bytes, Type type) {
      seen.add(Thread.currentThread().getContextClassLoader());
      return "decoded";
    }

    @Override
    public Duration backoff(int attempt, Throwable failure) {
      seen.add(Thread.currentThread().getContextClassLoader());
      return Duration.ZERO;
    }
  }

  @Test
  void codecAndRetryPolicy_runInTheClassLoaderOfTheirBinding() throws Exception {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    Noting noting = new Noting();
    try (URLClassLoader plugin = new URLClassLoader(new URL[0])) {
      thread.setContextClassLoader(plugin);
      HandlerBinding binding =
          new HandlerBinding(
              new Topic("order.paid"),
              () -> {
                throw new AssertionError("nothing is handled");
              },
              HandlerKind.MESSAGE,
              String.class,
              HandlerSettings.defaults().withCodec(noting).withRetryPolicy(noting),
              "here");
      thread.setContextClassLoader(before);
      BoundHandler handler = new BoundHandler(binding, HandlerDefaults.defaults());
      assertThat(handler.decode(new byte[0], Map.of())).isEqualTo("decoded");
      failures.settle(claim(), handler.policy(), thrown);
      assertThat(seen).containsExactly(plugin, plugin);
      assertThat(thread.getContextClassLoader()).isSameAs(before);
    } finally {
      thread.setContextClassLoader(before);
    }
  }
}
