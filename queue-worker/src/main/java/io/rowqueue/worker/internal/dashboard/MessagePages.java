package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.MessageId;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.operate.JooqMessages;
import io.rowqueue.operate.CancelOutcome;
import io.rowqueue.operate.FailedAttempt;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Lists messages in the queue, and shows one message from any table. */
@Singleton
class MessagePages {

  static final int PAGE = 50;

  private static final String ROOM = "/messages";

  private static final int LONGEST_NAME = 255;

  /** The names of the states. */
  private static final Map<String, Byte> STATES = states();

  private final Board board;
  private final DashboardPool pool;
  private final Body bodies;
  private final Views views;

  @Inject
  MessagePages(Board board, DashboardPool pool, Body bodies, Views views) {
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
    states.put("in-line", MessageState.BLOCKED);
    states.put("arriving", MessageState.ARRIVING);
    return states;
  }

  static String name(byte state) {
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
      String enqueued,
      String due,
      String key) {}

  Reply list(Call call) {
    String id = call.query().text("id");
    if (!id.isEmpty()) {
      return Reply.seeOther(Dashboard.PATH + ROOM + "/" + Params.id(id));
    }
    String topic = call.query().topic();
    String stateName = call.query().text("state");
    Byte state = STATES.get(stateName);
    if (state == null && !stateName.isEmpty()) {
      throw new Refusal(400, "Unknown state.");
    }
    if (!topic.isEmpty() && state == null) {
      state = MessageState.AVAILABLE;
      stateName = "available";
    }
    List<JooqMessageList.Row> rows = rows(call.query(), topic, state);
    boolean more = rows.size() > PAGE;
    List<JooqMessageList.Row> shown = more ? rows.subList(0, PAGE) : rows;
    Map<String, Object> model = new HashMap<>();
    model.put("lines", shown.stream().map(MessagePages::line).toList());
    model.put("none", shown.isEmpty());
    model.put("topics", topics(board.topics(), topic));
    model.put("states", states(stateName));
    model.put("what", what(topic, state));
    model.put("next", more ? next(shown.get(PAGE - 1), topic, state) : null);
    model.put("cut", more && topic.isEmpty() && state != null);
    return views.show(call, new Views.Page("Messages", "messages", false, model));
  }

  private List<JooqMessageList.Row> rows(Params query, String topic, @Nullable Byte state) {
    JooqMessageList list = new JooqMessageList(pool.transactions());
    long after = query.number("after", 0, Long.MAX_VALUE);
    if (state == null) {
      return list.newest(after == 0 ? Long.MAX_VALUE : after, PAGE + 1);
    }
    if (topic.isEmpty()) {
      return list.inState(state, PAGE + 1);
    }
    JooqMessageList.Place place =
        after == 0
            ? null
            : new JooqMessageList.Place((byte) (query.number("from", 128, 255) - 128), after);
    return list.inState(topic, state, place, PAGE + 1);
  }

  private static String what(String topic, @Nullable Byte state) {
    if (state == null) {
      return "Newest first, all topics and states.";
    }
    return topic.isEmpty() ? "By due time, all topics." : "In claim order.";
  }

  private static @Nullable String next(
      JooqMessageList.Row last, String topic, @Nullable Byte state) {
    if (state == null) {
      return "after=" + last.id();
    }
    return topic.isEmpty()
        ? null
        : "topic=%s&state=%s&from=%d&after=%d"
            .formatted(OverviewPages.encoded(topic), name(state), last.priority() + 128, last.id());
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

  private static List<Choice> states(String chosen) {
    return STATES.keySet().stream()
        .map(name -> new Choice(name, name.replace('-', ' '), name.equals(chosen)))
        .toList();
  }

  private static Line line(JooqMessageList.Row row) {
    boolean seen = !row.dueAt().equals(java.time.Instant.EPOCH);
    String key = row.orderingKey();
    return new Line(
        Long.toString(row.id()),
        OverviewPages.shown(row.topic()),
        name(row.state()).replace('-', ' '),
        Integer.toString(row.priority()),
        Integer.toString(row.attempts()),
        Texts.bytes(row.size()),
        Texts.age(row.createdAt(), row.at()) + " ago",
        seen ? Texts.due(row.dueAt(), row.at()) : "–",
        key == null ? "" : Texts.firstGroup(key, 40));
  }

  /** A label and its value. */
  record Fact(String name, String value) {}

  /** A failed attempt. */
  record Failure(
      String title, String worker, String at, String message, String trace, boolean open) {}

  Reply one(Call call, MessageId id) {
    JooqMessagePage page = new JooqMessagePage(pool.transactions());
    JooqMessagePage.Found found =
        page.find(id)
            .orElseThrow(
                () ->
                    new Refusal(
                        404,
                        "Message %s does not exist: it was acknowledged and not archived, cancelled, deleted, or never enqueued."
                            .formatted(id)));
    if (found.where() == JooqMessagePage.Where.DEAD) {
      return Reply.seeOther(Dashboard.PATH + "/dead-letters/" + id);
    }
    Map<String, Object> model = model(page, id, found);
    boolean queued = found.where() == JooqMessagePage.Where.QUEUE;
    model.put("cancellable", queued);
    model.put("running", queued && found.state() == MessageState.CLAIMED);
    return views.show(call, new Views.Page("Message " + id, "message", false, model));
  }

  /** The model that pages of one message share. */
  Map<String, Object> model(JooqMessagePage page, MessageId id, JooqMessagePage.Found found) {
    Body.Shown body = bodies.of(page, id, found);
    Map<String, Object> model = new HashMap<>();
    model.put("id", id.toString());
    model.put("facts", facts(page, id, found));
    model.put("kind", body.kind());
    model.put("payload", body.text());
    model.put("note", body.note());
    model.put("size", Texts.bytes(found.size()));
    String headers = found.headers();
    model.put(
        "headers",
        headers == null
            ? null
            : PayloadText.of(headers.getBytes(java.nio.charset.StandardCharsets.UTF_8), true)
                .text());
    model.put("failures", failures(page.attempts(id)));
    return model;
  }

  private static List<Fact> facts(JooqMessagePage page, MessageId id, JooqMessagePage.Found found) {
    List<Fact> facts = new ArrayList<>();
    facts.add(new Fact("Topic", OverviewPages.shown(found.topic())));
    facts.add(new Fact("Place", place(found)));
    facts.add(new Fact("Counts", found.counts()));
    facts.add(
        new Fact(
            "Enqueued",
            Texts.time(found.createdAt())
                + " UTC, "
                + Texts.age(found.createdAt(), found.at())
                + " ago"));
    facts.add(
        new Fact(
            "Due", Texts.time(found.dueAt()) + " UTC, " + Texts.due(found.dueAt(), found.at())));
    facts.add(
        new Fact(
            since(found),
            Texts.time(found.since()) + " UTC, " + Texts.age(found.since(), found.at()) + " ago"));
    if (!found.worker().isEmpty()) {
      facts.add(new Fact("Worker", Texts.visible(found.worker())));
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
      String requested = page.cancelRequestedBy(id);
      if (requested != null) {
        facts.add(new Fact("Cancellation", "requested by " + Texts.visible(requested)));
      }
    }
    return facts;
  }

  private static String place(JooqMessagePage.Found found) {
    return switch (found.where()) {
      case QUEUE -> name(found.state()).replace('-', ' ');
      case DEAD -> "dead letter: " + found.reason();
      case ARCHIVE -> "archived (acknowledged)";
    };
  }

  private static String since(JooqMessagePage.Found found) {
    return switch (found.where()) {
      case QUEUE -> found.state() == MessageState.CLAIMED ? "Claimed" : "Changed";
      case DEAD -> "Dead-lettered";
      case ARCHIVE -> "Acknowledged";
    };
  }

  private static List<Failure> failures(List<FailedAttempt> attempts) {
    List<Failure> failures = new ArrayList<>();
    for (int i = 0; i < attempts.size(); i++) {
      FailedAttempt one = attempts.get(i);
      failures.add(
          new Failure(
              "Attempt %d: %s".formatted(one.attempt(), Texts.firstGroup(one.errorClass(), 200)),
              one.worker(),
              Texts.time(one.failedAt()),
              Texts.visible(one.errorMessage()),
              Texts.visible(one.trace()),
              i == attempts.size() - 1));
    }
    return failures;
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
