package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.worker.Permission;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Renders a page's content into the common layout. Thread-safe. */
@Singleton
class Views {

  private static final List<Section> SECTIONS =
      List.of(
          new Section("", "Overview"),
          new Section("/topics", "Topics"),
          new Section("/messages", "Messages"),
          new Section("/dead-letters", "Dead letters"),
          new Section("/schedules", "Schedules"),
          new Section("/batches", "Batches"),
          new Section("/subscriptions", "Subscriptions"),
          new Section("/limits", "Limits"),
          new Section("/workers", "Workers"),
          new Section("/doctor", "Doctor"),
          new Section("/activity", "Activity"));

  /** The sections of pages whose paths do not begin with them. */
  private static final Map<String, String> PARENTS =
      Map.of("/topic", "/topics", "/topic/settings", "/topics", "/batch", "/batches");

  /** Seconds between refreshes. */
  private static final List<String> INTERVALS = List.of("0", "3", "10", "60");

  /** The path and query of a page, as {@link Params#encoded} encodes it. */
  private static final Pattern PAGE = Pattern.compile("(/[\\w/-]*)?(\\?[\\w.*%+=&-]*)?");

  private final Templates templates;
  private final Sessions sessions;
  private final Sweeps sweeps;
  private final ShownQueue queue;
  private final String base;

  @Inject
  Views(Templates templates, Sessions sessions, Sweeps sweeps, ShownQueue queue) {
    this.templates = templates;
    this.sessions = sessions;
    this.sweeps = sweeps;
    this.queue = queue;
    this.base = queue.base();
  }

  /** Returns the dashboard's path, with which links begin. */
  String base() {
    return base;
  }

  private record Section(String path, String name) {}

  /**
   * A page.
   *
   * @param title its heading
   * @param template the template's name
   * @param live whether the page refreshes itself
   * @param model the template's values
   */
  record Page(String title, String template, boolean live, Map<String, ?> model) {}

  /** Returns the full page, or only its refreshed part if that is requested. */
  Reply show(Call call, Page page) {
    return show(call, 200, page);
  }

  Reply show(Call call, int status, Page page) {
    Map<String, Object> model = new HashMap<>(page.model());
    model.put("base", base);
    model.put("csrf", sessions.token(call.session()));
    String body = templates.render(page.template(), model);
    if (call.isFragment()) {
      return Reply.html(status, body);
    }
    Map<String, Object> frame = frame(call.path(), page.title(), call.theme());
    frame.put("body", body);
    frame.put("live", page.live());
    refresh(call, frame);
    frame.put("refused", refused(call.who().permissions()));
    frame.put("who", call.who().name().equals(Actor.UNKNOWN) ? null : call.who().name());
    frame.put("note", sessions.told(call.session()));
    frame.put("csrf", sessions.token(call.session()));
    frame.put("themes", themes(call.theme()));
    // The answer to a form has no address to return to.
    frame.put("back", call.form() == Params.NONE ? call.path() + call.query().encoded() : "");
    return Reply.html(status, templates.render("layout", frame))
        .with("Set-Cookie", Sessions.cookie(call.session(), queue.root()));
  }

  /** An interval of refreshes; without a choice, pages with JavaScript have their own. */
  record Interval(String name, String href, boolean here) {}

  private void refresh(Call call, Map<String, Object> frame) {
    String wanted = call.query().text("refresh");
    String chosen = sessions.refresh(call.session(), INTERVALS.contains(wanted) ? wanted : "");
    frame.put("every", chosen.isEmpty() ? "3" : chosen);
    frame.put(
        "again",
        chosen.isEmpty() || chosen.equals("0") ? null : call.query().with(Call.AGAIN, "1"));
    frame.put(
        "intervals",
        INTERVALS.stream()
            .map(
                one ->
                    new Interval(
                        one.equals("0") ? "off" : one + " s",
                        base + call.path() + call.query().with("refresh", one),
                        one.equals(chosen)))
            .toList());
  }

  /** A choice of colours. */
  record ThemeChoice(String name, boolean chosen) {}

  private static List<ThemeChoice> themes(Theme chosen) {
    return Arrays.stream(Theme.values())
        .map(theme -> new ThemeChoice(theme.label(), theme == chosen))
        .toList();
  }

  /** Keeps the chosen theme, and returns to the page where it was chosen. */
  Reply theme(Call call) {
    String back = call.form().text("back");
    return Reply.seeOther(base + (PAGE.matcher(back).matches() ? back : ""))
        .with("Set-Cookie", Theme.named(call.form().text("theme")).cookie(queue.root()));
  }

  private Map<String, Object> frame(String path, String title, Theme theme) {
    Map<String, Object> frame = new HashMap<>();
    frame.put("theme", theme.label());
    frame.put("scheme", theme.scheme());
    frame.put("base", base);
    frame.put("title", title);
    frame.put("running", sweeps.running());
    frame.put("queue", queue.name());
    frame.put("queues", queue.links(""));
    List<Map<String, Object>> sections = new ArrayList<>();
    for (Section section : SECTIONS) {
      boolean here =
          section.path().isEmpty()
              ? path.isEmpty()
              : (path + "/").startsWith(section.path() + "/")
                  || PARENTS.getOrDefault(path, "").equals(section.path());
      Map<String, Object> entry = new HashMap<>();
      entry.put("href", base + section.path());
      entry.put("name", section.name());
      entry.put("here", here);
      entry.put("badge", section.path().equals("/activity") ? badge() : null);
      sections.add(entry);
      if (here) {
        frame.put("queues", queue.links(section.path()));
      }
    }
    frame.put("sections", sections);
    return frame;
  }

  /** Classes of the page's body that hide what the user may not do; null if that is nothing. */
  private static @Nullable String refused(Set<Permission> permissions) {
    String each =
        Permission.all().stream()
            .filter(one -> !permissions.contains(one))
            .map(one -> "no-" + one)
            .collect(Collectors.joining(" "));
    return each.isEmpty() ? null : permissions.isEmpty() ? "read-only " + each : each;
  }

  private @Nullable String badge() {
    long running = sweeps.running();
    return running == 0 ? null : Long.toString(running);
  }

  /**
   * Returns a page with an error message.
   *
   * @param admitted whether the user is; names no queue to others
   */
  Reply trouble(boolean admitted, Theme theme, int status, String what) {
    Map<String, Object> frame = frame("/none", "Request failed", theme);
    if (!admitted) {
      frame.put("queue", null);
    }
    frame.put(
        "body", templates.render("trouble", Map.of("what", Texts.visible(what), "base", base)));
    frame.put("live", false);
    frame.put("csrf", null);
    frame.put("refused", null);
    frame.put("who", null);
    frame.put("note", null);
    return Reply.html(status, templates.render("layout", frame));
  }

  /** Redirects to {@code path} and shows a notice there. */
  Reply done(Call call, String path, String note) {
    sessions.note(call.session(), note);
    return Reply.seeOther(base + path);
  }
}
