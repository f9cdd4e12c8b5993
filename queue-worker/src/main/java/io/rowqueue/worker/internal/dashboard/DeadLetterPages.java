package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.deadletter.JooqDeadLetters;
import io.rowqueue.operate.DeadLetter;
import io.rowqueue.operate.DeadLetterFilter;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.operate.DeadLetters;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Shows, redrives and deletes dead letters, individually or all that match a filter. */
@Singleton
class DeadLetterPages {

  private static final String ROOM = "/dead-letters";
  private static final String REDRIVE = "redrive";
  private static final String DELETE = "delete";

  /** The limit of a single form: one transaction. */
  private static final int MOST_SELECTED = Sweep.PAGE;

  private final Board board;
  private final DashboardPool pool;
  private final MessagePages messages;
  private final Sweeps sweeps;
  private final Views views;

  @Inject
  DeadLetterPages(
      Board board, DashboardPool pool, MessagePages messages, Sweeps sweeps, Views views) {
    this.board = board;
    this.pool = pool;
    this.messages = messages;
    this.sweeps = sweeps;
    this.views = views;
  }

  /** A row of the list. */
  record Line(
      String id, String topic, String reason, String detail, String attempts, String dead) {}

  /** The filter of a query or a form. */
  private record Meant(String topic, String reason) {

    static Meant of(Params params) {
      return new Meant(params.topic(), params.text("reason"));
    }

    DeadLetterFilter filter(@Nullable Instant until) {
      try {
        return new DeadLetterFilter(
            topic.isEmpty() ? null : new Topic(topic),
            reason.isEmpty() ? null : DeadLetterReason.ofLabel(reason),
            null,
            until);
      } catch (InvalidMessageException e) {
        throw new Refusal(400, String.valueOf(e.getMessage()));
      } catch (IllegalArgumentException e) {
        throw new Refusal(400, "Unknown reason.");
      }
    }

    String query() {
      return "topic=%s&reason=%s"
          .formatted(OverviewPages.encoded(topic), OverviewPages.encoded(reason));
    }

    String words() {
      String of = topic.isEmpty() ? "all topics" : "topic " + OverviewPages.shown(topic);
      return reason.isEmpty() ? of : of + ", reason " + reason;
    }
  }

  private DeadLetters deadLetters() {
    return new JooqDeadLetters(pool.transactions());
  }

  private Instant now() {
    return pool.transactions().read(dsl -> dsl.select(DatabaseClock.now()).fetchSingle().value1());
  }

  Reply list(Call call) {
    Meant meant = Meant.of(call.query());
    long after = call.query().number("after", 0, Long.MAX_VALUE);
    DeadLetterFilter filter = meant.filter(null);
    JooqDeadLetterWalk walk = new JooqDeadLetterWalk(pool.transactions(), filter, after);
    List<MessageId> ids = walk.find(MessagePages.PAGE + 1);
    boolean more = ids.size() > MessagePages.PAGE;
    List<MessageId> shown = more ? ids.subList(0, MessagePages.PAGE) : ids;
    boolean soFar = !more && !walk.isAtEnd();
    long passed = more ? shown.get(shown.size() - 1).value() : walk.after();
    Instant now = now();
    Map<String, Object> model = new HashMap<>();
    model.put("lines", deadLetters().findAll(shown).stream().map(one -> line(one, now)).toList());
    model.put("none", ids.isEmpty() && !soFar);
    model.put("soFar", soFar ? passed : null);
    model.put("topics", MessagePages.topics(board.topics(), meant.topic()));
    model.put("reasons", reasons(meant.reason()));
    model.put("query", meant.query());
    model.put("next", more || soFar ? meant.query() + "&after=" + passed : null);
    return views.show(call, new Views.Page("Dead letters", "dead-letters", false, model));
  }

  private static Line line(DeadLetter one, Instant now) {
    return new Line(
        one.id().toString(),
        OverviewPages.shown(one.topic().name()),
        one.reason().label(),
        Texts.firstGroup(one.detail(), 160),
        Integer.toString(one.attempts()),
        Texts.age(one.deadAt(), now) + " ago");
  }

  private static List<MessagePages.Choice> reasons(String chosen) {
    return Arrays.stream(DeadLetterReason.values())
        .map(DeadLetterReason::label)
        .map(name -> new MessagePages.Choice(name, name.replace('-', ' '), name.equals(chosen)))
        .toList();
  }

  Reply one(Call call, MessageId id) {
    JooqMessagePage page = new JooqMessagePage(pool.transactions());
    JooqMessagePage.Found found =
        page.dead(id)
            .orElseThrow(
                () ->
                    new Refusal(
                        404,
                        "Dead letter %s does not exist; it may have been redriven or deleted."
                            .formatted(id)));
    Map<String, Object> model = messages.model(page, id, found);
    model.put("reason", found.reason());
    model.put("detail", Texts.visible(found.detail()));
    return views.show(call, new Views.Page("Dead letter " + id, "dead-letter", false, model));
  }

  /** Redrives the selected dead letters, or asks for confirmation to delete them. */
  Reply change(Call call) {
    List<MessageId> ids = selected(call);
    return switch (call.form().text("do")) {
      case REDRIVE -> redrive(call, ids);
      case DELETE -> confirmDelete(call, ids);
      default ->
          throw new Refusal(400, "Nothing was changed: the form names neither redrive nor delete.");
    };
  }

  private static List<MessageId> selected(Call call) {
    List<MessageId> ids = call.form().ids("id").stream().distinct().sorted().toList();
    if (ids.isEmpty()) {
      throw new Refusal(400, "Nothing was changed: no dead letter is selected.");
    }
    if (ids.size() > MOST_SELECTED) {
      throw new Refusal(400, "Nothing was changed: at most 200 can be selected at once.");
    }
    return ids;
  }

  private Reply redrive(Call call, List<MessageId> ids) {
    int done = deadLetters().redriveAll(ids);
    return told(call, ids, "dead-letter.redrive", done + " of " + ids.size() + " redriven");
  }

  private Reply confirmDelete(Call call, List<MessageId> ids) {
    Map<String, Object> model = new HashMap<>();
    model.put("ids", ids.stream().map(MessageId::toString).toList());
    model.put("count", ids.size());
    return views.show(
        call, new Views.Page("Delete dead letters?", "delete-dead-letters", false, model));
  }

  Reply delete(Call call) {
    List<MessageId> ids = selected(call);
    int done = deadLetters().discardAll(ids);
    return told(call, ids, "dead-letter.delete", done + " of " + ids.size() + " deleted");
  }

  /** The count is lower than requested if others had already changed some. */
  private Reply told(Call call, List<MessageId> ids, String did, String result) {
    Audit.write(
        call.who(),
        did,
        ids.stream().map(MessageId::toString).collect(Collectors.joining(",")),
        result);
    boolean all = result.startsWith(ids.size() + " of ");
    return views.done(
        call, ROOM, all ? result + "." : result + "; the others had already been changed.");
  }

  Reply confirmAll(Call call) {
    Meant meant = Meant.of(call.query());
    JooqDeadLetterWalk walk = new JooqDeadLetterWalk(pool.transactions(), meant.filter(null), 0);
    int count = walk.find(TopicAccess.MOST).size();
    Map<String, Object> model = new HashMap<>();
    model.put("count", walk.isAtEnd() ? Texts.number(count) : Texts.number(count) + "+");
    model.put("words", meant.words());
    model.put("topic", meant.topic());
    model.put("reason", meant.reason());
    model.put("query", meant.query());
    return views.show(
        call, new Views.Page("All matching dead letters", "all-dead-letters", false, model));
  }

  /**
   * Limited to dead letters that exist now; otherwise a failing handler would keep it running for
   * ever.
   */
  Reply all(Call call) {
    Meant meant = Meant.of(call.form());
    DeadLetterFilter filter = meant.filter(now());
    String what = call.form().text("do");
    if (!what.equals(REDRIVE) && !what.equals(DELETE)) {
      throw new Refusal(400, "Nothing was changed: the form names neither redrive nor delete.");
    }
    if (what.equals(DELETE) && !call.form().text("sure").equals("yes")) {
      throw new Refusal(400, "Nothing was deleted: the confirmation box is not checked.");
    }
    long rate = call.form().number("rate", 0, Sweep.FASTEST);
    sweeps.begin(
        new Sweep.Plan(
            "dead-letter." + what + "-all",
            meant.words(),
            call.who(),
            rate == 0 ? null : (int) rate,
            new All(
                deadLetters(),
                new JooqDeadLetterWalk(pool.transactions(), filter, 0),
                what.equals(REDRIVE))));
    return views.done(call, "/activity", "Started. This page shows its progress.");
  }

  /** Iterates over them by id. */
  private static final class All implements Sweep.Deed {

    private final DeadLetters letters;
    private final JooqDeadLetterWalk walk;
    private final boolean redrive;

    All(DeadLetters letters, JooqDeadLetterWalk walk, boolean redrive) {
      this.letters = letters;
      this.walk = walk;
      this.redrive = redrive;
    }

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
      return redrive ? letters.redriveAll(ids) : letters.discardAll(ids);
    }
  }
}
