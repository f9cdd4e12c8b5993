package io.rowqueue.example.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.rowqueue.handler.CancelMessage;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.testkit.FakeContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What handlers do that take long. */
class LongSnippetsTest {

  private final List<String> loaded = new ArrayList<>();

  private record Import(List<String> parts) {}

  @SuppressWarnings("unused") // quoted
  private static HandlerSettings settings() {
    // snippet: long-settings
    return HandlerSettings.defaults()
        .withTimeout(Duration.ofMinutes(5))
        .withLongestTimeout(Duration.ofHours(2));
    // end snippet
  }

  // snippet: long-handler
  private final class ImportHandler implements MessageHandler<Import> {

    @Override
    public void handle(Import file, HandlerContext context) {
      int done = 0;
      for (String part : file.parts()) {
        context.extendTimeout(Duration.ofMinutes(5)); // five minutes from now
        if (context.isCancelRequested()) {
          throw new CancelMessage("stopped before " + part);
        }
        load(part, context);
        context.progress(++done, file.parts().size(), part);
      }
    }
  }

  // end snippet

  private void load(String part, HandlerContext context) {
    loaded.add(part + " of message " + context.id());
  }

  @Test
  void handler_loadsEveryPart() throws Exception {
    assertThat(settings()).isNotNull();
    FakeContext context = FakeContext.aContext().withLongestTimeout(Duration.ofHours(2));
    new ImportHandler().handle(new Import(List.of("a", "b")), context);
    assertThat(loaded).containsExactly("a of message 1", "b of message 1");
    assertThat(context.reports())
        .extracting(
            FakeContext.Progress::done, FakeContext.Progress::total, FakeContext.Progress::note)
        .containsExactly(tuple(1L, 2L, "a"), tuple(2L, 2L, "b"));
  }

  @Test
  void handler_thatIsAskedToStop_stops() {
    FakeContext context =
        FakeContext.aContext().withLongestTimeout(Duration.ofHours(2)).withCancelRequested();
    assertThatThrownBy(() -> new ImportHandler().handle(new Import(List.of("a")), context))
        .isInstanceOf(CancelMessage.class);
    assertThat(loaded).isEmpty();
  }

  @Test
  void handler_withoutTheSetting_isRefusedAsByAWorker() {
    assertThatIllegalStateException()
        .isThrownBy(
            () -> new ImportHandler().handle(new Import(List.of("a")), FakeContext.aContext()))
        .withMessageContaining("withLongestTimeout");
  }
}
