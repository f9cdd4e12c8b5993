package io.rowqueue.proof.cluster;

import io.rowqueue.proof.cluster.Cluster.Kind;

@NeedsClusters
class FeaturesOnGaleraIT extends FeaturesOnSeveralWriters {

  FeaturesOnGaleraIT() {
    super(Kind.GALERA);
  }
}
