package io.rowqueue.example.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.handle.MessageHandler;
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
      for (String part : file.parts()) {
        context.extendTimeout(Duration.ofMinutes(5)); // five minutes from now
        load(part, context);
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
    new ImportHandler()
        .handle(
            new Import(List.of("a", "b")),
            FakeContext.aContext().withLongestTimeout(Duration.ofHours(2)));
    assertThat(loaded).containsExactly("a of message 1", "b of message 1");
  }

  @Test
  void handler_withoutTheSetting_isRefusedAsByAWorker() {
    assertThatIllegalStateException()
        .isThrownBy(
            () -> new ImportHandler().handle(new Import(List.of("a")), FakeContext.aContext()))
        .withMessageContaining("withLongestTimeout");
  }
}
