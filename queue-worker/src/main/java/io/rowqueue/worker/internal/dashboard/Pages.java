package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.worker.Permission;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Routes requests to pages. */
@Singleton
class Pages {

  private static final Pattern ONE =
      Pattern.compile("/(messages|dead-letters)/(\\d{1,19})(/payload)?");

  private static final Map<String, String> STATIC =
      Map.of(
          "/static/dashboard.css", "text/css; charset=utf-8",
          "/static/dashboard.js", "text/javascript; charset=utf-8",
          "/static/icon.svg", "image/svg+xml");

  private final OverviewPages overview;
  private final TopicPages topics;
  private final MessagePages messages;
  private final MessageBulkPages messageBulk;
  private final DeadLetterPages deadLetters;
  private final SchedulePages schedules;
  private final BatchPages batches;
  private final SubscriptionPages subscriptions;
  private final LimitPages limits;
  private final DoctorPages doctor;
  private final TopicSettingsPages settings;
  private final WorkerPages workers;
  private final Views views;

  @Inject
  Pages(
      OverviewPages overview,
      TopicPages topics,
      MessagePages messages,
      MessageBulkPages messageBulk,
      DeadLetterPages deadLetters,
      SchedulePages schedules,
      BatchPages batches,
      SubscriptionPages subscriptions,
      LimitPages limits,
      DoctorPages doctor,
      TopicSettingsPages settings,
      WorkerPages workers,
      Views views) {
    this.overview = overview;
    this.topics = topics;
    this.messages = messages;
    this.messageBulk = messageBulk;
    this.deadLetters = deadLetters;
    this.schedules = schedules;
    this.batches = batches;
    this.subscriptions = subscriptions;
    this.limits = limits;
    this.doctor = doctor;
    this.settings = settings;
    this.workers = workers;
    this.views = views;
  }

  Reply show(Call call) {
    Matcher one = ONE.matcher(call.path());
    if (one.matches()) {
      if (one.group(3) != null) {
        return messages.payload(Params.id(one.group(2)));
      }
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
      case "/messages/all" -> messageBulk.confirmAll(call);
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
    String what = call.form().text("do");
    return switch (call.path()) {
      case "/topics/pause" -> permitted(Permission.PAUSE, call, topics::pause);
      case "/topics/resume" -> permitted(Permission.PAUSE, call, topics::resume);
      case "/topic/settings" -> permitted(Permission.SETTINGS, call, settings::change);
      case "/topics/purge" -> permitted(Permission.DELETE, call, topics::purge);
      case "/messages/change" -> permitted(Permission.RUN, call, messages::change);
      case "/messages/cancel" -> permitted(Permission.DELETE, call, messages::cancel);
      case "/messages/selected" -> permitted(ofMessages(what), call, messageBulk::selected);
      case "/messages/all" -> permitted(ofMessages(what), call, messageBulk::all);
      case "/schedules/change" ->
          permitted(
              what.equals("run") ? Permission.RUN : Permission.PAUSE, call, schedules::change);
      case "/subscriptions/change" -> permitted(Permission.PAUSE, call, subscriptions::change);
      case "/workers/pause" -> permitted(Permission.PAUSE, call, workers::pause);
      case "/workers/resume" -> permitted(Permission.PAUSE, call, workers::resume);
      case "/workers/drain" -> permitted(Permission.DRAIN, call, workers::drain);
      case "/dead-letters/change" -> permitted(ofDeadLetters(what), call, deadLetters::change);
      case "/dead-letters/edit" -> permitted(Permission.EDIT, call, deadLetters::edit);
      case "/dead-letters/delete" -> permitted(Permission.DELETE, call, deadLetters::delete);
      case "/dead-letters/all" -> permitted(ofDeadLetters(what), call, deadLetters::all);
      case "/theme" -> views.theme(call);
      // Whoever may change anything may stop a change.
      case "/activity/stop" -> overview.stop(call);
      default -> throw new Refusal(404, "There is nothing to change here.");
    };
  }

  private static Permission ofDeadLetters(String what) {
    return what.equals(DeadLetterPages.REDRIVE) ? Permission.REDRIVE : Permission.DELETE;
  }

  private static Permission ofMessages(String what) {
    return what.equals(MessageBulkPages.RUN) ? Permission.RUN : Permission.DELETE;
  }

  private static Reply permitted(Permission needed, Call call, Function<Call, Reply> change) {
    Set<Permission> permissions = call.who().permissions();
    if (!permissions.contains(needed)) {
      throw new Refusal(
          403,
          "Your login may only %s; this needs %s. Nothing was changed."
              .formatted(
                  permissions.stream()
                      .sorted()
                      .map(Permission::toString)
                      .collect(Collectors.joining(", ")),
                  needed));
    }
    return change.apply(call);
  }
}
