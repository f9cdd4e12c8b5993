package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.internal.claim.QueueCounts.Count;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.deadletter.DeadLetterGroups;
import io.rowqueue.internal.deadletter.DeadLetterGroups.Group;
import io.rowqueue.internal.deadletter.DeadLetterGroups.Order;
import io.rowqueue.internal.deadletter.ErrorFingerprint;
import io.rowqueue.internal.deadletter.JooqDeadLetters;
import io.rowqueue.operate.DeadLetter;
import io.rowqueue.operate.DeadLetterFilter;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.operate.DeadLetters;
import io.rowqueue.worker.internal.dashboard.Selection.Change;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Shows, redrives and deletes dead letters, individually or all that match a filter. */
@Singleton
class DeadLetterPages {

  private static final String ROOM = "/dead-letters";
  static final String REDRIVE = "redrive";
  private static final String DELETE = "delete";

  private static final String CHANGED = "had already been changed";

  private static final List<String> REASONS =
      Arrays.stream(DeadLetterReason.values()).map(DeadLetterReason::label).toList();

  private static final List<String> ORDERS =
      Arrays.stream(Order.values()).map(Order::label).toList();

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
      String id,
      String topic,
      String reason,
      String detail,
      String attempts,
      Texts.Moment dead,
      String key) {}

  /** A row of the list of groups. */
  record GroupLine(
      String topic,
      String error,
      String count,
      Texts.Moment first,
      Texts.Moment last,
      String newest,
      String query) {}

  private DeadLetters deadLetters() {
    return new JooqDeadLetters(pool.transactions());
  }

  private Instant now() {
    return pool.transactions().read(dsl -> dsl.select(DatabaseClock.now()).fetchSingle().value1());
  }

  Reply list(Call call) {
    DeadLetterQuery query = DeadLetterQuery.of(call.query());
    JooqDeadLetterWalk walk =
        new JooqDeadLetterWalk(pool.transactions(), query, place(call.query()));
    List<MessageId> ids = walk.find(MessagePages.PAGE + 1, SearchStep.PAGE_TIME);
    boolean more = ids.size() > MessagePages.PAGE;
    Instant now = now();
    Map<MessageId, DeadLetter> found = new HashMap<>();
    deadLetters()
        .findAll(more ? ids.subList(0, MessagePages.PAGE) : ids)
        .forEach(one -> found.put(one.id(), one));
    List<DeadLetter> shown = ids.stream().map(found::get).filter(Objects::nonNull).toList();
    boolean soFar = !more && !walk.isAtEnd();
    JooqDeadLetterWalk.Place passed =
        more && !shown.isEmpty() ? place(shown.get(shown.size() - 1)) : walk.after();
    Map<String, Object> model = filters(query);
    Map<Long, String> keys = walk.orderingKeys(found.keySet());
    model.put(
        "lines",
        shown.stream()
            .map(one -> line(one, now, keys.getOrDefault(one.id().value(), "")))
            .toList());
    model.put("keyed", !keys.isEmpty());
    model.put("listed", true);
    model.put("none", ids.isEmpty());
    model.put("soFar", soFar && passed != null ? Texts.Moment.of(passed.deadAt()) : null);
    model.put("error", query.group() == null || shown.isEmpty() ? null : error(shown.get(0)));
    model.put("further", soFar && ids.isEmpty());
    model.put("next", (more || soFar) && passed != null ? next(query, passed) : null);
    return views.show(call, new Views.Page("Dead letters", "dead-letters", false, model));
  }

  private static JooqDeadLetterWalk.@Nullable Place place(Params query) {
    long after = query.number("after", 0, Long.MAX_VALUE);
    try {
      return after == 0
          ? null
          : new JooqDeadLetterWalk.Place(Instant.parse(query.text("at")), after);
    } catch (DateTimeParseException e) {
      throw new Refusal(400, "Unknown page.");
    }
  }

  private static JooqDeadLetterWalk.Place place(DeadLetter one) {
    return new JooqDeadLetterWalk.Place(one.deadAt(), one.id().value());
  }

  private static String next(DeadLetterQuery query, JooqDeadLetterWalk.Place passed) {
    return query.query() + "&at=" + passed.deadAt() + "&after=" + passed.id();
  }

  private static String error(DeadLetter one) {
    return Texts.error(ErrorFingerprint.normalized(one.detail()), 300);
  }

  /** The values of the filters' form. */
  private Map<String, Object> filters(DeadLetterQuery query) {
    Map<String, Object> model = new HashMap<>();
    query.all().forEach(part -> model.put("the-" + part.name(), part.value()));
    model.put("topics", MessagePages.topics(board.topics(), query.topic()));
    model.put("reasons", MessagePages.choices(REASONS, query.rows().reason()));
    model.put("detailed", query.rows().isSearched());
    model.put("fields", query.parts());
    model.put("query", query.query());
    return model;
  }

  private static Line line(DeadLetter one, Instant now, String key) {
    return new Line(
        one.id().toString(),
        OverviewPages.shown(one.topic().name()),
        Texts.words(one.reason().label()),
        Texts.error(one.detail(), 160),
        Integer.toString(one.attempts()),
        Texts.Moment.of(one.deadAt(), now),
        Texts.firstLine(key, 40));
  }

  /** Dead letters by topic and error. */
  Reply groups(Call call) {
    DeadLetterQuery query = DeadLetterQuery.of(call.query()).ofGroup(null);
    String sort = call.query().text("sort");
    JooqDeadLetterWalk walk = new JooqDeadLetterWalk(pool.transactions(), query, null);
    DeadLetterGroups.Groups groups =
        query.rows().isAny()
            ? new DeadLetterGroups(pool.transactions())
                .read(
                    new DeadLetterFilter(topic(query.topic()), null, query.since(), query.until()))
            : searched(walk, SearchStep.time(call.query()));
    Instant now = now();
    Map<String, Object> model = filters(query);
    model.put(
        "lines",
        groups.by(Order.of(sort)).groups().stream().map(group -> line(query, group, now)).toList());
    model.put("orders", MessagePages.choices(ORDERS, sort));
    model.put("grouped", true);
    model.put("none", groups.groups().isEmpty());
    JooqDeadLetterWalk.Place passed = walk.isAtEnd() ? null : walk.after();
    model.put("soFar", passed == null ? null : Texts.Moment.of(passed.deadAt()));
    model.put("longer", passed == null ? null : SearchStep.longer(call));
    model.put(
        "cut",
        groups.found().number() > DeadLetterGroups.MOST_GROUPS
            ? Texts.count(groups.found())
            : null);
    return views.show(
        call, new Views.Page("Dead letters by error", "dead-letter-groups", false, model));
  }

  /** Groups those that a search finds in this time. */
  private DeadLetterGroups.Groups searched(JooqDeadLetterWalk walk, Duration time) {
    List<Group> found = walk.groups(CountLimit.MOST, time);
    return new DeadLetterGroups(pool.transactions())
        .withErrors(found, new Count(found.size(), walk.isAtEnd()));
  }

  private static GroupLine line(DeadLetterQuery query, Group group, Instant now) {
    return new GroupLine(
        OverviewPages.shown(group.topic()),
        Texts.error(group.error(), 300),
        Texts.count(group.count()),
        Texts.Moment.of(group.first(), now),
        Texts.Moment.of(group.last(), now),
        group.newest().toString(),
        query.ofGroup(group).query());
  }

  private static @Nullable Topic topic(String name) {
    try {
      return name.isEmpty() ? null : new Topic(name);
    } catch (InvalidMessageException e) {
      throw new Refusal(400, String.valueOf(e.getMessage()));
    }
  }

  Reply one(Call call, MessageId id) {
    JooqMessagePage page = new JooqMessagePage(pool.transactions());
    JooqMessagePage.Found found = dead(page, id);
    Map<String, Object> model = messages.model(call, page, id, found);
    model.put("reason", Texts.words(found.reason()));
    model.put("detail", Texts.visible(found.detail()));
    PayloadEdit edit = PayloadEdit.of(found);
    model.put("edit", edit.text());
    model.put("refusal", edit.refusal());
    model.put("claims", found.claims());
    model.put("fields", List.of());
    model.put("group", DeadLetterQuery.all(found.topic(), found.fingerprint()).query());
    return views.show(call, new Views.Page("Dead letter " + id, "dead-letter", false, model));
  }

  private static JooqMessagePage.Found dead(JooqMessagePage page, MessageId id) {
    return page.dead(id)
        .orElseThrow(
            () ->
                new Refusal(
                    404,
                    "Dead letter %s does not exist; it may have been redriven or deleted."
                        .formatted(id)));
  }

  /** Redrives one dead letter with the payload of the form. */
  Reply edit(Call call) {
    MessageId id = Params.id(call.form().text("id"));
    int claims = (int) call.form().number("claims", 0, Integer.MAX_VALUE);
    JooqMessagePage.Found found = dead(new JooqMessagePage(pool.transactions()), id);
    byte[] payload = PayloadEdit.of(found).changedTo(call.form().raw("payload"));
    if (!new JooqDeadLetters(pool.transactions()).redrive(id, claims, payload)) {
      throw new Refusal(
          409,
          "Nothing was redriven: dead letter %s has changed since the page was shown. Open it again."
              .formatted(id));
    }
    Audit.write(
        call.who(),
        "dead-letter.edit-and-redrive",
        id.toString(),
        "redriven with %d bytes instead of %d".formatted(payload.length, found.size()));
    return views.done(call, "/messages/" + id, "Message %s is redriven as edited.".formatted(id));
  }

  /** Redrives the selected dead letters, or asks for confirmation to delete them. */
  Reply change(Call call) {
    List<MessageId> ids = Selection.of(call, "dead letter");
    return switch (call.form().text("do")) {
      case REDRIVE -> redrive(call, ids);
      case DELETE -> confirmDelete(call, ids);
      default ->
          throw new Refusal(400, "Nothing was changed: the form names neither redrive nor delete.");
    };
  }

  private Reply redrive(Call call, List<MessageId> ids) {
    return changed(
        call,
        ids,
        new Change("dead-letter.redrive", "redriven", CHANGED, deadLetters()::redriveAll));
  }

  private Reply confirmDelete(Call call, List<MessageId> ids) {
    Map<String, Object> model = filters(DeadLetterQuery.of(call.form()));
    model.put("ids", ids.stream().map(MessageId::toString).toList());
    model.put("count", ids.size());
    return views.show(
        call, new Views.Page("Delete dead letters?", "delete-dead-letters", false, model));
  }

  Reply delete(Call call) {
    return changed(
        call,
        Selection.of(call, "dead letter"),
        new Change("dead-letter.delete", "deleted", CHANGED, deadLetters()::discardAll));
  }

  private Reply changed(Call call, List<MessageId> ids, Change change) {
    return views.done(call, back(call), Selection.change(call, ids, change));
  }

  /** The list with the filter that the form was submitted from. */
  private static String back(Call call) {
    String query = DeadLetterQuery.of(call.form()).query();
    return query.isEmpty() ? ROOM : ROOM + "?" + query;
  }

  Reply confirmAll(Call call) {
    DeadLetterQuery query = DeadLetterQuery.of(call.query());
    Map<String, Object> model = filters(query);
    model.put("counted", Texts.exact(now()));
    Count count = count(query, SearchStep.time(call.query()));
    model.put("count", Texts.count(count));
    model.put("longer", count.isAll() || query.rows().isAny() ? null : SearchStep.longer(call));
    model.put("words", query.words());
    Long group = query.group();
    model.put("error", group == null ? null : error(DeadLetterQuery.all(query.topic(), group)));
    return views.show(
        call, new Views.Page("All matching dead letters", "all-dead-letters", false, model));
  }

  private Count count(DeadLetterQuery query, Duration time) {
    JooqDeadLetterWalk walk = new JooqDeadLetterWalk(pool.transactions(), query, null);
    int count = walk.count(CountLimit.MOST, time);
    return new Count(count, walk.isAtEnd());
  }

  /** Returns the newest error of a group. */
  private @Nullable String error(DeadLetterQuery group) {
    return new JooqDeadLetterWalk(pool.transactions(), group, null)
        .find(1, SearchStep.PAGE_TIME).stream()
            .findFirst()
            .flatMap(id -> deadLetters().find(id))
            .map(DeadLetterPages::error)
            .orElse(null);
  }

  /**
   * Limited to dead letters that existed when the page counted them; otherwise a failing handler
   * would keep it running for ever.
   */
  Reply all(Call call) {
    DeadLetterQuery query = DeadLetterQuery.of(call.form());
    String what = call.form().text("do");
    if (!what.equals(REDRIVE) && !what.equals(DELETE)) {
      throw new Refusal(400, "Nothing was changed: the form names neither redrive nor delete.");
    }
    if (what.equals(DELETE) && !call.form().text("sure").equals("yes")) {
      throw new Refusal(400, "Nothing was deleted: the confirmation box is not checked.");
    }
    long rate = call.form().number("rate", 0, Sweep.FASTEST);
    DeadLetterQuery existing = query.walkedUntil(call.form().counted(now()));
    sweeps.begin(
        new Sweep.Plan(
            "dead-letter." + what + "-all",
            query.words(),
            count(existing, SearchStep.PROGRESS_TIME),
            call.who(),
            rate == 0 ? null : (int) rate,
            new All(
                deadLetters(),
                new JooqDeadLetterWalk(pool.transactions(), existing, null),
                what.equals(REDRIVE))));
    return views.done(call, "/activity", "Started. This page shows its progress.");
  }

  /** Iterates over them, the oldest first. */
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

    @Override
    public String how() {
      return redrive ? "redriven" : "deleted";
    }
  }
}
