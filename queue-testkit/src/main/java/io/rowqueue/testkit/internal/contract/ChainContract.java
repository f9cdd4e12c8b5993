package io.rowqueue.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.BatchProducer;
import io.rowqueue.BatchSettings;
import io.rowqueue.Chain;
import io.rowqueue.ChainProducer;
import io.rowqueue.Deduplication;
import io.rowqueue.DuplicateMessageException;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageBatch;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.Claim.Handled;
import io.rowqueue.internal.claim.FollowUps;
import io.rowqueue.operate.BatchCounts;
import io.rowqueue.operate.BatchDetails;
import io.rowqueue.operate.Batches;
import io.rowqueue.operate.ChainDetails;
import io.rowqueue.operate.Chains;
import io.rowqueue.operate.RefusedException;
import io.rowqueue.testkit.LambdaHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The contract of chains: {@link ChainProducer} and {@link Chains}. */
public interface ChainContract {

  /** Returns the queue of this test; the same instance for each call in one test. */
  ContractQueue queue();

  @Test
  default void chain_runsStepByStep() {
    Scene scene = new Scene(queue());
    long chain = begin(scene, chain("a", "b", "c"));
    assertThat(scene.payloads(Scene.ORDERS)).containsExactly("a");
    ChainDetails found = chains().find(chain).orElseThrow();
    assertThat(found.topics()).containsExactly("orders", "orders");
    for (String step : List.of("a", "b", "c")) {
      Claim claim = scene.claimOne();
      assertThat(Scene.text(claim)).isEqualTo('"' + step + '"');
      assertThat(chains().find(chain).orElseThrow().message()).isEqualTo(claim.id());
      scene.ack(claim);
    }
    assertEnded(chain);
  }

  @Test
  default void chain_advancesByAGroupedAck() {
    Scene scene = new Scene(queue());
    begin(scene, chain("a", "b"));
    begin(scene, chain("a", "b"));
    assertThat(queue().settler().ackAll(scene.claimAll())).isEqualTo(2);
    assertThat(scene.payloads(Scene.ORDERS)).containsExactly("b", "b");
  }

  @Test
  default void ackRolledBack_enqueuesNoNextStep() {
    Scene scene = new Scene(queue());
    begin(scene, chain("a", "b"));
    Claim claim = scene.claimOne();
    scene.rollBack(tx -> queue().settler().ack(tx, claim));
    assertThat(scene.payloads(Scene.ORDERS)).containsExactly("a");
    scene.ack(claim);
    assertThat(scene.payloads(Scene.ORDERS)).containsExactly("b");
  }

  @Test
  default void stepThatFailsOrIsReleased_enqueuesNoNextStep() {
    Scene scene = new Scene(queue());
    begin(scene, chain("a", "b"));
    assertThat(queue().settler().retry(scene.claimOne(), Scene.ERROR, Duration.ZERO)).isTrue();
    assertThat(queue().settler().release(scene.claimOne(), Duration.ZERO)).isTrue();
    assertThat(scene.payloads(Scene.ORDERS)).containsExactly("a");
    scene.ack(scene.claimOne());
    assertThat(scene.payloads(Scene.ORDERS)).containsExactly("b");
  }

  @Test
  default void delayOfAStep_beginsAtThePreviousAck() {
    Scene scene = new Scene(queue());
    begin(scene, Chain.of(Scene.order("a")).then(Scene.order("b").withDelay(Scene.MINUTE)));
    queue().advance(Scene.MINUTE);
    scene.renew(Scene.ME);
    scene.ack(scene.claimOne());
    queue().advance(Scene.MINUTE.minusMillis(1));
    assertThat(scene.claimAll()).isEmpty();
    queue().advance(Duration.ofMillis(1));
    assertThat(Scene.text(scene.claimOne())).isEqualTo("\"b\"");
  }

  @Test
  default void headersCarriedByAStep_areThoseOfTheNext() {
    Scene scene = new Scene(queue());
    begin(scene, chain("a", "b"));
    scene.ack(
        scene
            .claimOne()
            .withHandled(new Handled(null, new FollowUps(List.of(), Map.of("from", "a")), 0)));
    assertThat(queue().poll().messages().get(0).headers()).containsEntry("from", "a");
  }

  @Test
  default void deadLetter_stopsItsChain_andItsRedriveResumesIt() {
    Scene scene = new Scene(queue());
    long chain = begin(scene, chain("a", "b"));
    Claim claim = scene.claimOne();
    scene.dead(claim);
    assertThat(scene.claimAll()).isEmpty();
    assertThat(chains().find(chain).orElseThrow().message()).isEqualTo(claim.id());
    assertThat(queue().deadLetters().redrive(claim.id())).isTrue();
    scene.ack(scene.claimOne());
    scene.ack(scene.claimOne());
    assertEnded(chain);
  }

  @Test
  default void deadLetterThatIsDiscarded_endsItsChain() {
    Scene scene = new Scene(queue());
    long chain = begin(scene, chain("a", "b"));
    Claim claim = scene.claimOne();
    scene.dead(claim);
    assertThat(queue().deadLetters().discardAll(List.of(claim.id()))).isOne();
    assertEnded(chain);
  }

  @Test
  default void cancel_deletesLaterSteps_andTheWaitingOne() {
    Scene scene = new Scene(queue());
    long chain = begin(scene, chain("a", "b"));
    assertThat(chains().cancel(chain)).isTrue();
    assertEnded(chain);
    assertThatThrownBy(() -> chains().cancel(chain)).isInstanceOf(RefusedException.class);
  }

  @Test
  default void cancel_whileAStepIsHandled_endsTheChainAfterIt() {
    Scene scene = new Scene(queue());
    long chain = begin(scene, chain("a", "b"));
    Claim claim = scene.claimOne();
    assertThat(chains().cancel(chain)).isFalse();
    scene.ack(claim);
    assertEnded(chain);
  }

  @Test
  default void messageThatIsCancelled_endsItsChain() {
    Scene scene = new Scene(queue());
    long chain = begin(scene, chain("a", "b"));
    queue().messages().cancel(scene.claimAndRelease().get(0));
    assertEnded(chain);
  }

  @Test
  default void chainInABatch_isOneMember() {
    Scene scene = new Scene(queue());
    BatchProducer batches = queue().capacity(BatchProducer.class);
    MessageBatch batch =
        scene.made(tx -> batches.open(tx.connection(), BatchSettings.named("import")));
    for (int member = 0; member < 2; member++) {
      scene.commit(tx -> producer().add(tx.connection(), batch, chain("a", "b")));
    }
    scene.commit(tx -> batches.close(tx.connection(), batch));
    List<Claim> claims = scene.claimAll();
    scene.ack(claims.get(0));
    assertThat(found(batch).counts()).isEqualTo(new BatchCounts(2, 0, 0, 0));
    scene.ack(scene.claimOne());
    assertThat(found(batch).counts()).isEqualTo(new BatchCounts(2, 1, 0, 0));
    assertThat(found(batch).completedAt()).isNull();
    scene.dead(claims.get(1));
    assertThat(found(batch).completedAt()).isNotNull();
    assertThat(queue().deadLetters().redrive(claims.get(1).id())).isTrue();
    scene.ack(scene.claimOne());
    scene.ack(scene.claimOne());
    assertThat(found(batch).counts()).isEqualTo(new BatchCounts(2, 1, 1, 0));
  }

  private BatchDetails found(MessageBatch batch) {
    return queue().capacity(Batches.class).find(batch.id()).orElseThrow();
  }

  @Test
  default void chainOfARolledBackTransaction_orOfADuplicate_doesNotExist() {
    Scene scene = new Scene(queue());
    long[] ids = new long[1];
    scene.rollBack(tx -> ids[0] = producer().enqueue(tx.connection(), chain("a", "b")));
    assertEnded(ids[0]);
    NewMessage keyed = Scene.order("first").withDeduplication(Deduplication.whileAlive("k"));
    scene.enqueue(keyed);
    Chain refused = Chain.of(keyed).then(Scene.order("b"));
    scene.commit(
        tx ->
            assertThatThrownBy(() -> producer().enqueue(tx.connection(), refused))
                .isInstanceOfSatisfying(
                    DuplicateMessageException.class,
                    duplicate -> assertThat(duplicate.key()).isEqualTo("k")));
    scene.ack(scene.claimOne());
    assertThat(queue().poll().messages()).isEmpty();
  }

  /** Stores carried headers for the next step; rejected where no next step exists. */
  @Test
  default void headersCarried_areLimited_andTheNextStepGetsAllOfThem() {
    Scene scene = new Scene(queue());
    NewMessage full = Scene.withHeaders(Scene.order("b"), 16 << 10);
    Chain tooLong = Chain.of(Scene.order("a")).then(Scene.withHeaders(full, (16 << 10) + 1));
    scene.commit(
        tx ->
            assertThatThrownBy(() -> producer().enqueue(tx.connection(), tooLong))
                .isInstanceOf(InvalidMessageException.class));
    begin(scene, Chain.of(Scene.order("a")).then(full));
    HandlingScene handling =
        new HandlingScene(
            queue(),
            LambdaHandlers.bind(
                Scene.ORDERS.name(),
                String.class,
                (payload, context) -> carry(context),
                HandlerSettings.defaults()));
    assertThat(handling.handle(scene.claimOne())).isEqualTo(Outcome.ACKED);
    Claim next = scene.claimOne();
    assertThat(next.body().headersBytes()).isGreaterThan(32_000);
    assertThat(handling.handle(next)).isEqualTo(Outcome.ACKED);
  }

  private static void carry(HandlerContext context) {
    context.putHeaderForNextStep("a", "c".repeat(16_000));
    context.putHeaderForNextStep("a", "d".repeat(16_000));
    assertThatThrownBy(() -> context.putHeaderForNextStep("b", "c".repeat(1_000)))
        .isInstanceOf(InvalidMessageException.class)
        .hasMessageContaining("header 'b' cannot be carried")
        .hasMessageContaining("limit of 16,384");
  }

  @Test
  default void firstOfAChain_isNeverReplaced_andReplacesNone() {
    Scene scene = new Scene(queue());
    NewMessage keyed =
        Scene.order("a").withDeduplication(Deduplication.whileWaiting("k").replacing());
    begin(scene, Chain.of(keyed).then(Scene.order("b")));
    scene.commit(
        tx -> {
          assertThatThrownBy(() -> queue().producer().enqueue(tx.connection(), keyed))
              .isInstanceOf(DuplicateMessageException.class)
              .hasMessageContaining("another ordering key, batch or chain");
          assertThatThrownBy(() -> producer().enqueue(tx.connection(), Chain.of(keyed)))
              .isInstanceOf(DuplicateMessageException.class);
        });
    scene.ack(scene.claimOne());
    assertThat(scene.payloads(Scene.ORDERS)).containsExactly("b");
  }

  private ChainProducer producer() {
    return queue().capacity(ChainProducer.class);
  }

  private Chains chains() {
    return queue().capacity(Chains.class);
  }

  private long begin(Scene scene, Chain chain) {
    return scene.made(tx -> producer().enqueue(tx.connection(), chain));
  }

  private static Chain chain(String first, String... then) {
    Chain chain = Chain.of(Scene.order(first));
    for (String next : then) {
      chain = chain.then(Scene.order(next));
    }
    return chain;
  }

  private void assertEnded(long chain) {
    assertThat(chains().find(chain)).isEmpty();
    assertThat(queue().poll().messages()).isEmpty();
  }
}
