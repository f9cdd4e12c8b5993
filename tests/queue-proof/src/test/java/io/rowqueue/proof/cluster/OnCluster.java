package io.rowqueue.proof.cluster;

import io.rowqueue.proof.cluster.Cluster.Kind;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.server.TestServer;
import io.rowqueue.tests.TestWorker;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;

/** A cluster for all tests of a class, and a schema for each. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class OnCluster {

  private final Kind kind;
  private final List<TestWorker> workers = new ArrayList<>();
  private Cluster cluster;
  private QueueDatabase database;

  OnCluster(Kind kind) {
    this.kind = kind;
  }

  @BeforeAll
  void startCluster() {
    cluster = Cluster.start(kind);
  }

  @AfterAll
  void stopCluster() {
    cluster.close();
  }

  @BeforeEach
  void createSchema() {
    database = QueueDatabase.create(TestServer.at(cluster.url()));
  }

  @AfterEach
  void dropSchema() {
    workers.forEach(TestWorker::close);
    workers.clear();
    database.close();
  }

  /** The test's schema, on the first node. */
  QueueDatabase database() {
    return database;
  }

  /** The same on {@code node}. */
  String urlOf(int node) {
    return TestServer.at(cluster.urlOf(node)).url(database.name());
  }

  /** Closes {@code worker} with the test. */
  TestWorker closing(TestWorker worker) {
    workers.add(worker);
    return worker;
  }
}
