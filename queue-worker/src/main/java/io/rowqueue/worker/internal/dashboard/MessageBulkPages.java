package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.MessageId;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.claim.QueueCounts.Count;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.operate.JooqMessages;
import io.rowqueue.worker.internal.dashboard.Selection.Change;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** Runs now or cancels the selected messages, or all that match. */
@Singleton
class MessageBulkPages {

  static final String RUN = "run";
  private static final String CANCEL = "cancel";
  private static final String ROOM = "/messages";
  private static final String RUN_NOW = "due now";
  private static final String CANCELLED = "cancelled";

  /** Others are due already, or wait for their ordering key. */
  private static final List<Byte> RUNNABLE = List.of(MessageState.SCHEDULED);

  private final DashboardPool pool;
  private final Sweeps sweeps;
  private final Views views;

  @Inject
  MessageBulkPages(DashboardPool pool, Sweeps sweeps, Views views) {
    this.pool = pool;
    this.sweeps = sweeps;
    this.views = views;
  }

  private JooqMessages messages() {
    return new JooqMessages(pool.transactions());
  }

  private Instant now() {
    return pool.transactions().read(dsl -> dsl.select(DatabaseClock.now()).fetchSingle().value1());
  }

  private static String action(Call call) {
    String what = call.form().text("do");
    if (!what.equals(RUN) && !what.equals(CANCEL)) {
      throw new Refusal(400, "Nothing was changed: the form names neither run nor cancel.");
    }
    return what;
  }

  private static boolean isSure(Call call) {
    return call.form().text("sure").equals("yes");
  }

  private static String back(MessageQuery query) {
    return query.parts().isEmpty() ? ROOM : ROOM + "?" + query.query();
  }

  /** Runs the selected messages now, or cancels them after a confirmation. */
  Reply selected(Call call) {
    boolean run = action(call).equals(RUN);
    List<MessageId> ids = Selection.of(call, "message");
    MessageQuery query = MessageQuery.of(call.form());
    if (!run && !isSure(call)) {
      return confirmSelected(call, ids, query);
    }
    Change change =
        run
            ? new Change("message.run", RUN_NOW, "were not scheduled", messages()::runAllNow)
            : new Change(
                "message.cancel", CANCELLED, "are in flight or gone", messages()::cancelAll);
    return views.done(call, back(query), Selection.change(call, ids, change));
  }

  private Reply confirmSelected(Call call, List<MessageId> ids, MessageQuery query) {
    Map<String, Object> model = new HashMap<>();
    model.put("ids", ids.stream().map(MessageId::toString).toList());
    model.put("count", ids.size());
    model.put("several", ids.size() > 1);
    model.put("fields", query.parts());
    model.put("query", query.query());
    return views.show(call, new Views.Page("Cancel messages?", "cancel-messages", false, model));
  }

  /** Asks what to do with all that match. */
  Reply confirmAll(Call call) {
    MessageQuery query = MessageQuery.of(call.query());
    Instant now = now();
    Duration each = SearchStep.time(call.query()).dividedBy(2);
    Count scheduled = walk(query, RUNNABLE, null).count(each);
    Count waiting = walk(query, MessageWalk.WAITING, null).count(each);
    Map<String, Object> model = new HashMap<>();
    model.put("words", query.words());
    model.put("counted", Texts.exact(now));
    model.put("runnable", shown(scheduled));
    model.put("waiting", shown(waiting));
    model.put("longer", scheduled.isAll() && waiting.isAll() ? null : SearchStep.longer(call));
    model.put("fields", query.parts());
    model.put("query", query.query());
    return views.show(call, new Views.Page("All matching messages", "all-messages", false, model));
  }

  /** Returns null if there are none; a search that was stopped may not have found the first yet. */
  private static @Nullable String shown(Count count) {
    return count.isNone() && count.isAll() ? null : Texts.count(count);
  }

  private MessageWalk walk(MessageQuery query, List<Byte> states, @Nullable Instant changedUntil) {
    return new MessageWalk(pool.transactions(), query.scopes(states), query.filter(changedUntil));
  }

  /**
   * Limited to messages that existed when the page counted them, and when they are run, to those
   * that have not changed since: otherwise a failing handler would keep it running for ever.
   */
  Reply all(Call call) {
    boolean run = action(call).equals(RUN);
    if (!run && !isSure(call)) {
      throw new Refusal(400, "Nothing was cancelled: the confirmation box is not checked.");
    }
    long rate = call.form().number("rate", 0, Sweep.FASTEST);
    MessageQuery query = MessageQuery.of(call.form());
    Instant now = now();
    List<Byte> states = run ? RUNNABLE : MessageWalk.WAITING;
    MessageQuery existing = query.enqueuedUntil(call.form().counted(now));
    Instant changedUntil = run ? now : null;
    sweeps.begin(
        new Sweep.Plan(
            run ? "message.run-all" : "message.cancel-all",
            query.words(),
            walk(existing, states, changedUntil).count(SearchStep.PROGRESS_TIME),
            call.who(),
            rate == 0 ? null : (int) rate,
            new All(
                walk(existing, states, changedUntil),
                run ? messages()::runAllNow : messages()::cancelAll,
                run ? RUN_NOW : CANCELLED)));
    return views.done(call, "/activity", "Started. This page shows its progress.");
  }

  private record All(MessageWalk walk, ToIntFunction<List<MessageId>> change, String how)
      implements Sweep.Deed {

    @Override
    public List<MessageId> next(int most) {
      return walk.next(most);
    }

    @Override
    public boolean isAtEnd() {
      return walk.isAtEnd();
    }

    @Override
    public int apply(List<MessageId> ids) {
      return change.applyAsInt(ids);
    }
  }
}
