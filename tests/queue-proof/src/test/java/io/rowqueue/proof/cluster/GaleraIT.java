package io.rowqueue.proof.cluster;

import io.rowqueue.proof.cluster.Cluster.Kind;

@NeedsClusters
class GaleraIT extends SeveralWriters {

  GaleraIT() {
    super(Kind.GALERA);
  }
}
