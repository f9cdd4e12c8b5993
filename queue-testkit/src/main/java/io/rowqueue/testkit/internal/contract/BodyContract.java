package io.rowqueue.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.Deduplication;
import io.rowqueue.EnqueueResult;
import io.rowqueue.MessageId;
import io.rowqueue.NewMessage;
import io.rowqueue.PayloadException;
import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.body.Bodies;
import io.rowqueue.internal.body.BodyLocations;
import io.rowqueue.internal.body.BodySweep;
import io.rowqueue.internal.claim.Body;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.operate.Subscriptions;
import io.rowqueue.spi.BodyMissingException;
import io.rowqueue.testkit.LambdaHandlers;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The contract of payloads stored separately from their messages' rows. */
public interface BodyContract {

  /** The default maximum of a payload in its row. */
  int IN_ITS_ROW = Body.INLINE_BYTES;

  /** Returns the queue of this test; the same instance for each call in one test. */
  ContractQueue queue();

  @Test
  default void payloadAboveTheThreshold_isStoredSeparately() {
    Scene scene = new Scene(queue());
    MessageId large = scene.enqueue(order(IN_ITS_ROW + 1));
    assertThat(scene.row(large).body().payload()).isEmpty();
    assertThat(bodyOf(large)).isEqualTo(bytes(IN_ITS_ROW + 1));
    Claim claim = scene.claimOne();
    assertThat(claim.body().isExternal()).isTrue();
    assertThat(claim.body().payload()).isEmpty();
    scene.ack(claim);
    MessageId small = scene.enqueue(order(IN_ITS_ROW));
    assertThat(scene.row(small).body().payload()).isEqualTo(bytes(IN_ITS_ROW));
    assertThat(scene.claimOne().body().isExternal()).isFalse();
    assertMissing(small);
  }

  @Test
  default void handler_getsThePayloadThatWasSent() {
    Scene scene = new Scene(queue());
    scene.enqueueAll(List.of(order(IN_ITS_ROW + 1), order(10), order(600_000)));
    List<byte[]> given = new ArrayList<>();
    HandlingScene handling =
        new HandlingScene(
            queue(),
            LambdaHandlers.bind(
                Scene.ORDERS.name(), byte[].class, (payload, context) -> given.add(payload)));
    for (Claim claim : scene.claimAll()) {
      assertThat(handling.handle(claim)).isEqualTo(Outcome.ACKED);
    }
    assertThat(given).containsExactly(bytes(IN_ITS_ROW + 1), bytes(10), bytes(600_000));
    assertThat(queue().poll().messages()).isEmpty();
  }

  @Test
  default void handlerOfAStream_getsTheStreamedPayload_ofAnyLength() {
    Scene scene = new Scene(queue());
    MessageId id = scene.enqueue(streamed(300_000));
    MessageId brief = scene.enqueue(streamed(1));
    assertThat(scene.row(brief).body().payload()).isEmpty();
    assertThat(bodyOf(id)).isEqualTo(bytes(300_000));
    List<byte[]> given = new ArrayList<>();
    HandlingScene handling =
        new HandlingScene(
            queue(),
            LambdaHandlers.bind(
                Scene.ORDERS.name(),
                InputStream.class,
                (payload, context) -> given.add(payload.readAllBytes())));
    scene.claimAll().forEach(handling::handle);
    assertThat(given).containsExactly(bytes(300_000), bytes(1));
  }

  @Test
  default void enqueueRolledBack_storesNoPayload() {
    Scene scene = new Scene(queue());
    List<MessageId> ids = new ArrayList<>();
    scene.rollBack(
        tx -> ids.add(queue().producer().enqueue(tx.connection(), order(IN_ITS_ROW + 1))));
    assertMissing(ids.get(0));
    assertThat(sweep().sweepAll(10)).isZero();
  }

  @Test
  default void streamThatFails_undoesItsCall_andTheTransactionContinues() {
    Scene scene = new Scene(queue());
    InputStream broken =
        new InputStream() {
          @Override
          public int read() throws IOException {
            throw new IOException("broken");
          }

          @Override
          public int read(byte[] to, int from, int length) throws IOException {
            throw new IOException("broken");
          }
        };
    List<NewMessage> call =
        List.of(order(IN_ITS_ROW + 1), NewMessage.streamed(Scene.ORDERS, () -> broken));
    scene.commit(
        tx -> {
          assertThatThrownBy(() -> queue().producer().enqueueAll(tx.connection(), call))
              .isInstanceOf(PayloadException.class);
          queue().producer().enqueue(tx.connection(), Scene.order("beside"));
        });
    assertThat(scene.payloads(Scene.ORDERS)).containsExactly("beside");
    assertThat(sweep().sweepAll(10)).isZero();
  }

  @Test
  default void acked_isDeletedWithItsMessage_andNotBefore() {
    Scene scene = new Scene(queue());
    MessageId id = scene.enqueue(order(IN_ITS_ROW + 1));
    MessageId other = scene.enqueue(order(IN_ITS_ROW + 2));
    Claim claim = scene.claimAll().get(0);
    scene.rollBack(tx -> queue().settler().ack(tx, claim));
    assertThat(sweep().sweep(List.of(id, other))).isZero();
    assertThat(bodyOf(id)).isEqualTo(bytes(IN_ITS_ROW + 1));
    scene.ack(claim);
    assertThat(sweep().sweep(List.of(id, other))).isOne();
    assertMissing(id);
    assertThat(bodyOf(other)).isEqualTo(bytes(IN_ITS_ROW + 2));
  }

  @Test
  default void cancelledAndDiscarded_areDeletedWithTheirMessages() {
    Scene scene = new Scene(queue());
    List<MessageId> ids =
        scene.enqueueAll(
            List.of(order(IN_ITS_ROW + 1), order(IN_ITS_ROW + 1), order(IN_ITS_ROW + 1)));
    List<Claim> claims = scene.claimAll();
    scene.dead(claims.get(0));
    queue().settler().releaseAll(claims.subList(1, 3));
    queue().messages().cancel(ids.get(1));
    assertThat(queue().deadLetters().discardAll(List.of(ids.get(0)))).isOne();
    assertThat(sweep().sweepAll(1)).isEqualTo(2);
    assertMissing(ids.get(0));
    assertMissing(ids.get(1));
    assertThat(bodyOf(ids.get(2))).hasSize(IN_ITS_ROW + 1);
  }

  @Test
  default void deadLetter_keepsItsPayload_alsoWhenRedriven() {
    Scene scene = new Scene(queue());
    MessageId id = scene.enqueue(order(IN_ITS_ROW + 1));
    scene.dead(scene.claimOne());
    assertThat(sweep().sweep(List.of(id))).isZero();
    assertThat(sweep().sweepAll(10)).isZero();
    assertThat(queue().poll().deadLetters().get(0).payload()).isEqualTo(bytes(IN_ITS_ROW + 1));
    assertThat(queue().deadLetters().redrive(id)).isTrue();
    assertThat(sweep().sweepAll(10)).isZero();
    assertThat(scene.claimOne().body().isExternal()).isTrue();
    assertThat(bodyOf(id)).isEqualTo(bytes(IN_ITS_ROW + 1));
  }

  @Test
  default void retriedReleasedAndReaped_keepTheirPayloads() {
    Scene scene = new Scene(queue());
    List<MessageId> ids =
        scene.enqueueAll(
            List.of(order(IN_ITS_ROW + 1), order(IN_ITS_ROW + 2), order(IN_ITS_ROW + 3)));
    List<Claim> claims = scene.claimAll();
    assertThat(queue().settler().retry(claims.get(0), Scene.ERROR, Duration.ZERO)).isTrue();
    assertThat(queue().settler().release(claims.get(1), Duration.ZERO)).isTrue();
    scene.loses(Scene.ME);
    assertThat(sweep().sweepAll(10)).isZero();
    for (int i = 0; i < ids.size(); i++) {
      assertThat(bodyOf(ids.get(i))).isEqualTo(bytes(IN_ITS_ROW + 1 + i));
    }
  }

  @Test
  default void replaceablePayload_isStoredInItsRow_andIsReplaced() {
    Scene scene = new Scene(queue());
    Deduplication rule = Deduplication.whileWaiting("k").replacing();
    MessageId id = scene.enqueue(order(IN_ITS_ROW + 1).withDeduplication(rule));
    assertThat(scene.row(id).body().payload()).isEqualTo(bytes(IN_ITS_ROW + 1));
    assertThat(offered(scene, order(IN_ITS_ROW + 2).withDeduplication(rule)))
        .isEqualTo(new EnqueueResult(id, EnqueueResult.Outcome.REPLACED));
    assertThat(queue().poll().messages().get(0).payload()).isEqualTo(bytes(IN_ITS_ROW + 2));
    scene.ack(scene.claimOne());
    assertThat(sweep().sweepAll(10)).isZero();
  }

  @Test
  default void externalPayload_thatIsReplaced_isNotHandled_andIsDeletedWithItsMessage() {
    Scene scene = new Scene(queue());
    Deduplication first = Deduplication.whileWaiting("k");
    MessageId id = scene.enqueue(order(IN_ITS_ROW + 1).withDeduplication(first));
    EnqueueResult second = offered(scene, order(10).withDeduplication(first.replacing()));
    assertThat(second).isEqualTo(new EnqueueResult(id, EnqueueResult.Outcome.REPLACED));
    Claim claim = scene.claimOne();
    assertThat(claim.body().isExternal()).isFalse();
    assertThat(claim.body().payload()).isEqualTo(bytes(10));
    scene.ack(claim);
    assertThat(sweep().sweepAll(10)).isOne();
    assertMissing(id);
  }

  @Test
  default void streamThatMayReplace_isRefused() {
    Scene scene = new Scene(queue());
    NewMessage message =
        streamed(10).withDeduplication(Deduplication.whileWaiting("k").replacing());
    assertThatThrownBy(() -> scene.enqueue(message)).hasStackTraceContaining("cannot replace");
    assertThat(queue().poll().messages()).isEmpty();
  }

  @Test
  default void publishedCopies_haveTheirOwnPayloads() {
    Scene scene = new Scene(queue());
    for (String topic : List.of(Scene.ORDERS.name(), Scene.MAILS.name())) {
      queue().capacity(Subscriptions.class).subscribe("sold", topic);
    }
    NewMessage sold = NewMessage.of("sold", bytes(IN_ITS_ROW + 1));
    scene.commit(tx -> queue().producer().publish(tx.connection(), sold));
    Claim claim = scene.claimOne();
    assertThat(bodyOf(claim.id())).isEqualTo(bytes(IN_ITS_ROW + 1));
    scene.ack(claim);
    assertThat(sweep().sweepAll(10)).isOne();
    assertThat(queue().poll().messages().get(0).payload()).isEqualTo(bytes(IN_ITS_ROW + 1));
  }

  @Test
  default void missingPayload_isDeadLetteredAtOnce() {
    Scene scene = new Scene(queue());
    NewMessage forged =
        NewMessage.of(Scene.ORDERS, new byte[0]).withStoredHeader(Headers.BODY, BodyLocations.ROWS);
    MessageId id = scene.enqueue(forged);
    List<byte[]> given = new ArrayList<>();
    HandlingScene handling =
        new HandlingScene(
            queue(),
            LambdaHandlers.bind(
                Scene.ORDERS.name(), byte[].class, (payload, context) -> given.add(payload)));
    assertThat(handling.handle(scene.claimOne())).isEqualTo(Outcome.DEAD_LETTERED);
    assertThat(given).isEmpty();
    assertThat(queue().deadLetters().find(id).orElseThrow().reason())
        .isEqualTo(DeadLetterReason.BODY_MISSING);
  }

  private Bodies.Body find(MessageId id) {
    return queue().capacity(Bodies.class).find(id, BodyLocations.ROWS);
  }

  private byte[] bodyOf(MessageId id) {
    return find(id).read(1 << 20);
  }

  private void assertMissing(MessageId id) {
    assertThatThrownBy(() -> bodyOf(id)).isInstanceOf(BodyMissingException.class);
  }

  private BodySweep sweep() {
    return queue().capacity(BodySweep.class);
  }

  private EnqueueResult offered(Scene scene, NewMessage message) {
    return scene.made(
        tx -> queue().producer().enqueueAllWithResults(tx.connection(), List.of(message)).get(0));
  }

  private static NewMessage order(int bytes) {
    return NewMessage.of(Scene.ORDERS, bytes(bytes));
  }

  private static NewMessage streamed(int bytes) {
    return NewMessage.streamed(Scene.ORDERS, () -> new ByteArrayInputStream(bytes(bytes)));
  }

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }
}
