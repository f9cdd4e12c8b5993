package io.rowqueue.example.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.AbstractModule;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.HandlerBinder;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.testkit.TestWorker;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A streamed payload, as the documents show it. */
@QueueTest(StreamSnippetsIT.VideoModule.class)
class StreamSnippetsIT {

  private static final int BYTES = 5 << 20;
  private static final AtomicLong CUT = new AtomicLong();

  // snippet: stream-handler
  static final class CutVideo implements MessageHandler<InputStream> {

    @Override
    public void handle(InputStream video, HandlerContext context) throws IOException {
      CUT.set(video.transferTo(OutputStream.nullOutputStream()));
    }
  }

  // end snippet

  static final class VideoModule extends AbstractModule {
    @Override
    protected void configure() {
      HandlerBinder.bind(binder(), "video.cut", CutVideo.class);
    }
  }

  @Test
  void video_aboveTheLimitOfPayloads_isStreamedToItsEnd(
      QueueDatabase database, TestWorker worker, @TempDir Path folder) throws IOException {
    Path path = Files.write(folder.resolve("film.mp4"), new byte[BYTES]);
    DataSource dataSource = database.dataSource();
    MessageProducer producer = MessageProducer.create();
    // snippet: stream-enqueue
    producer.enqueue(
        dataSource, // the file is opened again if the transaction is repeated
        NewMessage.streamed("video.cut", () -> Files.newInputStream(path)));
    // end snippet
    worker.drain();
    assertThat(CUT).hasValue(BYTES);
  }
}
