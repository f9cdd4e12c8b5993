package io.rowqueue.proof.cluster;

import io.rowqueue.proof.cluster.Cluster.Kind;

/** Several writers on MariaDB Galera. */
@NeedsClusters
class GaleraIT extends SeveralWriters {

  GaleraIT() {
    super(Kind.GALERA);
  }
}
