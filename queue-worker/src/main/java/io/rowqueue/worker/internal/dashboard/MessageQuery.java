package io.rowqueue.worker.internal.dashboard;

import io.rowqueue.worker.internal.dashboard.JooqMessageSearch.Filter;
import io.rowqueue.worker.internal.dashboard.JooqMessageSearch.Scope;
import io.rowqueue.worker.internal.dashboard.Params.Part;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The filter of the messages' pages; a null or empty component means any.
 *
 * @param topic their topic
 * @param state the name of their state
 * @param header a header as {@code name=value}; on the list also an id or key
 * @param attempts how many failed attempts each has at least
 * @param since enqueued at this time or later
 * @param until enqueued before this time
 * @param payload a part of their payload
 * @param error a part of their last error
 */
record MessageQuery(
    String topic,
    String state,
    String header,
    int attempts,
    @Nullable Instant since,
    @Nullable Instant until,
    String payload,
    String error) {

  /**
   * Parses a query or a form.
   *
   * @throws Refusal if a value is malformed
   */
  static MessageQuery of(Params params) {
    String state = params.text("state");
    if (!state.isEmpty() && !MessagePages.STATES.containsKey(state)) {
      throw new Refusal(400, "Unknown state.");
    }
    return new MessageQuery(
        params.topic(),
        state,
        params.text("q"),
        (int) params.number("attempts", 0, Integer.MAX_VALUE),
        params.time("from"),
        params.time("to"),
        params.text("payload"),
        params.text("text"));
  }

  /** Every parameter, also the empty ones. */
  List<Part> all() {
    return List.of(
        new Part("topic", topic),
        new Part("state", state),
        new Part("attempts", attempts == 0 ? "" : Integer.toString(attempts)),
        new Part("from", Texts.input(since)),
        new Part("to", Texts.input(until)),
        new Part("payload", payload),
        new Part("text", error),
        new Part("q", header));
  }

  List<Part> parts() {
    return all().stream().filter(part -> !part.value().isEmpty()).toList();
  }

  String query() {
    return Params.query(parts());
  }

  /** For people. */
  String words() {
    List<String> words = new ArrayList<>();
    words.add(topic.isEmpty() ? "all topics" : "topic " + OverviewPages.shown(topic));
    for (Part part : parts()) {
      String value = Texts.firstLine(part.value(), 80);
      switch (part.name()) {
        case "state" -> words.add(Texts.words(value));
        case "attempts" -> words.add("failed attempts at least " + value);
        case "from" -> words.add("enqueued since " + value + " UTC");
        case "to" -> words.add("enqueued until " + value + " UTC");
        case "payload" -> words.add("payload contains “" + value + "”");
        case "text" -> words.add("error contains “" + value + "”");
        case "q" -> words.add("header " + value);
        default -> {}
      }
    }
    return String.join(", ", words);
  }

  /** Enqueued before {@code now}. */
  MessageQuery enqueuedUntil(Instant now) {
    Instant end = until == null || until.isAfter(now) ? now : until;
    return new MessageQuery(topic, state, header, attempts, since, end, payload, error);
  }

  /**
   * The conditions that no index has.
   *
   * @param changedUntil the time before which they were last changed; null for any
   * @throws Refusal if it searches for something other than a header
   */
  Filter filter(@Nullable Instant changedUntil) {
    if (!header.isEmpty() && header.indexOf('=') < 1) {
      throw new Refusal(400, "A header is searched as name=value.");
    }
    return new Filter(
        null,
        header.isEmpty() ? Map.of() : DeadLetterQuery.headers(header),
        since,
        until,
        payload,
        error,
        attempts,
        changedUntil);
  }

  /** Those of {@code states} that it searches, one after the other. */
  List<Scope> scopes(List<Byte> states) {
    return states.stream()
        .filter(one -> state.isEmpty() || one.equals(MessagePages.STATES.get(state)))
        .map(one -> new Scope(topic.isEmpty() ? null : topic, one))
        .toList();
  }
}
