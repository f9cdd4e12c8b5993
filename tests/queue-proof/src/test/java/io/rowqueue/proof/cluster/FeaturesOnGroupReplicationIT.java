package io.rowqueue.proof.cluster;

import io.rowqueue.proof.cluster.Cluster.Kind;

/** The same on Group Replication in multi-primary mode. */
@NeedsClusters
class FeaturesOnGroupReplicationIT extends FeaturesOnSeveralWriters {

  FeaturesOnGroupReplicationIT() {
    super(Kind.GROUP_REPLICATION_MULTI_PRIMARY);
  }
}
