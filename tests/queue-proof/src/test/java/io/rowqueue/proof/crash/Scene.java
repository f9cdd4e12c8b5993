package io.rowqueue.proof.crash;

import static io.rowqueue.proof.crash.Scene.Role.program;
import static io.rowqueue.proof.crash.Scene.Role.worker;
import static io.rowqueue.proof.crash.Stage.empty;
import static io.rowqueue.proof.crash.Stage.group;
import static io.rowqueue.proof.crash.Stage.message;
import static io.rowqueue.proof.crash.Stage.schedule;
import static io.rowqueue.proof.crash.Stage.subscribed;

import io.rowqueue.internal.database.Transition;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.process.Processes;
import io.rowqueue.tests.process.Program;
import io.rowqueue.tests.process.Step;
import io.rowqueue.tests.process.Step.What;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * What a real process is doing when it is killed: what takes a worker's loops, threads and
 * handlers, or a program of a team. All other transitions die in {@link CrashIT} without a process.
 */
@SuppressWarnings("ImmutableEnumChecker") // It does not see that stages and roles hold no state.
enum Scene {
  ENQUEUE(
      Transition.ENQUEUE,
      empty(),
      program("produce"),
      "SELECT COUNT(*) = " + Program.PRODUCED + " FROM queue_message"),

  CLAIM(Transition.CLAIM, message(What.SUCCEED), worker(), Seen.CLAIMED),

  START(
      Transition.START,
      message(What.SUCCEED, "UPDATE queue_message SET lost_claims = 1"),
      worker(),
      "SELECT handler_started FROM queue_message"),

  ACK(Transition.ACK, message(What.SUCCEED), worker(), Seen.EFFECT),

  ACK_SHARED(Transition.ACK, group(Step.SHARED_TOPIC), worker(), Seen.EFFECT),

  ACK_BATCH(Transition.ACK, group(Step.BATCH_TOPIC), worker(), Seen.EFFECT),

  RETRY(
      Transition.RETRY,
      message(What.FAIL_ONCE),
      worker(),
      "SELECT COUNT(*) FROM queue_message m JOIN queue_attempt a ON a.message_id = m.id"
          + " WHERE m.state = 2 AND m.attempts = 1"),

  RELEASE_AT_DRAIN(
      Transition.RELEASE,
      message(What.WAIT_ONCE),
      worker(),
      "SELECT COUNT(*) FROM queue_message WHERE state = 0 AND claim_number = 1 AND attempts = 0") {
    @Override
    void act(QueueDatabase database, Victim victim) {
      Stage.await(database, "SELECT COUNT(*) FROM queue_message WHERE state = 1");
      victim.terminate();
    }
  },

  DEAD_LETTER(
      Transition.DEAD_LETTER,
      message(What.REJECT),
      worker(),
      "SELECT COUNT(*) FROM queue_dead_letter JOIN queue_attempt ON message_id = id") {
    @Override
    String end() {
      return "dead";
    }
  },

  DEREGISTER(
      Transition.DEREGISTER,
      message(What.SUCCEED),
      worker(),
      "SELECT COUNT(*) = 0 AND (SELECT COUNT(*) FROM effect) = 1 FROM queue_worker") {
    @Override
    void act(QueueDatabase database, Victim victim) {
      Stage.await(database, Seen.EFFECT);
      victim.terminate();
    }
  },

  FIRE(
      Transition.TRIGGER_SCHEDULE,
      schedule("UPDATE queue_schedule SET next_at = UTC_TIMESTAMP(6)"),
      worker(),
      "SELECT COUNT(*) FROM queue_schedule WHERE last_at IS NOT NULL"),

  PUBLISH(
      Transition.PUBLISH,
      subscribed(Step.TOPIC, Step.SHARED_TOPIC, Step.BATCH_TOPIC),
      program("publish"),
      "SELECT COUNT(*) = 3 FROM queue_message");

  private final Transition transition;
  private final Consumer<QueueDatabase> stage;
  private final Role role;
  private final String committed;

  Scene(Transition transition, Consumer<QueueDatabase> stage, Role role, String committed) {
    this.transition = transition;
    this.stage = stage;
    this.role = role;
    this.committed = committed;
  }

  Transition transition() {
    return transition;
  }

  Role role() {
    return role;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  void arrange(QueueDatabase database) {
    stage.accept(database);
  }

  /** What happens once the victim runs. */
  void act(QueueDatabase database, Victim victim) {}

  boolean committed(QueueDatabase database) {
    return database.strings(committed).stream().anyMatch(value -> !value.equals("0"));
  }

  /** Where its messages are once another worker has cleaned up. */
  String end() {
    return "acked";
  }

  /** What several scenes look for. */
  private static final class Seen {
    private static final String CLAIMED =
        "SELECT COUNT(*) FROM queue_message JOIN queue_worker USING (lock_id) WHERE state = 1";
    private static final String EFFECT = "SELECT COUNT(*) FROM effect";
  }

  /** What the process is that dies in a scene. */
  record Role(boolean worker, List<String> arguments) {

    static Role worker(String... options) {
      return new Role(true, List.of(options));
    }

    static Role program(String what) {
      return new Role(false, List.of(what));
    }

    ProcessBuilder process(String url, Path plugins) {
      if (!worker) {
        return Processes.program(Program.class, url, arguments.get(0));
      }
      List<String> options =
          new ArrayList<>(List.of("--threads", "2", "--shutdown-timeout", "200ms"));
      options.addAll(arguments);
      return Processes.worker(url, plugins, options.toArray(String[]::new));
    }
  }
}
