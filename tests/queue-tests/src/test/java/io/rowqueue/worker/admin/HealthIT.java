package io.rowqueue.worker.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.Uninterruptibles;
import com.google.inject.AbstractModule;
import com.google.inject.multibindings.Multibinder;
import io.rowqueue.claim.Claim;
import io.rowqueue.message.Topic;
import io.rowqueue.order.Orders;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.SecondServer;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.tests.process.Wire;
import io.rowqueue.worker.Trust;
import io.rowqueue.worker.WorkerObserver;
import io.rowqueue.worker.poll.Claimer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** What a worker says of itself to whoever would start another in its place. */
@QueueTest
class HealthIT {

  private static final Duration SOON = Duration.ofSeconds(30);

  private final QueueDatabase database;

  HealthIT(QueueDatabase database) {
    this.database = database;
  }

  @Test
  void throughAWorkersLife_isReadyOnlyWhileItClaims() {
    try (TestWorker worker = AdminPort.worker(database)) {
      assertThat(AdminPort.get(worker, "/health/live").statusCode()).isEqualTo(200);
      HttpResponse<String> ready = AdminPort.get(worker, "/health/ready");
      assertThat(ready.body()).isEqualTo("ok\n");
      assertThat(ready.headers().firstValue("Cache-Control")).contains("no-store");
      worker.worker().drain(Duration.ofSeconds(5));
      HttpResponse<String> drained = AdminPort.get(worker, "/health/ready");
      assertThat(drained.statusCode()).isEqualTo(503);
      assertThat(drained.body()).isEqualTo("it drains\n");
      assertThat(AdminPort.get(worker, "/health/live").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void ready_onASchemaThatNoLongerFits_saysWhatToDo() {
    try (TestWorker worker = AdminPort.worker(database)) {
      database.execute("INSERT INTO queue_schema (version, oldest_known) VALUES (99, 99)");
      try {
        Await.that(
            "the last answer is old",
            SOON,
            () -> AdminPort.get(worker, "/health/ready").body().contains("deploy a newer one"));
      } finally {
        database.execute("DELETE FROM queue_schema WHERE version = 99");
      }
    }
  }

  @Test
  void whileItStarts_isLiveAndNotReady() {
    try (TestWorker worker = AdminPort.created(database)) {
      Admin admin = worker.get(Admin.class);
      admin.begin();
      try {
        assertNotReady(worker, "it starts");
        assertThat(AdminPort.get(worker, "/health/live").statusCode()).isEqualTo(200);
      } finally {
        admin.end();
      }
    }
  }

  /** A new process could do no better, so nobody shall start one. */
  @Tag("ci")
  @Test
  void withTheDatabaseOutOfReach_isLiveAndNotReadyUntilItIsBack() throws IOException {
    try (Wire wire = Wire.to(database.url());
        TestWorker worker =
            TestWorker.startAt(
                wire.through(database.url()),
                config -> config,
                AdminPort.IDLE,
                AdminPort.module())) {
      assertThat(AdminPort.get(worker, "/health/ready").statusCode()).isEqualTo(200);
      wire.shut();
      wire.cut();
      HttpResponse<String> away =
          Await.until(
              "the last answer is old",
              SOON,
              () -> AdminPort.get(worker, "/health/ready"),
              ready -> ready.statusCode() == 503);
      assertThat(away.body()).doesNotContain("claimer", "lease", "it ");
      assertThat(AdminPort.get(worker, "/health/live").statusCode()).isEqualTo(200);
      wire.open();
      awaitReady(worker);
    }
  }

  @Test
  void withTheLeaseInDoubt_isLiveAndNotReady() {
    try (TestWorker worker = AdminPort.worker(database)) {
      Await.that(
          "it is asked before a renewal",
          SOON,
          () -> {
            worker.get(Trust.class).lost();
            HttpResponse<String> ready = AdminPort.get(worker, "/health/ready");
            return ready.statusCode() == 503 && ready.body().equals("its lease is in doubt\n");
          });
      assertThat(AdminPort.get(worker, "/health/live").statusCode()).isEqualTo(200);
    }
  }

  /** Half a minute is how long a turn may take. */
  @Tag("ci")
  @Test
  @DisabledIfSystemProperty(
      named = SecondServer.PROPERTY,
      matches = "true",
      disabledReason = "half a minute in which no server has a say")
  void withTheClaimerStuck_isLiveAndNotReadyUntilItGoesOn() {
    CountDownLatch release = new CountDownLatch(1);
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config,
            AdminPort.IDLE,
            AdminPort.module(),
            new ClaimsStuckUntil(release))) {
      try {
        Orders.enqueue(database, 1);
        HttpResponse<String> stuck =
            Await.until(
                "a turn takes too long",
                Duration.ofSeconds(60),
                () -> AdminPort.get(worker, "/health/ready"),
                ready -> ready.statusCode() == 503);
        assertThat(stuck.body()).isEqualTo("the claimer has made no turn for 30 s\n");
        assertThat(AdminPort.get(worker, "/health/live").statusCode()).isEqualTo(200);
      } finally {
        release.countDown();
      }
      awaitReady(worker);
    }
  }

  /** Keeps the claimer's thread where it tells what it has claimed. */
  private static final class ClaimsStuckUntil extends AbstractModule {

    private final CountDownLatch release;

    ClaimsStuckUntil(CountDownLatch release) {
      this.release = release;
    }

    @Override
    protected void configure() {
      Multibinder.newSetBinder(binder(), WorkerObserver.class)
          .addBinding()
          .toInstance(
              new WorkerObserver() {
                @Override
                public void claimed(Topic topic, List<Claim> claims, Duration took) {
                  Uninterruptibles.awaitUninterruptibly(release);
                }
              });
    }
  }

  @Test
  void ofAWorkerWhoseClaimerHasEnded_asksForANewProcess() throws InterruptedException {
    try (TestWorker worker = AdminPort.worker(database)) {
      worker.get(Claimer.class).stop();
      HttpResponse<String> live = AdminPort.get(worker, "/health/live");
      assertThat(live.statusCode()).isEqualTo(503);
      assertThat(live.body()).isEqualTo("the claimer has ended\n");
      assertNotReady(worker, "the claimer has ended");
    }
  }

  private void assertNotReady(TestWorker worker, String why) {
    HttpResponse<String> ready = AdminPort.get(worker, "/health/ready");
    assertThat(ready.statusCode()).isEqualTo(503);
    assertThat(ready.body()).isEqualTo(why + "\n");
  }

  private void awaitReady(TestWorker worker) {
    Await.that(
        "it is ready again",
        SOON,
        () -> AdminPort.get(worker, "/health/ready").statusCode() == 200);
  }
}
