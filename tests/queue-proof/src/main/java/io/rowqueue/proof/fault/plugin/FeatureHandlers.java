package io.rowqueue.proof.fault.plugin;

import io.rowqueue.BatchSettings;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.handler.Schedule;
import io.rowqueue.internal.body.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The handlers of batches, chains, schedules and streams: each writes what it was given. */
final class FeatureHandlers {

  private static final int ONE_BROKEN_OFF_IN = 5;
  private static final int ONE_REJECTED_IN = 11;
  private static final int PIECE = 10_000;

  private FeatureHandlers() {}

  private static String header(HandlerContext context, String name) {
    return Objects.requireNonNull(context.headers().get(name));
  }

  /** Adds a part and a nested batch of parts to its own batch, and writes both. */
  static final class Adding implements MessageHandler<Action> {
    @Override
    public void handle(Action action, HandlerContext context) throws SQLException {
      Handlers.handle(
          action,
          context,
          () -> {
            if (context.isMember()) {
              add(context);
            }
          });
    }

    private static void add(HandlerContext context) {
      long batch = context.batch().id();
      Action.Part one = newPart();
      write(context, one, batch, null);
      context.batch().add(message(one));
      Action.Part nested = newPart();
      List<Action.Part> several =
          Stream.generate(Adding::newPart).limit(FaultTopics.NESTED).toList();
      several.forEach(part -> write(context, part, batch, nested.token()));
      context
          .transaction()
          .execute("INSERT INTO nested (token, batch_id) VALUES (?, ?)", nested.token(), batch);
      context
          .batch()
          .addBatch(
              BatchSettings.named("nested")
                  .completingWith(NewMessage.of(FaultTopics.NESTED_COMPLETED, nested)),
              several.stream().map(Adding::message).toList());
    }

    private static Action.Part newPart() {
      return new Action.Part(UUID.randomUUID().toString());
    }

    private static NewMessage message(Action.Part part) {
      return NewMessage.of(FaultTopics.PART, part);
    }

    private static void write(
        HandlerContext context, Action.Part part, long batch, @Nullable String nested) {
      context
          .transaction()
          .execute(
              "INSERT INTO part (token, batch_id, nested) VALUES (?, ?, ?)",
              part.token(),
              batch,
              nested);
    }
  }

  /** Writes that a part was handled. */
  static final class PartDone implements MessageHandler<Action.Part> {
    @Override
    public void handle(Action.Part part, HandlerContext context) {
      context.transaction().execute("INSERT INTO part_done (token) VALUES (?)", part.token());
    }
  }

  /** Writes what a completion says of its batch, and what it finds of the members. */
  static final class Completion implements MessageHandler<String> {
    @Override
    public void handle(String nothing, HandlerContext context) {
      String batch = header(context, BatchSettings.BATCH_HEADER);
      context
          .transaction()
          .execute(
              """
              INSERT INTO completed (batch_id, counts, effects, added) SELECT ?, ?,
                (SELECT COUNT(*) FROM batch_member b JOIN effect e ON e.message_id = b.message_id
                  WHERE b.batch_id = ?),
                (SELECT COUNT(*) FROM part p JOIN part_done d ON d.token = p.token
                  WHERE p.batch_id = ? AND p.nested IS NULL)
                + (SELECT COUNT(*) FROM nested n JOIN nested_done d ON d.token = n.token
                  WHERE n.batch_id = ?)
              """,
              batch,
              header(context, BatchSettings.COUNTS_HEADER),
              batch,
              batch,
              batch);
    }
  }

  /** Writes what a nested batch's completion says, and how many of its parts it finds handled. */
  static final class NestedCompletion implements MessageHandler<Action.Part> {
    @Override
    public void handle(Action.Part nested, HandlerContext context) {
      context
          .transaction()
          .execute(
              """
              INSERT INTO nested_done (token, counts, parts) SELECT ?, ?, COUNT(*) FROM part p
              JOIN part_done d ON d.token = p.token WHERE p.nested = ?
              """,
              nested.token(),
              header(context, BatchSettings.COUNTS_HEADER),
              nested.token());
    }
  }

  /** Writes which step of which chain it was; each second step fails once. */
  static final class ChainStep implements MessageHandler<Action.Step> {
    @Override
    public void handle(Action.Step step, HandlerContext context) {
      context
          .transaction()
          .execute("INSERT INTO step (chain, number) VALUES (?, ?)", step.chain(), step.number());
      if (step.number() == 2 && context.attempt() == 1) {
        throw new IllegalStateException("the first attempt fails");
      }
    }
  }

  /** Writes which second a run of the schedule stands for. */
  static final class Tick implements MessageHandler<String> {
    @Override
    public void handle(String nothing, HandlerContext context) {
      Instant moment = Instant.parse(header(context, Schedule.TIME_HEADER));
      context
          .transaction()
          .execute("INSERT INTO tick (second) VALUES (?)", moment.getEpochSecond());
    }
  }

  /** Writes for which moment of which schedule it runs. */
  static final class Scheduled implements MessageHandler<String> {
    @Override
    public void handle(String nothing, HandlerContext context) {
      Instant moment = Instant.parse(header(context, Schedule.TIME_HEADER));
      context
          .transaction()
          .execute(
              "INSERT INTO scheduled_run (schedule, moment) VALUES (?, ?)",
              header(context, Schedule.NAME_HEADER),
              ChronoUnit.MICROS.between(Instant.EPOCH, moment));
    }
  }

  /** Writes length and digest of a stream; some are first read in part, and some are rejected. */
  static final class Streamed implements MessageHandler<InputStream> {
    @Override
    public void handle(InputStream body, HandlerContext context) throws SQLException {
      HandlingJournal.around(
          context,
          () -> {
            Handlers.writeEffect(context);
            try {
              read(body, context);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }

    private static void read(InputStream body, HandlerContext context) throws IOException {
      MessageDigest digest = Sha256.digest();
      byte[] piece = new byte[PIECE];
      long length = 0;
      for (int read = body.read(piece); read >= 0; read = body.read(piece)) {
        digest.update(piece, 0, read);
        length += read;
        if (context.id().value() % ONE_BROKEN_OFF_IN == 0 && context.attempt() == 1) {
          throw new IllegalStateException("the first attempt fails before the stream ends");
        }
      }
      context
          .transaction()
          .execute(
              "INSERT INTO streamed_effect (message_id, length, digest) VALUES (?, ?, ?)",
              context.id().value(),
              length,
              HexFormat.of().formatHex(digest.digest()));
      if (context.id().value() % ONE_REJECTED_IN == 0) {
        throw new PermanentFailure("every attempt fails permanently");
      }
    }
  }
}
