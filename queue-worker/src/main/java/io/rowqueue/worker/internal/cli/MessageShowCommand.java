package io.rowqueue.worker.internal.cli;

import io.rowqueue.MessageId;
import io.rowqueue.internal.operate.JooqMessages;
import io.rowqueue.operate.MessageDetails;
import io.rowqueue.operate.MessageDetails.StoredBody;
import io.rowqueue.operate.MessageLocation;
import io.rowqueue.operate.Messages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Says where a message is, and what is known of it. */
@Command(
    name = "show",
    versionProvider = VersionText.class,
    customSynopsis =
        "queue-worker messages show ID --url URL [--with-payload] [--out FILE] [--json] [OPTIONS]",
    description = {
      "Says where a message is (available, scheduled, in flight, a dead letter or archived) and"
          + " what is known of it. While it waits or is in flight, with the error of every failed"
          + " attempt so far; `dead-letters show` has those of a dead letter. Exits 1 if no table"
          + " has it.",
      "Payload and headers may hold secrets; they are shown only with --with-payload, and only"
          + " their first 4,096 characters. --out writes the whole payload into a file. What lies"
          + " beside its row is neither shown nor written."
    })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class MessageShowCommand extends OperatorCommand {

  @Mixin private final JsonOptions json = new JsonOptions();

  @Parameters(paramLabel = "ID", converter = MessageIdText.class, description = "The message's id.")
  private MessageId id;

  @Option(
      names = "--with-payload",
      arity = "0..1",
      fallbackValue = "true",
      paramLabel = "true|false",
      description = "Show headers and payload, too.")
  private boolean body;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "A new file for the payload, byte for byte; only its owner may read it.")
  private @Nullable Path out;

  MessageShowCommand(CommandIo io) {
    super(io);
  }

  @Override
  public Integer call() {
    if (out != null && Files.exists(out)) {
      throw CommandFailure.usage(
          "the file %s exists already; name a new one for --out".formatted(out));
    }
    Messages messages = new JooqMessages(queue());
    MessageDetails found = messages.find(id);
    if (found.place() == MessageLocation.UNKNOWN && !json.requested()) {
      throw CommandFailure.failed(
          ("no table has message %s; it was acknowledged without a copy, cancelled or deleted, or"
                  + " never existed (if its topic keeps results, `messages await %s` prints it)")
              .formatted(id, id),
          null);
    }
    if (out != null && found.row() != null) {
      write(out, inRow(found.row().body()));
    }
    ExternalBodyLength beside = ExternalBodyLength.of(found, messages::externalBodyBytes);
    show(
        json.choose(
            () -> MessageTexts.of(found, beside, body),
            root -> MessageTexts.fill(root, found, beside, body)));
    return found.place() == MessageLocation.UNKNOWN ? ExitCodes.FAILED : ExitCodes.OK;
  }

  /** An empty file would be taken for an empty payload. */
  private byte[] inRow(StoredBody found) {
    String elsewhere = PlaceText.of(found);
    if (elsewhere != null) {
      throw CommandFailure.failed(
          "the payload of message %s lies %s, and --out writes what lies in the row; the file %s was not made"
              .formatted(id, elsewhere, out),
          null);
    }
    return found.payload();
  }

  private static void write(Path file, byte[] bytes) {
    try {
      create(file);
      fill(file, bytes);
    } catch (IOException e) {
      throw CommandFailure.failed("the file %s cannot be written: %s".formatted(file, e), e);
    }
  }

  /** The same command would refuse a file that holds a part. */
  private static void fill(Path file, byte[] bytes) throws IOException {
    try {
      Files.write(file, bytes, StandardOpenOption.WRITE);
    } catch (IOException e) {
      Files.deleteIfExists(file);
      throw e;
    }
  }

  /** Nobody else may read it, from the first byte on. */
  private static void create(Path file) throws IOException {
    if (file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      Files.createFile(
          file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    } else {
      Files.createFile(file);
    }
  }
}
