package io.rowqueue.worker.internal.dashboard;

import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;

import io.rowqueue.internal.deadletter.DeadLetterGroups;
import io.rowqueue.internal.deadletter.DeadLetterSearch;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.worker.internal.dashboard.Params.Part;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jooq.Condition;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * The filter of the dead letters' pages; a null or empty component means any.
 *
 * @param topic their topic
 * @param group the fingerprint of their error; only together with a topic
 * @param since dead-lettered at this time or later
 * @param until dead-lettered before this time
 * @param rows the conditions that no index has
 * @param oldestFirst the order
 */
record DeadLetterQuery(
    String topic,
    @Nullable Long group,
    @Nullable Instant since,
    @Nullable Instant until,
    Rows rows,
    boolean oldestFirst) {

  /**
   * What each row is compared with.
   *
   * @param reason the label of their reason
   * @param text a part of their error, in any case
   * @param key their ordering key
   * @param header a header as {@code name=value}
   * @param payload a part of their payload
   */
  record Rows(String reason, String text, String key, String header, String payload) {

    static final Rows ANY = new Rows("", "", "", "", "");

    boolean isAny() {
      return equals(ANY);
    }

    boolean isSearched() {
      return !(text + key + header + payload).isEmpty();
    }
  }

  /**
   * Parses a query or a form.
   *
   * @throws Refusal if a value is malformed
   */
  static DeadLetterQuery of(Params params) {
    Rows rows =
        new Rows(
            params.text("reason"),
            params.text("text"),
            params.raw("key"),
            params.text("header"),
            params.text("payload"));
    if (!rows.reason().isEmpty()) {
      reason(rows.reason());
    }
    if (!rows.header().isEmpty() && rows.header().indexOf('=') < 1) {
      throw new Refusal(400, "A header is searched as name=value.");
    }
    return new DeadLetterQuery(
        params.topic(),
        group(params),
        params.time("from"),
        params.time("to"),
        rows,
        params.text("order").equals("oldest"));
  }

  private static @Nullable Long group(Params params) {
    String group = params.text("group");
    try {
      if (group.isEmpty() || !params.topic().isEmpty()) {
        return group.isEmpty() ? null : Long.valueOf(group);
      }
    } catch (NumberFormatException e) {
      // Refused below.
    }
    throw new Refusal(400, "Unknown group.");
  }

  private static void reason(String label) {
    try {
      DeadLetterReason.ofLabel(label);
    } catch (IllegalArgumentException e) {
      throw new Refusal(400, "Unknown reason.");
    }
  }

  /** All of one group. */
  static DeadLetterQuery all(String topic, long fingerprint) {
    return new DeadLetterQuery(topic, fingerprint, null, null, Rows.ANY, false);
  }

  /** The same of one group; of all for null. */
  DeadLetterQuery ofGroup(DeadLetterGroups.@Nullable Group one) {
    return one == null
        ? new DeadLetterQuery(topic, null, since, until, rows, false)
        : new DeadLetterQuery(one.topic(), one.fingerprint(), since, until, rows, false);
  }

  /** Oldest first, and none that is dead-lettered from {@code now} on. */
  DeadLetterQuery walkedUntil(Instant now) {
    Instant end = until == null || until.isAfter(now) ? now : until;
    return new DeadLetterQuery(topic, group, since, end, rows, true);
  }

  /** Every parameter, also the empty ones. */
  List<Part> all() {
    return List.of(
        new Part("topic", topic),
        new Part("group", group == null ? "" : group.toString()),
        new Part("from", Texts.input(since)),
        new Part("to", Texts.input(until)),
        new Part("reason", rows.reason()),
        new Part("text", rows.text()),
        new Part("key", rows.key()),
        new Part("header", rows.header()),
        new Part("payload", rows.payload()),
        new Part("order", oldestFirst ? "oldest" : ""));
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
        case "group" -> words.add("one error");
        case "from" -> words.add("since " + value + " UTC");
        case "to" -> words.add("until " + value + " UTC");
        case "text" -> words.add("error contains “" + value + "”");
        case "payload" -> words.add("payload contains “" + value + "”");
        case "key" -> words.add("ordering key " + value);
        case "reason" -> words.add("reason " + Texts.words(value));
        case "header" -> words.add("header " + value);
        default -> {}
      }
    }
    return String.join(", ", words);
  }

  /** The index whose order is that of the list. */
  String index() {
    if (topic.isEmpty()) {
      return "queue_dead_letter_by_time";
    }
    return group == null ? "queue_dead_letter_by_topic_time" : "queue_dead_letter_by_error";
  }

  /** The conditions that the index answers. */
  Condition indexed() {
    return DSL.and(
        topic.isEmpty() ? DSL.noCondition() : QUEUE_DEAD_LETTER.TOPIC.eq(topic),
        group == null ? DSL.noCondition() : QUEUE_DEAD_LETTER.FINGERPRINT.eq(group),
        since == null ? DSL.noCondition() : QUEUE_DEAD_LETTER.DEAD_AT.ge(since),
        until == null ? DSL.noCondition() : QUEUE_DEAD_LETTER.DEAD_AT.lt(until));
  }

  /** The conditions that each row is read for. */
  Condition others() {
    return DSL.and(
        rows.reason().isEmpty() ? DSL.noCondition() : QUEUE_DEAD_LETTER.REASON.eq(rows.reason()),
        new DeadLetterSearch(
                rows.text().isEmpty() ? null : rows.text(),
                null,
                rows.key().isEmpty() ? null : rows.key(),
                rows.header().isEmpty() ? Map.of() : headers(rows.header()))
            .matches(),
        rows.payload().isEmpty()
            ? DSL.noCondition()
            : JooqMessageSearch.hasPayload(QUEUE_DEAD_LETTER.PAYLOAD, rows.payload()));
  }

  /** Parses {@code name=value}; {@code header} has an equals sign. */
  static Map<String, String> headers(String header) {
    int equals = header.indexOf('=');
    return Map.of(header.substring(0, equals), header.substring(equals + 1));
  }
}
