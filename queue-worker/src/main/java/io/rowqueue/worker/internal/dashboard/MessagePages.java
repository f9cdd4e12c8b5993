package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.MessageId;
import io.rowqueue.QueueException;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.database.MissingPrivilege;
import io.rowqueue.internal.operate.JooqAudit;
import io.rowqueue.internal.operate.JooqMessages;
import io.rowqueue.operate.CancelOutcome;
import io.rowqueue.operate.FailedAttempt;
import io.rowqueue.operate.Messages;
import io.rowqueue.worker.DashboardConfig;
import io.rowqueue.worker.internal.dashboard.JooqMessageSearch.Filter;
import io.rowqueue.worker.internal.dashboard.JooqMessageSearch.Scope;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Lists messages in the queue, and shows one message from any table. */
@Singleton
class MessagePages {

  static final int PAGE = 50;

  private static final String ROOM = "/messages";

  private static final int LONGEST_NAME = 255;

  /** The trace's id in a W3C {@code traceparent}. */
  private static final Pattern TRACE =
      Pattern.compile("[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}.*");

  private static final Set<Byte> RESCHEDULABLE =
      Set.of(MessageState.AVAILABLE, MessageState.SCHEDULED);

  /** The states by their values in forms. */
  static final Map<String, Byte> STATES = states();

  private final Board board;
  private final DashboardPool pool;
  private final Body bodies;
  private final DashboardConfig config;
  private final AuditTable audit;
  private final Views views;

  @Inject
  MessagePages(
      Board board,
      DashboardPool pool,
      Body bodies,
      DashboardConfig config,
      AuditTable audit,
      Views views) {
    this.audit = audit;
    this.config = config;
    this.board = board;
    this.pool = pool;
    this.bodies = bodies;
    this.views = views;
  }

  private static Map<String, Byte> states() {
    Map<String, Byte> states = new LinkedHashMap<>();
    states.put("available", MessageState.AVAILABLE);
    states.put("in-flight", MessageState.CLAIMED);
    states.put("scheduled", MessageState.SCHEDULED);
    states.put("blocked", MessageState.BLOCKED);
    states.put("enqueuing", MessageState.ARRIVING);
    return states;
  }

  /** Returns the name of a state, for people. */
  static String name(byte state) {
    return Texts.words(value(state));
  }

  private static String value(byte state) {
    return STATES.entrySet().stream()
        .filter(entry -> entry.getValue() == state)
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse("state " + state);
  }

  /** An option of a selection list. */
  record Choice(String value, String name, boolean chosen) {}

  /** A row of the list. */
  record Line(
      String id,
      String topic,
      String state,
      String priority,
      String attempts,
      String size,
      Texts.Moment enqueued,
      Texts.@Nullable Moment due,
      String key) {}

  Reply list(Call call) {
    MessageQuery query = MessageQuery.of(call.query());
    Map<String, Object> model = new HashMap<>();
    query.all().forEach(part -> model.put("the-" + part.name(), part.value()));
    model.put("topics", topics(board.topics(), query.topic()));
    model.put("others", List.of());
    model.put("soFar", null);
    model.put("further", false);
    model.put("states", choices(STATES.keySet(), query.state()));
    model.put("fields", query.parts());
    if (!query.header().isEmpty()) {
      Reply found = found(call, query, model);
      if (found != null) {
        return found;
      }
    }
    model.put("all", "/messages/all?" + query.query());
    search(call.query(), query, model);
    return views.show(call, new Views.Page("Messages", "messages", false, model));
  }

  private static void put(Map<String, Object> model, List<JooqMessageSearch.Row> rows) {
    model.put("lines", rows.stream().map(MessagePages::line).toList());
    model.put("none", rows.isEmpty());
    model.put("keyed", rows.stream().anyMatch(row -> row.orderingKey() != null));
  }

  /**
   * Returns what is searched one after the other: no index has the messages of a topic in all
   * states in one order.
   *
   * @param first the state that a next page begins with; empty for the first
   */
  private static List<Scope> scopes(MessageQuery query, String first) {
    if (query.topic().isEmpty() && query.state().isEmpty()) {
      return List.of(Scope.ALL);
    }
    if (!first.isEmpty() && !STATES.containsKey(first)) {
      throw new Refusal(400, "Unknown page.");
    }
    return query.scopes(
        STATES.keySet().stream()
            .dropWhile(name -> query.state().isEmpty() && !first.isEmpty() && !name.equals(first))
            .map(STATES::get)
            .toList());
  }

  /** Where the next page continues; {@code after} is null at the start of the scope. */
  private record Rest(Scope scope, JooqMessageSearch.@Nullable Place after) {

    String text() {
      return after == null ? "before the next state" : "at id " + after.id();
    }
  }

  private void search(Params page, MessageQuery query, Map<String, Object> model) {
    List<Scope> scopes = scopes(query, page.text("in"));
    List<JooqMessageSearch.Row> rows = new ArrayList<>();
    Rest rest = find(scopes, query.filter(null), place(page, scopes.get(0)), rows);
    put(model, rows);
    model.put("further", rows.isEmpty() && rest != null);
    model.put("soFar", rest == null || rows.size() == PAGE ? null : rest.text());
    model.put("what", what(query, scopes.get(0)));
    model.put("next", rest == null ? null : next(query, rest));
  }

  /** Adds a page to {@code rows}. Returns null if there are no more. */
  private @Nullable Rest find(
      List<Scope> scopes,
      Filter filter,
      JooqMessageSearch.@Nullable Place first,
      List<JooqMessageSearch.Row> rows) {
    long start = System.nanoTime();
    JooqMessageSearch.Place after = first;
    for (Scope scope : scopes) {
      JooqMessageSearch search = new JooqMessageSearch(pool.transactions(), scope, filter, after);
      Duration left = SearchStep.PAGE_TIME.minusNanos(System.nanoTime() - start);
      boolean isFull = rows.size() == PAGE;
      List<JooqMessageSearch.Row> found =
          search.findWithSizes(isFull ? 1 : PAGE - rows.size(), left);
      if (isFull && !found.isEmpty()) {
        return new Rest(scope, null);
      }
      rows.addAll(found);
      if (!search.isAtEnd()) {
        return new Rest(scope, search.after());
      }
      after = null;
    }
    return null;
  }

  private static String next(MessageQuery query, Rest rest) {
    StringBuilder next = new StringBuilder(query.query());
    Byte state = rest.scope.state();
    next.append("&in=").append(state == null ? "" : value(state));
    JooqMessageSearch.Place after = rest.after;
    return after == null
        ? next.toString()
        : next.append("&at=%s&after=%d".formatted(after.first(), after.id())).toString();
  }

  private static JooqMessageSearch.@Nullable Place place(Params query, Scope scope) {
    long after = query.number("after", 0, Long.MAX_VALUE);
    try {
      return after == 0 ? null : new JooqMessageSearch.Place(first(query.text("at"), scope), after);
    } catch (DateTimeParseException | NumberFormatException e) {
      throw new Refusal(400, "Unknown page.");
    }
  }

  private static Object first(String text, Scope scope) {
    if (scope.state() == null) {
      return "";
    }
    return scope.topic() == null ? Instant.parse(text) : Byte.valueOf(text);
  }

  /**
   * Searches for an id, an ordering key and a deduplication key, by index reads only. Returns null
   * if there is none and the text may be a header.
   */
  private @Nullable Reply found(Call call, MessageQuery query, Map<String, Object> model) {
    String search = query.header();
    Set<String> topics = query.topic().isEmpty() ? board.topics() : Set.of(query.topic());
    JooqMessageIds keys = new JooqMessageIds(pool.transactions());
    Set<Long> ids = new TreeSet<>(keys.ofOrderingKey(topics, search, PAGE));
    String unread = "";
    try {
      ids.addAll(keys.ofDeduplicationKey(topics, search));
    } catch (QueueException e) {
      if (!MissingPrivilege.isIn(e)) {
        throw e;
      }
      unread =
          " Deduplication keys were not searched: the dashboard's account lacks SELECT on"
              + " queue_deduplication.";
    }
    if (search.matches("[1-9]\\d{0,17}")) {
      ids.add(Long.parseLong(search));
    }
    JooqMessagePage page = new JooqMessagePage(pool.transactions());
    List<JooqMessageSearch.Row> rows =
        pool.transactions().read(dsl -> JooqMessageSearch.all(dsl, ids));
    rows.forEach(row -> ids.remove(row.id()));
    ids.removeIf(id -> page.find(new MessageId(id)).isEmpty());
    if (rows.isEmpty() && ids.isEmpty() && search.indexOf('=') > 0) {
      model.put("dead", "header=" + OverviewPages.encoded(search));
      return null;
    }
    String unused =
        query.parts().stream()
            .map(Params.Part::name)
            .filter(name -> !Set.of("topic", "q").contains(name))
            .collect(Collectors.joining(", "));
    if (rows.size() + ids.size() == 1 && unused.isEmpty()) {
      long id = rows.isEmpty() ? ids.iterator().next() : rows.get(0).id();
      return Reply.seeOther(views.base() + ROOM + "/" + id);
    }
    put(model, rows);
    model.put("none", rows.isEmpty() && ids.isEmpty());
    model.put("others", ids.stream().map(String::valueOf).toList());
    model.put("dead", "key=" + OverviewPages.encoded(search));
    model.put(
        "what",
        "With this id, ordering key or deduplication key; up to %d.%s%s"
            .formatted(
                PAGE, unused.isEmpty() ? "" : " Filters not applied: " + unused + ".", unread));
    model.put("next", null);
    model.put("all", null);
    return views.show(call, new Views.Page("Messages", "messages", false, model));
  }

  private static String what(MessageQuery query, Scope scope) {
    String searched =
        query.header().isEmpty() ? "" : "Not found as a key, so searched as a header. ";
    if (scope.state() == null) {
      return searched + "Newest first, all topics and states.";
    }
    if (scope.topic() == null) {
      return searched + "By due time, all topics.";
    }
    return searched
        + (query.state().isEmpty()
            ? "One state after the other, each in claim order."
            : "In claim order.");
  }

  static List<Choice> topics(Set<String> known, String chosen) {
    List<Choice> choices = new ArrayList<>();
    known.forEach(
        name -> choices.add(new Choice(name, OverviewPages.shown(name), name.equals(chosen))));
    if (!chosen.isEmpty() && !known.contains(chosen)) {
      choices.add(new Choice(chosen, OverviewPages.shown(chosen), true));
    }
    return choices;
  }

  static List<Choice> choices(Collection<String> values, String chosen) {
    return values.stream()
        .map(value -> new Choice(value, Texts.words(value), value.equals(chosen)))
        .toList();
  }

  private static Line line(JooqMessageSearch.Row row) {
    boolean seen = !row.dueAt().equals(Instant.EPOCH);
    String key = row.orderingKey();
    return new Line(
        Long.toString(row.id()),
        OverviewPages.shown(row.topic()),
        name(row.state()),
        Integer.toString(row.priority()),
        Integer.toString(row.attempts()),
        Texts.bytes(row.size()),
        Texts.Moment.of(row.createdAt(), row.at()),
        seen ? Texts.Moment.of(row.dueAt(), row.at()) : null,
        key == null ? "" : Texts.firstLine(key, 40));
  }

  /** A label and its value, with the path of a page of it; empty if there is none. */
  record Fact(String name, String value, String path) {

    Fact(String name, Object value) {
      this(name, value.toString(), "");
    }
  }

  /** A failed attempt. */
  record Failure(
      String title,
      String worker,
      Texts.Moment at,
      String message,
      List<TraceText.Part> trace,
      boolean open) {}

  private static JooqMessagePage.Found found(JooqMessagePage page, MessageId id) {
    return page.find(id)
        .orElseThrow(
            () ->
                new Refusal(
                    404,
                    "Message %s does not exist: it was acknowledged and not archived, cancelled, deleted, or never enqueued."
                        .formatted(id)));
  }

  /** The payload as a file, of a type that no browser renders. */
  Reply payload(MessageId id) {
    JooqMessagePage page = new JooqMessagePage(pool.transactions());
    byte[] payload = bodies.whole(page, id, found(page, id));
    boolean all = payload.length <= JooqMessagePage.SHOWN;
    byte[] beginning = all ? payload : Arrays.copyOf(payload, JooqMessagePage.SHOWN);
    return new Reply(
        200,
        "application/octet-stream",
        payload,
        Map.of(
            "Content-Disposition",
            "attachment; filename=\"message-%s.%s\""
                .formatted(id, PayloadText.of(beginning, all, true).ending())));
  }

  Reply one(Call call, MessageId id) {
    JooqMessagePage page = new JooqMessagePage(pool.transactions());
    JooqMessagePage.Found found = found(page, id);
    if (found.where() == JooqMessagePage.Where.DEAD) {
      return Reply.seeOther(views.base() + "/dead-letters/" + id);
    }
    Map<String, Object> model = model(call, page, id, found);
    boolean queued = found.where() == JooqMessagePage.Where.QUEUE;
    model.put("cancellable", queued);
    model.put("running", queued && found.state() == MessageState.CLAIMED);
    model.put("scheduled", queued && found.state() == MessageState.SCHEDULED);
    model.put(
        "due", queued && RESCHEDULABLE.contains(found.state()) ? Texts.input(found.dueAt()) : null);
    model.put("waiting", queued && MessageState.WAITING.contains(found.state()));
    model.put("priority", found.priority());
    return views.show(call, new Views.Page("Message " + id, "message", false, model));
  }

  /** The model that pages of one message share. */
  Map<String, Object> model(
      Call call, JooqMessagePage page, MessageId id, JooqMessagePage.Found found) {
    Body.Shown body = bodies.of(page, id, found);
    boolean raw = call.query().text("raw").equals("1");
    PayloadText text = body.text(raw);
    Map<String, Object> model = new HashMap<>();
    model.put("id", id.toString());
    model.put("facts", facts(page, id, found));
    model.put("kind", text.kind());
    model.put("payload", text.text());
    model.put("part", !text.whole());
    model.put("self", call.path());
    model.put("formatted", text.isJson() && !raw);
    model.put("raw", text.isJson() && raw);
    model.put("note", body.note());
    model.put("size", Body.isInRow(found) ? Texts.bytes(found.size()) : "");
    String headers = found.headers();
    model.put(
        "headers",
        headers == null
            ? null
            : PayloadText.of(headers.getBytes(java.nio.charset.StandardCharsets.UTF_8), true)
                .text());
    List<FailedAttempt> attempts = page.attempts(id);
    model.put("failures", failures(attempts));
    model.put("timeline", timeline(page, id, found, attempts));
    model.put("trace", traceLink(found));
    return model;
  }

  /** Returns the address of its trace; null if none is known. */
  private @Nullable String traceLink(JooqMessagePage.Found found) {
    String template = config.traceUrl();
    if (template == null) {
      return null;
    }
    Matcher trace = TRACE.matcher(Body.headers(found).getOrDefault("traceparent", ""));
    return trace.matches() ? template.replace(DashboardConfig.TRACE_ID, trace.group(1)) : null;
  }

  private static List<Fact> facts(JooqMessagePage page, MessageId id, JooqMessagePage.Found found) {
    List<Fact> facts = new ArrayList<>();
    facts.add(
        new Fact(
            "Topic",
            OverviewPages.shown(found.topic()),
            "/topic?topic=" + OverviewPages.encoded(found.topic())));
    facts.add(new Fact("State", state(found)));
    facts.add(new Fact("Priority", found.priority()));
    facts.add(new Fact("Claims", found.claims()));
    facts.add(new Fact("Failed attempts", found.attempts()));
    facts.add(new Fact("Lost claims", found.lostClaims()));
    boolean open =
        switch (found.where()) {
          case QUEUE -> found.state() == MessageState.CLAIMED;
          case DEAD -> false;
          case ARCHIVE -> true;
        };
    int others = found.claims() - found.attempts() - found.lostClaims() - (open ? 1 : 0);
    if (others > 0) {
      facts.add(
          new Fact(
              "Other claims",
              others + ": released, lost before the handler began, or before a redrive"));
    }
    String key = found.orderingKey();
    if (key != null) {
      facts.add(new Fact("Ordering key", Texts.visible(key)));
    }
    if (found.where() == JooqMessagePage.Where.QUEUE) {
      String progress = page.progress(id, found.claims());
      if (progress != null && found.state() == MessageState.CLAIMED) {
        facts.add(new Fact("Progress", Texts.visible(progress)));
      }
    }
    return facts;
  }

  private static String state(JooqMessagePage.Found found) {
    return switch (found.where()) {
      case QUEUE -> name(found.state());
      case DEAD -> "dead letter";
      case ARCHIVE -> "archived (acknowledged)";
    };
  }

  /**
   * Something that happened to a message, or is due.
   *
   * @param ago its distance from now, and from what happened before
   */
  record TimelineEntry(Texts.Moment when, String ago, String what) {}

  private record Event(Instant at, String what) {}

  /** What the rows of a message tell of its life, in order. */
  private List<TimelineEntry> timeline(
      JooqMessagePage page,
      MessageId id,
      JooqMessagePage.Found found,
      List<FailedAttempt> attempts) {
    Instant now = found.at();
    List<Event> events = new ArrayList<>();
    events.add(new Event(found.createdAt(), "Enqueued"));
    if (found.dueAt().isAfter(found.createdAt())) {
      events.add(new Event(found.dueAt(), found.dueAt().isAfter(now) ? "Due" : "Was due"));
    }
    for (FailedAttempt one : attempts) {
      events.add(
          new Event(
              one.failedAt(),
              "Failed (attempt %d, claim %d) on %s: %s"
                  .formatted(
                      one.attempt(),
                      one.claimNumber(),
                      one.worker(),
                      Texts.error(one.errorClass(), 200))));
    }
    if (found.since().isAfter(found.createdAt())) {
      events.add(new Event(changed(found, attempts), change(found)));
    }
    JooqMessagePage.CancelRequest request =
        found.where() == JooqMessagePage.Where.QUEUE ? page.cancelRequest(id) : null;
    if (request != null) {
      events.add(new Event(request.at(), "Cancellation requested by " + request.by()));
    }
    for (JooqAudit.Written row : audit.of(id, found.createdAt())) {
      AuditTable.Line one = AuditTable.line(row);
      if (request == null || !one.name().endsWith("cancel")) {
        events.add(
            new Event(row.at(), "%s, by %s: %s".formatted(one.action(), one.who(), one.result())));
      }
    }
    events.sort(Comparator.comparing(Event::at));
    List<TimelineEntry> entries = new ArrayList<>();
    Instant before = null;
    for (Event one : events) {
      String ago = Texts.due(one.at(), now);
      entries.add(
          new TimelineEntry(
              Texts.Moment.of(one.at()),
              before == null || one.at().isAfter(now)
                  ? ago
                  : ago + ", after " + Texts.duration(Duration.between(before, one.at())),
              Texts.visible(one.what())));
      before = one.at();
    }
    return entries;
  }

  /** Not before its last failed attempt, whose row is written behind the message's. */
  private static Instant changed(JooqMessagePage.Found found, List<FailedAttempt> attempts) {
    Instant since = found.since();
    return attempts.stream()
        .map(FailedAttempt::failedAt)
        .filter(failed -> failed.isAfter(since))
        .max(Comparator.naturalOrder())
        .orElse(since);
  }

  private static String change(JooqMessagePage.Found found) {
    return switch (found.where()) {
      case QUEUE ->
          found.state() == MessageState.CLAIMED
              ? "Claimed by %s (claim %d)".formatted(found.worker(), found.claims())
              : "Last change: " + name(found.state());
      case DEAD ->
          "Dead-lettered on %s (claim %d): %s"
              .formatted(found.worker(), found.claims(), Texts.words(found.reason()));
      case ARCHIVE ->
          "Acknowledged by %s (claim %d), handled in %s"
              .formatted(found.worker(), found.claims(), Texts.duration(found.took()));
    };
  }

  private static List<Failure> failures(List<FailedAttempt> attempts) {
    List<Failure> failures = new ArrayList<>();
    for (int i = 0; i < attempts.size(); i++) {
      FailedAttempt one = attempts.get(i);
      failures.add(
          new Failure(
              "Attempt %d: %s".formatted(one.attempt(), Texts.firstLine(one.errorClass(), 200)),
              one.worker(),
              Texts.Moment.of(one.failedAt()),
              Texts.visible(one.errorMessage()),
              TraceText.of(one.trace()),
              i == attempts.size() - 1));
    }
    return failures;
  }

  /**
   * Runs a message now, reschedules it, or changes its priority. The statement checks the state
   * again: a message that was claimed since the page was shown is refused.
   */
  Reply change(Call call) {
    MessageId id = Params.id(call.form().text("id"));
    Messages messages = new JooqMessages(pool.transactions());
    String what = call.form().text("do");
    String result;
    switch (what) {
      case "run" -> {
        messages.reschedule(id, Duration.ZERO);
        result = "due now";
      }
      case "reschedule" -> {
        Instant due = call.form().time("due");
        if (due == null) {
          throw new Refusal(400, "Nothing was changed: the form names no time.");
        }
        messages.reschedule(id, due);
        result = "due at " + Texts.time(due) + " UTC";
      }
      case "prioritize" -> {
        int priority = priority(call.form().text("priority"));
        messages.prioritize(id, priority);
        result = "given priority " + priority;
      }
      default -> throw new Refusal(400, "Nothing was changed: the form names no change.");
    }
    Audit.write(call.who(), "message." + what, id.toString(), result);
    return views.done(call, ROOM + "/" + id, "Message " + id + " is " + result + ".");
  }

  private static int priority(String text) {
    if (!text.matches("-?\\d{1,3}")) {
      throw new Refusal(400, "The priority must be a whole number from -128 to 127.");
    }
    return Integer.parseInt(text);
  }

  Reply cancel(Call call) {
    MessageId id = Params.id(call.form().text("id"));
    String by = "dashboard: " + call.who().text();
    CancelOutcome answer =
        new JooqMessages(pool.transactions())
            .requestCancel(id, by.substring(0, Math.min(by.length(), LONGEST_NAME)));
    boolean gone = answer == CancelOutcome.CANCELLED;
    Audit.write(
        call.who(),
        "message.cancel",
        id.toString(),
        gone ? "cancelled" : "requested from its handler");
    return views.done(
        call,
        gone ? ROOM : ROOM + "/" + id,
        gone
            ? "Message " + id + " is cancelled."
            : "Message " + id + " is in flight; cancellation was requested from its handler.");
  }
}
