package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.internal.claim.QueueCounts.Count;
import io.rowqueue.internal.claim.QueueCounts.TopicCounts;
import io.rowqueue.internal.deadletter.DeadLetterGroups;
import io.rowqueue.internal.deadletter.DeadLetterGroups.Group;
import io.rowqueue.internal.deadletter.ErrorFingerprint;
import io.rowqueue.internal.operate.JooqMessages;
import io.rowqueue.internal.operate.JooqTopics;
import io.rowqueue.internal.subscribe.JooqSubscriptions;
import io.rowqueue.operate.Messages;
import io.rowqueue.operate.SubscriptionDetails;
import io.rowqueue.operate.TopicInfo;
import io.rowqueue.operate.TopicSettings;
import io.rowqueue.operate.Topics;
import io.rowqueue.worker.ClaimConfig;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.internal.dashboard.JooqMessageSearch.Scope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Lists the topics, and pauses, resumes and purges them. */
@Singleton
class TopicPages {

  private static final String ROOM = "/topics";

  private static final int MOST_ERRORS = 5;

  /** Lower than on the page of groups, since this page is read anew every few seconds. */
  private static final int MOST_OF_ONE_ERROR = 1_000;

  private final Board board;
  private final Trends trends;
  private final DashboardPool pool;
  private final Sweeps sweeps;
  private final AuditTable audit;
  private final ClaimConfig claims;
  private final Views views;

  @Inject
  TopicPages(
      Board board,
      Trends trends,
      DashboardPool pool,
      Sweeps sweeps,
      AuditTable audit,
      WorkerConfig worker,
      Views views) {
    this.board = board;
    this.trends = trends;
    this.pool = pool;
    this.sweeps = sweeps;
    this.audit = audit;
    this.claims = worker.claims();
    this.views = views;
  }

  /** A topic with its settings. */
  record Entry(OverviewPages.TopicLine line, String settings, int workers, boolean unhandled) {}

  Reply list(Call call) {
    Board.Reading now = board.read();
    List<Entry> entries = new ArrayList<>();
    for (OverviewPages.TopicLine line : OverviewPages.topicLines(now, board.samples())) {
      int workers = workers(now, line.name());
      entries.add(
          new Entry(line, settings(now.settings().get(line.name())), workers, workers == 0));
    }
    Map<String, Object> model = new HashMap<>(now.estimates());
    model.put("topics", entries);
    model.put("none", entries.isEmpty());
    return views.show(call, new Views.Page("Topics", "topics", true, model));
  }

  /** One topic: its counts, settings, throughput and times. */
  Reply show(Call call) {
    String name = call.query().topic();
    Board.Reading now = board.read();
    TopicCounts counts = now.topics().get(name);
    if (counts == null) {
      throw new Refusal(404, "Unknown topic.");
    }
    Trends.Span span = Trends.Span.of(call.query().text("over"));
    Trends.Figures figures = trends.read(span, name).of(name);
    String query = OverviewPages.encoded(name);
    Map<String, Object> model = new HashMap<>(now.estimates());
    model.put("exact", counts.isExact());
    model.put("shown", OverviewPages.shown(name));
    model.put("purgeable", !OverviewPages.waiting(counts).isNone());
    model.put(
        "tiles", OverviewPages.tiles(views.base(), counts, "&topic=" + query, workers(now, name)));
    model.put("work", OverviewPages.tiles(counts, figures, span, 0));
    model.put("spans", Trends.Span.choices(views.base() + "/topic?topic=" + query + "&", span));
    model.put("charts", figures.charts());
    model.put("name", name);
    model.put("query", query);
    addSettings(model, now, name);
    addRelated(model, name);
    model.put("errors", errors(name));
    model.put("failing", failing(name));
    model.put("entries", audit.ofTopic(name));
    return views.show(
        call, new Views.Page("Topic " + OverviewPages.shown(name), "topic", true, model));
  }

  private void addSettings(Map<String, Object> model, Board.Reading now, String name) {
    TopicInfo setting = now.settings().getOrDefault(name, TopicInfo.none(name));
    model.put("paused", setting.paused());
    model.put("full", setting.full());
    model.put("facts", TopicSettingsPages.facts(setting));
    model.put("weight", setting.settings().weight() == null ? ownWeight(name) : null);
  }

  private int ownWeight(String topic) {
    return claims.weights().entrySet().stream()
        .filter(one -> one.getKey().name().equals(topic))
        .findFirst()
        .map(Map.Entry::getValue)
        .orElse(1);
  }

  private static int workers(Board.Reading now, String topic) {
    return (int)
        now.workers().stream()
            .filter(worker -> worker.isClaiming() && worker.status().topics().contains(topic))
            .count();
  }

  /** A schedule that enqueues to the topic. */
  record Run(String name, String query, boolean paused, Texts.Moment next) {}

  /** An ordering key, made visible. */
  private static JooqTopicParts.Key visible(JooqTopicParts.Key key) {
    return new JooqTopicParts.Key(
        Texts.firstLine(key.key(), 80), key.waiting(), key.head(), key.state(), key.dead());
  }

  /** An acknowledged message; {@code total} is the time since it was due. */
  record Completed(
      long id, Texts.Moment at, String took, String total, String worker, int attempts) {

    private static Completed of(JooqTopicParts.Completion one) {
      return new Completed(
          one.id(),
          Texts.Moment.of(one.completedAt()),
          Texts.duration(one.took()),
          Texts.duration(Duration.between(one.dueAt(), one.completedAt())),
          Texts.firstLine(one.worker(), 80),
          one.attempts() + 1);
    }
  }

  private void addRelated(Map<String, Object> model, String name) {
    JooqTopicParts parts = new JooqTopicParts(pool.transactions(), name);
    model.put("keys", parts.blockedKeys().stream().map(TopicPages::visible).toList());
    model.put("most", JooqTopicParts.MOST);
    model.put("completions", parts.completions().stream().map(Completed::of).toList());
    model.put("examined", Texts.number(JooqTopicParts.EXAMINED));
    model.put(
        "runs",
        parts.schedules().stream()
            .map(
                one ->
                    new Run(
                        OverviewPages.shown(one.name()),
                        OverviewPages.encoded(one.name()),
                        one.paused(),
                        Texts.Moment.of(one.nextAt())))
            .toList());
    List<SubscriptionDetails> all = new JooqSubscriptions(pool.transactions()).list();
    model.put("sources", all.stream().filter(one -> one.topic().equals(name)).toList());
    model.put("subscribers", all.stream().filter(one -> one.source().equals(name)).toList());
  }

  /** A group of dead letters. */
  record ErrorGroup(String error, String count, Texts.Moment last, String query) {

    private static ErrorGroup of(Group group) {
      return new ErrorGroup(
          Texts.error(group.error(), 160),
          Texts.count(group.count()),
          Texts.Moment.of(group.last()),
          DeadLetterQuery.all(group.topic(), group.fingerprint()).query());
    }
  }

  private List<ErrorGroup> errors(String name) {
    return new DeadLetterGroups(pool.transactions())
        .latest(name, MOST_ERRORS, MOST_OF_ONE_ERROR).stream().map(ErrorGroup::of).toList();
  }

  /** Messages that wait for another attempt after the same error. */
  record Failing(String error, int count, Texts.Moment last, long newest) {

    private static Failing of(List<JooqTopicParts.Failed> same) {
      JooqTopicParts.Failed last =
          Collections.max(same, Comparator.comparing(JooqTopicParts.Failed::at));
      return new Failing(
          Texts.error(last.error(), 160), same.size(), Texts.Moment.of(last.at()), last.message());
    }
  }

  private List<Failing> failing(String name) {
    return new JooqTopicParts(pool.transactions(), name)
        .failed().stream()
            .collect(Collectors.groupingBy(one -> ErrorFingerprint.normalized(one.error())))
            .values()
            .stream()
            .map(Failing::of)
            .sorted(Comparator.comparing(Failing::count).reversed())
            .limit(MOST_ERRORS)
            .toList();
  }

  private static String settings(@Nullable TopicInfo setting) {
    if (setting == null) {
      return "";
    }
    TopicSettings settings = setting.settings();
    List<String> words = new ArrayList<>();
    if (settings.maxInFlight() != null) {
      words.add("at most " + Texts.number(settings.maxInFlight()) + " at once");
    }
    if (settings.maxPerSecond() != null) {
      words.add("at most " + Texts.number(settings.maxPerSecond()) + "/s");
    }
    if (settings.retentionDays() != null) {
      words.add("archived for " + settings.retentionDays() + " days");
    }
    if (setting.full()) {
      words.add("over its back-pressure limit");
    }
    return String.join(", ", words);
  }

  Reply pause(Call call) {
    return set(
        call, "topic.pause", Topics::pause, "is paused. Workers stop claiming within two seconds.");
  }

  Reply resume(Call call) {
    return set(call, "topic.resume", Topics::resume, "is resumed.");
  }

  private Reply set(Call call, String did, BiConsumer<Topics, Topic> change, String note) {
    Topic topic = topic(call.form());
    change.accept(new JooqTopics(pool.transactions()), topic);
    Audit.write(call.who(), did, topic.name(), "done");
    return views.done(call, ROOM, "Topic " + topic + " " + note);
  }

  private static Topic topic(Params params) {
    String name = params.topic();
    try {
      return new Topic(name);
    } catch (InvalidMessageException e) {
      throw new Refusal(400, String.valueOf(e.getMessage()));
    }
  }

  Reply confirmPurge(Call call) {
    String name = call.query().topic();
    Board.Reading now = board.read();
    TopicCounts counts = now.topics().getOrDefault(name, TopicCounts.NONE);
    Map<String, Object> model = new HashMap<>(now.estimates());
    model.put("exact", counts.isExact());
    model.put("topic", name);
    model.put("shown", OverviewPages.shown(name));
    model.put("available", Texts.estimate(counts.available()));
    model.put("scheduled", Texts.estimate(counts.scheduled()));
    model.put("blocked", Texts.estimate(counts.blocked()));
    model.put("inFlight", Texts.estimate(counts.inFlight()));
    return views.show(call, new Views.Page("Purge a topic?", "purge", false, model));
  }

  Reply purge(Call call) {
    String name = call.form().topic();
    if (name.isEmpty() || !call.form().raw("sure").equals(name)) {
      throw new Refusal(
          400, "Nothing was purged: the name you typed does not match. Go back and type it again.");
    }
    JooqMessageIds ids = new JooqMessageIds(pool.transactions());
    Purge purge = new Purge(ids, new JooqMessages(pool.transactions()), name, ids.highest());
    TopicCounts counts = board.read().topics().getOrDefault(name, TopicCounts.NONE);
    Count waiting = OverviewPages.waiting(counts);
    sweeps.begin(
        new Sweep.Plan(
            "topic.purge", name, waiting.isAll() ? waiting : null, call.who(), null, purge));
    return views.done(call, "/activity", "The purge has started. This page shows its progress.");
  }

  /**
   * Deletes the waiting messages of a topic, state by state in claim order, up to the highest id at
   * the start, so that later messages are kept. Repeats until a pass deletes nothing, since
   * messages that become due, or the first of their ordering key, move to a state that was already
   * processed.
   */
  private static final class Purge implements Sweep.Deed {

    private final JooqMessageIds messageIds;
    private final Messages messages;
    private final String topic;
    private final long last;
    private int state;
    private int takenInPass;
    private int above = Byte.MIN_VALUE - 1;
    private JooqMessageIds.@Nullable Place place;

    Purge(JooqMessageIds messageIds, Messages messages, String topic, long last) {
      this.messageIds = messageIds;
      this.messages = messages;
      this.topic = topic;
      this.last = last;
    }

    /** If it finds none, there is none. */
    @Override
    public boolean isAtEnd() {
      return true;
    }

    @Override
    public List<MessageId> next(int most) {
      while (state < MessageWalk.WAITING.size()) {
        Scope of = new Scope(topic, MessageWalk.WAITING.get(state));
        JooqMessageIds.Place from = place == null ? begin(of) : place;
        if (from != null) {
          List<MessageId> ids = messageIds.of(of, from, new JooqMessageIds.Upto(last, most));
          if (!ids.isEmpty()) {
            place = new JooqMessageIds.Place(from.priority(), ids.get(ids.size() - 1).value());
            return ids;
          }
          above = from.priority();
          place = null;
        }
      }
      return List.of();
    }

    /**
     * Advances to the next priority of the state; null if there is none, and the next state
     * follows.
     */
    private JooqMessageIds.@Nullable Place begin(Scope of) {
      Byte priority = messageIds.priority(of, above);
      if (priority == null) {
        state++;
        above = Byte.MIN_VALUE - 1;
        if (state == MessageWalk.WAITING.size() && takenInPass > 0) {
          state = 0;
          takenInPass = 0;
        }
        return null;
      }
      return new JooqMessageIds.Place(priority, 0);
    }

    @Override
    public int apply(List<MessageId> ids) {
      int taken = messages.cancelAll(ids);
      takenInPass += taken;
      return taken;
    }

    @Override
    public String how() {
      return "deleted";
    }
  }
}
