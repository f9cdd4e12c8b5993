package io.rowqueue.worker.cli;

import io.rowqueue.database.Transactions;
import io.rowqueue.enqueue.EnqueueException;
import io.rowqueue.enqueue.EnqueueOutcomeUnknownException;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.MessageLimits;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.PayloadCodec;
import io.rowqueue.schema.QueueSchema;
import io.rowqueue.worker.cli.Main.SettingsException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Puts messages into the queue from a shell. */
@Command(
    name = "enqueue",
    mixinStandardHelpOptions = true,
    description = "Enqueues one message, or one for each line of a file of JSON.")
final class EnqueueCommand implements Callable<Integer> {

  private static final int CHUNK = 1_000;

  @Mixin CommonOptions common = new CommonOptions();

  @Option(names = "--topic", paramLabel = "TOPIC", required = true, description = "Where to.")
  String topic = "";

  @Option(names = "--payload", paramLabel = "JSON", description = "One message's payload.")
  @Nullable String payload;

  @Option(
      names = "--file",
      paramLabel = "FILE",
      description = "One JSON payload a line; - reads standard input.")
  @Nullable String file;

  @Option(
      names = "--atomic",
      description = "All lines in one transaction, all or none; otherwise 1,000 a commit.")
  boolean atomic;

  @Option(names = "--delay", paramLabel = "TIME", description = "Due that long from now.")
  Duration delay = Duration.ZERO;

  @Option(names = "--priority", paramLabel = "N", description = "-128 to 127, lower is sooner; 0.")
  int priority;

  @Option(names = "--header", paramLabel = "NAME=VALUE", description = "A header; may be repeated.")
  Map<String, String> headers = new LinkedHashMap<>();

  @Spec CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--max-payload",
      paramLabel = "SIZE",
      converter = Texts.Size.class,
      description = "Largest payload; 4m. Workers need the same.")
  long maxPayload = 4L << 20;

  @Override
  public Integer call() throws IOException {
    if ((payload == null) == (file == null)) {
      throw new SettingsException("give either --payload or --file");
    }
    MessageProducer producer =
        MessageProducer.create(
            PayloadCodec.json(),
            MessageLimits.defaults().withPayloadBytes(Math.toIntExact(maxPayload)));
    DataSource dataSource = common.dataSource();
    QueueSchema.of(Transactions.on(dataSource)).check();
    PrintWriter out = spec.commandLine().getOut();
    String one = payload;
    if (one != null) {
      byte[] bytes = JsonLines.checked(one, 1);
      MessageId id = producer.enqueue(dataSource, message(bytes));
      out.println("enqueued message " + id);
    } else {
      out.println("enqueued " + enqueueFile(producer, dataSource) + " messages");
    }
    out.flush();
    return 0;
  }

  private NewMessage message(byte[] bytes) {
    NewMessage message = NewMessage.of(topic, bytes).withPriority(priority).withDelay(delay);
    for (Map.Entry<String, String> header : headers.entrySet()) {
      message = message.withHeader(header.getKey(), header.getValue());
    }
    return message;
  }

  private long enqueueFile(MessageProducer producer, DataSource dataSource) throws IOException {
    try (BufferedReader reader = new BufferedReader(open());
        Progress progress = Progress.onTerminal()) {
      JsonLines lines = new JsonLines(reader);
      return atomic
          ? enqueueAtomically(producer, dataSource, lines, progress)
          : enqueueInChunks(producer, dataSource, lines, progress);
    }
  }

  private long enqueueInChunks(
      MessageProducer producer, DataSource dataSource, JsonLines lines, Progress progress)
      throws IOException {
    long enqueued = 0;
    long nextLine = 1;
    try {
      for (List<byte[]> chunk = lines.next(CHUNK); !chunk.isEmpty(); chunk = lines.next(CHUNK)) {
        producer.enqueueAll(dataSource, chunk.stream().map(this::message).toList());
        enqueued += chunk.size();
        nextLine = lines.line() + 1;
        progress.show(enqueued);
      }
      return enqueued;
    } catch (io.rowqueue.QueueException e) {
      throw new EnqueueException(
          "%s; %d messages are enqueued, go on at line %d"
              .formatted(e.getMessage(), enqueued, nextLine),
          e);
    }
  }

  private long enqueueAtomically(
      MessageProducer producer, DataSource dataSource, JsonLines lines, Progress progress)
      throws IOException {
    long enqueued = 0;
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      for (List<byte[]> chunk = lines.next(CHUNK); !chunk.isEmpty(); chunk = lines.next(CHUNK)) {
        producer.enqueueAll(connection, chunk.stream().map(this::message).toList());
        enqueued += chunk.size();
        progress.show(enqueued);
      }
      commit(connection);
      return enqueued;
    } catch (SQLException e) {
      throw new EnqueueException("nothing is enqueued: " + e.getMessage(), e);
    } catch (EnqueueOutcomeUnknownException e) {
      throw e;
    } catch (io.rowqueue.QueueException e) {
      throw new EnqueueException(e.getMessage() + "; nothing is enqueued", e);
    }
  }

  private static void commit(Connection connection) {
    try {
      connection.commit();
    } catch (SQLException e) {
      throw new EnqueueOutcomeUnknownException(
          "the COMMIT got no answer: all lines are enqueued, or none; look with `status`", e);
    }
  }

  private Reader open() throws IOException {
    String name = String.valueOf(file);
    InputStream in = name.equals("-") ? System.in : openFile(name);
    return new InputStreamReader(in, StandardCharsets.UTF_8);
  }

  private static InputStream openFile(String name) {
    try {
      return Files.newInputStream(Path.of(name));
    } catch (IOException e) {
      throw new SettingsException("the file " + name + " cannot be read");
    }
  }

  /** A progress bar where somebody watches, and nothing elsewhere. */
  private record Progress(@Nullable ProgressBar bar) implements AutoCloseable {

    static Progress onTerminal() {
      return new Progress(
          CommandLine.Help.Ansi.AUTO.enabled()
              ? new ProgressBarBuilder().setTaskName("enqueued").setInitialMax(-1).build()
              : null);
    }

    void show(long enqueued) {
      if (bar != null) {
        bar.stepTo(enqueued);
      }
    }

    @Override
    public void close() {
      if (bar != null) {
        bar.close();
      }
    }
  }
}
