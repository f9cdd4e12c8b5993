package io.rowqueue.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.handler.HandlerContext;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HandlersTest {

  private static final Duration SOON = Duration.ofSeconds(10);
  private static final HandlerContext CONTEXT = FakeContext.aContext();

  @Test
  void recording_handledTwice_keepsPayloadsAndContextInOrder() throws Exception {
    RecordingHandler<String> handler = new RecordingHandler<>();

    handler.handle("one", FakeContext.aContext().withId(7).withHeader("trace", "t1"));
    handler.handle("two", FakeContext.aContext().withId(8).withAttempt(3));

    assertThat(handler.payloads()).containsExactly("one", "two");
    assertThat(handler.handled().get(0).headers()).isEqualTo(Map.of("trace", "t1"));
    assertThat(handler.handled().get(1))
        .satisfies(second -> assertThat(second.id().value()).isEqualTo(8))
        .satisfies(second -> assertThat(second.attempt()).isEqualTo(3))
        .satisfies(second -> assertThat(second.claimNumber()).isEqualTo(3));
    handler.clear();
    assertThat(handler.payloads()).isEmpty();
  }

  @Test
  void recording_beforeAFailure_remembersAllTheSame() {
    RecordingHandler<String> handler =
        new RecordingHandler<>(FailingHandler.always(() -> new IOException("down")));

    assertThatThrownBy(() -> handler.handle("one", CONTEXT)).hasMessage("down");
    assertThat(handler.payloads()).containsExactly("one");
  }

  @Test
  void recording_fromManyThreads_losesNothing() {
    RecordingHandler<Integer> handler = new RecordingHandler<>();

    List<CompletableFuture<Void>> threads =
        IntStream.range(0, 8).mapToObj(thread -> run(() -> handleHundred(handler))).toList();

    assertThat(handler.awaitHandled(800, SOON)).hasSize(800);
    threads.forEach(CompletableFuture::join);
  }

  @Test
  void failing_twice_thenLeavesTheRestToTheNext() throws Exception {
    RecordingHandler<String> next = new RecordingHandler<>();
    FailingHandler<String> handler = new FailingHandler<>(2, () -> new IOException("down"), next);

    assertThatThrownBy(() -> handler.handle("one", CONTEXT)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> handler.handle("one", CONTEXT)).isInstanceOf(IOException.class);
    handler.handle("one", CONTEXT);

    assertThat(handler.calls()).isEqualTo(3);
    assertThat(next.payloads()).containsExactly("one");
  }

  @Test
  void failing_aNegativeNumberOfTimes_isRefused() {
    assertThatThrownBy(() -> new FailingHandler<String>(-1, IOException::new))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void blocking_releaseOne_letsOneGo() throws Exception {
    BlockingHandler<String> handler = new BlockingHandler<>();
    List<CompletableFuture<Void>> threads =
        IntStream.range(0, 3).mapToObj(thread -> run(() -> handler.handle("m", CONTEXT))).toList();
    handler.awaitEntered(3, SOON);
    assertThat(handler.inside()).isEqualTo(3);

    handler.releaseOne();

    Await.until("one has left", SOON, handler::inside, left -> left == 2);
    handler.release();
    handler.release();
    threads.forEach(CompletableFuture::join);
    handler.handle("later", CONTEXT);
  }

  @Test
  void blocking_tooFewEnter_failsAndTellsHowMany() {
    BlockingHandler<String> handler = new BlockingHandler<>();

    assertThatThrownBy(() -> handler.awaitEntered(1, Duration.ofMillis(10)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("only 0 did");
  }

  @Test
  void blocking_interrupted_throwsAndLeaves() {
    BlockingHandler<String> handler = new BlockingHandler<>();
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> handler.handle("m", CONTEXT)).isInstanceOf(InterruptedException.class);
    assertThat(handler.inside()).isZero();
  }

  private static void handleHundred(RecordingHandler<Integer> handler) throws Exception {
    for (int i = 0; i < 100; i++) {
      handler.handle(i, CONTEXT);
    }
  }

  private static CompletableFuture<Void> run(Throwing work) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
                done.complete(null);
              } catch (Exception e) {
                done.completeExceptionally(e);
              }
            },
            "handler");
    thread.setDaemon(true);
    thread.start();
    return done;
  }

  private interface Throwing {

    void run() throws Exception;
  }
}
