package io.rowqueue.worker.internal.dashboard;

import io.rowqueue.MessageId;
import io.rowqueue.QueueException;
import io.rowqueue.internal.database.Refusals;
import io.rowqueue.internal.database.RefusedRows;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

/** Changes what is selected in a list. */
final class Selection {

  /** The limit of a single form: one transaction. */
  private static final int MOST = Sweep.PAGE;

  private Selection() {}

  /**
   * Returns the selected ids in order.
   *
   * @param what the name of one, for people
   * @throws Refusal if there are none, or too many
   */
  static List<MessageId> of(Call call, String what) {
    List<MessageId> ids = call.form().ids("id").stream().distinct().sorted().toList();
    if (ids.isEmpty()) {
      throw new Refusal(400, "Nothing was changed: no %s is selected.".formatted(what));
    }
    if (ids.size() > MOST) {
      throw new Refusal(400, "Nothing was changed: at most 200 can be selected at once.");
    }
    return ids;
  }

  /**
   * A change of the selected ones.
   *
   * @param did the action's name for the audit log
   * @param how what the changed ones are, such as {@code redriven}
   * @param others why the others are unchanged
   * @param work changes them in one transaction; returns the number changed
   */
  record Change(String did, String how, String others, ToIntFunction<List<MessageId>> work) {}

  /** Changes and records them. Returns what was done, for people. */
  static String change(Call call, List<MessageId> ids, Change change) {
    AtomicInteger done = new AtomicInteger();
    Refusals<MessageId> refused = new Refusals<>();
    String failure = "";
    try {
      RefusedRows.changeOrHalve(
          ids,
          part -> done.addAndGet(change.work.applyAsInt(part)),
          (id, refusal) -> refused.add(id, refusal, done.get() > 0));
    } catch (QueueException e) {
      if (done.get() == 0) {
        throw e;
      }
      failure = "; then it failed: " + e.getMessage();
    }
    int tried = ids.size() - refused.rows().size();
    String result =
        "%d of %d %s".formatted(done.get(), ids.size(), change.how)
            + (refused.rows().isEmpty() ? "" : "; refused and unchanged: " + refused.text())
            + failure;
    Audit.write(
        call.who(),
        change.did,
        ids.stream().map(MessageId::toString).collect(Collectors.joining(",")),
        result);
    return done.get() == tried || !failure.isEmpty()
        ? result + "."
        : result + "; the others " + change.others + ".";
  }
}
