package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.internal.claim.QueueCounts.TopicCounts;
import io.rowqueue.internal.limit.RateBuckets;
import io.rowqueue.operate.TopicInfo;
import io.rowqueue.operate.TopicSettings;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Shows the topics with cluster-wide limits, and which workers hold their permits. */
@Singleton
class LimitPages {

  private final Board board;
  private final DashboardPool pool;
  private final Views views;

  @Inject
  LimitPages(Board board, DashboardPool pool, Views views) {
    this.board = board;
    this.pool = pool;
    this.views = views;
  }

  /** A worker that holds permits of a topic. */
  record Holder(String worker, int permits, Texts.@Nullable Moment since) {}

  /** A topic with a limit; null where it has none. */
  record Line(
      String topic,
      String query,
      @Nullable String inFlight,
      int held,
      List<Holder> holders,
      @Nullable String perSecond,
      @Nullable String startable,
      @Nullable String keyInFlight,
      @Nullable String keyPerSecond,
      String available,
      String blocked) {}

  Reply list(Call call) {
    Board.Reading now = board.read();
    JooqPermits permits = JooqPermits.read(pool.transactions());
    List<Line> lines =
        now.settings().values().stream()
            .filter(one -> isLimited(one.settings()))
            .map(
                one -> line(one, now.topics().getOrDefault(one.topic(), TopicCounts.NONE), permits))
            .toList();
    Map<String, Object> model = new HashMap<>(now.estimates());
    model.put("limits", lines);
    model.put("none", lines.isEmpty());
    return views.show(call, new Views.Page("Limits", "limits", true, model));
  }

  private static boolean isLimited(TopicSettings settings) {
    return settings.maxInFlight() != null
        || settings.maxPerSecond() != null
        || settings.keyInFlight() != null
        || settings.keyPerSecond() != null;
  }

  private static Line line(TopicInfo topic, TopicCounts counts, JooqPermits permits) {
    TopicSettings settings = topic.settings();
    List<JooqPermits.Holder> holders = permits.holders().getOrDefault(topic.topic(), List.of());
    return new Line(
        OverviewPages.shown(topic.topic()),
        OverviewPages.encoded(topic.topic()),
        number(settings.maxInFlight()),
        holders.stream().mapToInt(JooqPermits.Holder::permits).sum(),
        holders.stream().map(LimitPages::holder).toList(),
        number(settings.maxPerSecond()),
        startable(settings.maxPerSecond(), permits.tokens().get(topic.topic())),
        number(settings.keyInFlight()),
        number(settings.keyPerSecond()),
        Texts.estimate(counts.available()),
        Texts.estimate(counts.blocked()));
  }

  private static Holder holder(JooqPermits.Holder one) {
    Instant since = one.since();
    return new Holder(
        Texts.visible(one.worker()),
        one.permits(),
        since == null
            ? null
            : new Texts.Moment(
                since.toString(), Texts.time(since), null, Texts.age(since, one.now())));
  }

  private static @Nullable String number(@Nullable Integer limit) {
    return limit == null ? null : Texts.number(limit);
  }

  /** A bucket without a row has not been used yet, and is full. */
  private static @Nullable String startable(
      @Nullable Integer perSecond, JooqPermits.@Nullable Tokens tokens) {
    if (perSecond == null) {
      return null;
    }
    int burst = RateBuckets.burst(perSecond);
    long left = tokens == null ? burst : tokens.now(burst, perSecond);
    return Texts.number(left) + " of " + Texts.number(burst);
  }
}
