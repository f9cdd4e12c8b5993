package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Routes requests to pages. */
@Singleton
class Pages {

  private static final Pattern ONE = Pattern.compile("/(messages|dead-letters)/(\\d{1,19})");

  private static final Map<String, String> STATIC =
      Map.of(
          "/static/dashboard.css", "text/css; charset=utf-8",
          "/static/dashboard.js", "text/javascript; charset=utf-8",
          "/static/icon.svg", "image/svg+xml");

  private final OverviewPages overview;
  private final TopicPages topics;
  private final MessagePages messages;
  private final DeadLetterPages deadLetters;
  private final SchedulePages schedules;
  private final BatchPages batches;
  private final SubscriptionPages subscriptions;
  private final LimitPages limits;
  private final DoctorPages doctor;
  private final TopicSettingsPages settings;
  private final WorkerPages workers;

  @Inject
  Pages(
      OverviewPages overview,
      TopicPages topics,
      MessagePages messages,
      DeadLetterPages deadLetters,
      SchedulePages schedules,
      BatchPages batches,
      SubscriptionPages subscriptions,
      LimitPages limits,
      DoctorPages doctor,
      TopicSettingsPages settings,
      WorkerPages workers) {
    this.overview = overview;
    this.topics = topics;
    this.messages = messages;
    this.deadLetters = deadLetters;
    this.schedules = schedules;
    this.batches = batches;
    this.subscriptions = subscriptions;
    this.limits = limits;
    this.doctor = doctor;
    this.settings = settings;
    this.workers = workers;
  }

  Reply show(Call call) {
    Matcher one = ONE.matcher(call.path());
    if (one.matches()) {
      return one.group(1).equals("messages")
          ? messages.one(call, Params.id(one.group(2)))
          : deadLetters.one(call, Params.id(one.group(2)));
    }
    return switch (call.path()) {
      case "" -> overview.overview(call);
      case "/workers" -> workers.list(call);
      case "/workers/drain" -> workers.confirmDrain(call);
      case "/activity" -> overview.activity(call);
      case "/topics" -> topics.list(call);
      case "/topic" -> topics.show(call);
      case "/topic/settings" -> settings.show(call);
      case "/topics/purge" -> topics.confirmPurge(call);
      case "/schedules" -> schedules.list(call);
      case "/batches" -> batches.list(call);
      case "/batch" -> batches.one(call);
      case "/subscriptions" -> subscriptions.list(call);
      case "/doctor" -> doctor.show(call);
      case "/limits" -> limits.list(call);
      case "/messages" -> messages.list(call);
      case "/dead-letters" -> deadLetters.list(call);
      case "/dead-letters/all" -> deadLetters.confirmAll(call);
      case "/dead-letters/groups" -> deadLetters.groups(call);
      default -> file(call);
    };
  }

  private static Reply file(Call call) {
    String type = STATIC.get(call.path());
    byte[] bytes =
        type == null ? null : Templates.resource(call.path().substring("/static/".length()));
    if (type == null || bytes == null) {
      throw new Refusal(404, "Page not found.");
    }
    return new Reply(200, type, bytes, Map.of());
  }

  Reply change(Call call) {
    return switch (call.path()) {
      case "/topics/pause" -> topics.pause(call);
      case "/topics/resume" -> topics.resume(call);
      case "/topic/settings" -> settings.change(call);
      case "/topics/purge" -> topics.purge(call);
      case "/messages/change" -> messages.change(call);
      case "/schedules/change" -> schedules.change(call);
      case "/subscriptions/change" -> subscriptions.change(call);
      case "/workers/drain" -> workers.drain(call);
      case "/messages/cancel" -> messages.cancel(call);
      case "/dead-letters/change" -> deadLetters.change(call);
      case "/dead-letters/edit" -> deadLetters.edit(call);
      case "/dead-letters/delete" -> deadLetters.delete(call);
      case "/dead-letters/all" -> deadLetters.all(call);
      case "/activity/stop" -> overview.stop(call);
      default -> throw new Refusal(404, "There is nothing to change here.");
    };
  }
}
