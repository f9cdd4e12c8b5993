package io.rowqueue.proof.cluster;

import io.rowqueue.proof.cluster.Cluster.Kind;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** What teams ask of their queue, on several writers of MariaDB Galera. */
@EnabledIfSystemProperty(
    named = Cluster.SCRIPTS,
    matches = ".+",
    disabledReason = "NOT RUN: name the directory of the cluster scripts, see docs/scaling.md")
class FeaturesOnGaleraIT extends FeaturesOnSeveralWriters {

  private static Cluster cluster;

  @BeforeAll
  static void startCluster() {
    cluster = Cluster.start(Kind.GALERA);
  }

  @AfterAll
  static void stopCluster() {
    cluster.close();
  }

  @Override
  Cluster cluster() {
    return cluster;
  }
}
