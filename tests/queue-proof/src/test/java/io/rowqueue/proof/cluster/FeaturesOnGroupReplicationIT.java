package io.rowqueue.proof.cluster;

import io.rowqueue.proof.cluster.Cluster.Kind;

@NeedsClusters
class FeaturesOnGroupReplicationIT extends FeaturesOnSeveralWriters {

  FeaturesOnGroupReplicationIT() {
    super(Kind.GROUP_REPLICATION_MULTI_PRIMARY);
  }
}
