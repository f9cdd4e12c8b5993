package io.rowqueue.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.AwaitTimeoutException;
import io.rowqueue.DeadLetterException;
import io.rowqueue.MessageId;
import io.rowqueue.Results;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.Claim.Handled;
import io.rowqueue.internal.claim.FollowUps;
import io.rowqueue.internal.claim.HandlerResult;
import io.rowqueue.internal.result.ResultPruning;
import io.rowqueue.spi.PayloadCodec;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The contract of handlers' results: {@link Results} and {@link ResultPruning}. */
public interface ResultContract {

  /** Returns the queue of this test; the same instance for each call in one test. */
  ContractQueue queue();

  @Test
  default void result_existsWithItsAck() throws InterruptedException {
    Scene scene = new Scene(queue());
    Claim claim = giving(scene.claimed("tea"), "cup");
    scene.rollBack(tx -> queue().settler().ack(tx, claim));
    assertThatThrownBy(() -> await(claim.id(), Duration.ofMillis(1)))
        .isInstanceOf(AwaitTimeoutException.class);
    scene.ack(giving(claim, "second cup"));
    assertThat(await(claim.id())).isEqualTo("second cup");
    assertThat(await(claim.id())).as("as often as it is wanted").isEqualTo("second cup");
  }

  @Test
  default void resultWithoutAValue_isNull() throws InterruptedException {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    scene.ack(
        claim.withHandled(
            new Handled(new HandlerResult(null, null, Scene.MINUTE, null), FollowUps.NOTHING, 0)));
    assertThat(await(claim.id())).isNull();
  }

  @Test
  default void resultsOfAGroupedAck_areStoredForHeldClaims() throws InterruptedException {
    Scene scene = new Scene(queue());
    scene.enqueue(3);
    List<Claim> claims = scene.claimAll();
    assertThat(queue().settler().releaseAll(claims.subList(2, 3))).isOne();
    List<Claim> given =
        claims.stream().map(claim -> giving(claim, "of " + claim.id().value())).toList();
    assertThat(queue().settler().ackAll(given)).isEqualTo(2);
    for (Claim claim : claims.subList(0, 2)) {
      assertThat(await(claim.id())).isEqualTo("of " + claim.id().value());
    }
    scene.ack(giving(scene.claimOne(), "later"));
    assertThat(await(claims.get(2).id())).isEqualTo("later");
  }

  @Test
  default void deadLetter_endsTheAwait_andItsRedriveCanBeAwaited() throws InterruptedException {
    Scene scene = new Scene(queue());
    Claim claim = scene.claimed("tea");
    scene.dead(giving(claim, "cup"));
    assertThatThrownBy(() -> await(claim.id())).isInstanceOf(DeadLetterException.class);
    assertThat(queue().deadLetters().redrive(claim.id())).isTrue();
    scene.ack(giving(scene.claimOne(), "cup"));
    assertThat(await(claim.id())).isEqualTo("cup");
  }

  @Test
  default void result_isKeptForItsRetention() throws InterruptedException {
    Scene scene = new Scene(queue());
    Claim claim = giving(scene.claimed("tea"), "cup");
    scene.ack(claim);
    queue().advance(Scene.MINUTE);
    assertThat(queue().capacity(ResultPruning.class).prune(Scene.MANY)).isZero();
    assertThat(await(claim.id())).isEqualTo("cup");
    queue().advance(Duration.ofMillis(1));
    assertThat(queue().capacity(ResultPruning.class).prune(Scene.MANY)).isOne();
    assertThat(queue().capacity(ResultPruning.class).prune(Scene.MANY)).isZero();
  }

  private static Claim giving(Claim claim, String result) {
    byte[] content = PayloadCodec.json().encode(result);
    return claim.withHandled(
        new Handled(new HandlerResult(null, content, Scene.MINUTE, null), FollowUps.NOTHING, 0));
  }

  private @Nullable String await(MessageId id) throws InterruptedException {
    return await(id, Duration.ofSeconds(30));
  }

  private @Nullable String await(MessageId id, Duration longest) throws InterruptedException {
    try (Results results = Results.over(queue().capacity(DataSource.class))) {
      return results.await(id, String.class, longest);
    }
  }
}
