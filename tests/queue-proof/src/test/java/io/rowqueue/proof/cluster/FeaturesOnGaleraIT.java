package io.rowqueue.proof.cluster;

import io.rowqueue.proof.cluster.Cluster.Kind;

/** What teams ask of their queue, on several writers of MariaDB Galera. */
@NeedsClusters
class FeaturesOnGaleraIT extends FeaturesOnSeveralWriters {

  FeaturesOnGaleraIT() {
    super(Kind.GALERA);
  }
}
