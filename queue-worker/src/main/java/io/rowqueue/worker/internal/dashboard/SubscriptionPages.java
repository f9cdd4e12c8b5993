package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.internal.subscribe.JooqSubscriptions;
import io.rowqueue.operate.SubscriptionDetails;
import io.rowqueue.operate.Subscriptions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Lists which topics get copies of published messages, and pauses and resumes subscriptions. */
@Singleton
class SubscriptionPages {

  private static final String HOME = "/subscriptions";

  private final DashboardPool pool;
  private final Views views;

  @Inject
  SubscriptionPages(DashboardPool pool, Views views) {
    this.pool = pool;
    this.views = views;
  }

  /** A subscription. */
  record Line(
      String source,
      String topic,
      String shownSource,
      String shownTopic,
      String topicQuery,
      boolean paused) {

    static Line of(SubscriptionDetails one) {
      return new Line(
          one.source(),
          one.topic(),
          OverviewPages.shown(one.source()),
          OverviewPages.shown(one.topic()),
          OverviewPages.encoded(one.topic()),
          one.paused());
    }
  }

  Reply list(Call call) {
    List<Line> lines =
        new JooqSubscriptions(pool.transactions()).list().stream().map(Line::of).toList();
    Map<String, Object> model = new HashMap<>();
    model.put("subscriptions", lines);
    model.put("none", lines.isEmpty());
    return views.show(call, new Views.Page("Subscriptions", "subscriptions", false, model));
  }

  Reply change(Call call) {
    String source = call.form().raw("source");
    String topic = call.form().topic();
    boolean pause = call.form().text("do").equals("pause");
    Subscriptions all = new JooqSubscriptions(pool.transactions());
    if (!(pause ? all.pause(source, topic) : all.resume(source, topic))) {
      throw new Refusal(404, "This subscription does not exist any more.");
    }
    Audit.write(
        call.who(),
        pause ? "subscription.pause" : "subscription.resume",
        source + " -> " + topic,
        "done");
    return views.done(
        call,
        HOME,
        "%s %s."
            .formatted(
                OverviewPages.shown(topic),
                pause ? "gets no copies until it is resumed" : "gets copies again"));
  }
}
