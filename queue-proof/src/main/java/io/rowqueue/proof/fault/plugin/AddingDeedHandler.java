package io.rowqueue.proof.fault.plugin;

import com.google.inject.Inject;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.MessageHandler;
import io.rowqueue.message.BatchSettings;
import io.rowqueue.message.NewMessage;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Adds a part and a batch of parts to its own batch, notes both in its transaction, and then does
 * the deed, which may fail.
 */
final class AddingDeedHandler implements MessageHandler<Deed> {

  private final HandlingJournal journal;

  @Inject
  AddingDeedHandler(HandlingJournal journal) {
    this.journal = journal;
  }

  @Override
  public void handle(Deed deed, HandlerContext context) throws SQLException {
    journal.around(
        context,
        () -> {
          DeedHandler.writeEffect(context);
          if (context.isMember()) {
            add(context);
          }
          DeedHandler.work(deed, context);
        });
  }

  private static void add(HandlerContext context) {
    long batch = context.batch().id();
    Part one = newPart();
    note(context, one, batch, null);
    context.batch().add(message(one));
    Part inner = newPart();
    List<Part> several = Stream.generate(AddingDeedHandler::newPart).limit(Deed.INNER).toList();
    several.forEach(part -> note(context, part, batch, inner.token()));
    context
        .transaction()
        .execute("INSERT INTO nest (token, batch_id) VALUES (?, ?)", inner.token(), batch);
    context
        .batch()
        .addBatch(
            BatchSettings.named("inner").completingWith(NewMessage.of(Deed.INNER_COMPLETED, inner)),
            several.stream().map(AddingDeedHandler::message).toList());
  }

  private static Part newPart() {
    return new Part(UUID.randomUUID().toString());
  }

  private static NewMessage message(Part part) {
    return NewMessage.of(Deed.PART, part);
  }

  private static void note(HandlerContext context, Part part, long batch, @Nullable String nest) {
    context
        .transaction()
        .execute(
            "INSERT INTO part (token, batch_id, nest) VALUES (?, ?, ?)", part.token(), batch, nest);
  }
}
