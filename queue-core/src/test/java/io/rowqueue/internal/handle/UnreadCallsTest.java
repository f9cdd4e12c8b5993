package io.rowqueue.internal.handle;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageId;
import io.rowqueue.MessageLimits;
import io.rowqueue.MessageProducer;
import io.rowqueue.PayloadException;
import io.rowqueue.QueueException;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.handler.UnreadableSettings;
import io.rowqueue.internal.claim.Body;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimKey;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.claim.PollResult;
import io.rowqueue.internal.database.PiggybackQuery;
import io.rowqueue.internal.schema.QueueSchema;
import io.rowqueue.internal.wrap.Unwrapping;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.spi.Place;
import io.rowqueue.spi.UnreadableException;
import io.rowqueue.spi.Unwrapper;
import io.rowqueue.spi.Wrapping;
import java.io.IOException;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Whatever a wrapper throws is settled as what it is, and nothing is given up. */
class UnreadCallsTest {

  private final Settlements settlements = new Settlements();

  /** Throws what it is told to. */
  private record Failing(Runnable failure) implements Unwrapper {

    @Override
    public String name() {
      return "failing";
    }

    @Override
    public byte[] unwrap(byte[] bytes, Place place, int most) {
      failure.run();
      return bytes;
    }
  }

  private static Runnable throwing(RuntimeException failure) {
    return () -> {
      throw failure;
    };
  }

  private static Runnable throwing(Error failure) {
    return () -> {
      throw failure;
    };
  }

  private static Claim claim() {
    byte[] payload = "\"a\"".getBytes(UTF_8);
    String headers = "{\"rowqueue-wrapped\":\"failing\"}";
    Body body = new Body(true, payload, headers, payload.length, headers.length());
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
        body);
  }

  private static BoundHandler handler(HandlerSettings settings) {
    HandlerBinding binding =
        new HandlerBinding(
            new Topic("order.paid"),
            () -> {
              throw new AssertionError("nothing is handled");
            },
            HandlerKind.MESSAGE,
            String.class,
            settings,
            "here");
    return new BoundHandler(binding, HandlerDefaults.defaults());
  }

  private @Nullable Invocation prepare(Runnable failure, HandlerSettings settings) {
    BoundHandler handler = handler(settings);
    MessageLimits limits = MessageLimits.defaults();
    HandlerInvoker calls =
        new HandlerInvoker(
            new Loaded(),
            new FailureSettlement(settlements),
            List.of(),
            limits,
            new NoSchema(),
            new Unwrapping(Set.of(new Failing(failure)), limits),
            Releases.ofUnreadable(UnreadableSettings.defaults().after(), System::nanoTime, () -> 0),
            new ResultEncoding(Wrapping.none()),
            MessageProducer.create(),
            (id, place) -> {
              throw new AssertionError("no body lies beside its row");
            });
    return calls.prepare(claim(), handler, new Handling(claim(), handler.policy())).call();
  }

  private void settles(String told, Runnable failure) {
    settlements.told.clear();
    assertThat(prepare(failure, HandlerSettings.defaults())).isNull();
    assertThat(settlements.told).containsExactly(told);
  }

  @Test
  void prepare_whatAWrapperSaysItself_isSettledSo() {
    settles("undecodable 1", throwing(new PayloadException("broken")));
    settles("too-large 1", throwing(new InvalidMessageException("a bomb")));
    settles("release 1 PT5S", throwing(new UnreadableException("no key")));
    settles("permanent-failure 1", throwing(new PermanentFailure("revoked")));
  }

  @Test
  void prepare_whatAWrapperMeets_isAFailedAttempt() {
    settles("retry 1", throwing(new IllegalStateException("the key service is away")));
    settles("retry 1", throwing(new QueueException("the table of keys is away")));
    settles("retry 1", throwing(new OutOfMemoryError("perhaps its neighbours'")));
  }

  @Test
  void prepare_whatIsMissingHereOrNeverEnds_isNotGivenUp() {
    settles("release 1 PT5S", throwing(new NoClassDefFoundError("com/example/Cipher")));
    settles("undecodable 1", throwing(new StackOverflowError()));
  }

  /** Throws what it is given, undeclared as in Kotlin. */
  private record FailingCodec(Throwable failure) implements PayloadCodec {

    @Override
    public byte[] encode(Object payload) {
      throw new AssertionError("nothing is encoded");
    }

    @Override
    public Object decode(byte[] bytes, Type type) {
      throw FailingCodec.<RuntimeException>undeclared(failure);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <T extends Throwable> T undeclared(Throwable failure) throws T {
      throw (T) failure;
    }
  }

  private void settlesDecoding(String told, Throwable failure) {
    settlements.told.clear();
    assertThat(prepare(() -> {}, HandlerSettings.defaults().withCodec(new FailingCodec(failure))))
        .isNull();
    assertThat(settlements.told).containsExactly(told);
  }

  /** Another worker may have the class. */
  @Test
  void prepare_whatTheCodecCannotLoad_isReleased() {
    settlesDecoding("release 1 PT5S", new NoClassDefFoundError("com/example/Price"));
  }

  @Test
  void prepare_whateverElseTheCodecThrows_isNotGivenUp() {
    settlesDecoding("undecodable 1", new IllegalStateException("no"));
    settlesDecoding("undecodable 1", new IOException("no"));
    settlesDecoding("undecodable 1", new StackOverflowError());
    settlesDecoding("retry 1", new AssertionError("no"));
  }

  @Test
  void prepare_whatLacksARequiredWrapper_isSetAside() {
    assertThat(prepare(() -> {}, HandlerSettings.defaults().withRequiredWrappers("sealed")))
        .isNull();
    assertThat(settlements.told).containsExactly("not-wrapped 1");
  }

  @Test
  void prepare_whatCanBeRead_isKnownByItsSize() {
    Invocation call = prepare(() -> {}, HandlerSettings.defaults());
    assertThat(call)
        .isNotNull()
        .extracting(Invocation::payload, Invocation::bytes)
        .containsExactly("a", 3);
    assertThat(settlements.told).isEmpty();
  }

  /** Claims that were read along. */
  private static final class Loaded implements ClaimStore {

    @Override
    public Claim load(Claim claim) {
      return claim;
    }

    @Override
    public PollResult poll(Collection<Topic> topics) {
      throw new AssertionError("no look");
    }

    @Override
    public PollResult poll(Collection<Topic> topics, List<PiggybackQuery> aside) {
      throw new AssertionError("no look");
    }

    @Override
    public int promote(int limit) {
      throw new AssertionError("nothing is due");
    }

    @Override
    public void start(Claim claim) {
      throw new AssertionError("no suspect");
    }

    @Override
    public int release(Collection<Claim> claims) {
      throw new AssertionError("all have started");
    }

    @Override
    public int reconcile(LockId lockId, Set<ClaimKey> known) {
      throw new AssertionError("nothing is lost");
    }
  }

  private static final class NoSchema implements QueueSchema {

    @Override
    public void check() {
      throw new AssertionError("not asked");
    }

    @Override
    public String queueName() {
      throw new AssertionError("not asked");
    }
  }
}
