package io.rowqueue.proof.cluster;

import io.rowqueue.proof.cluster.Cluster.Kind;

@NeedsClusters
class GroupReplicationWritersIT extends SeveralWriters {

  GroupReplicationWritersIT() {
    super(Kind.GROUP_REPLICATION_MULTI_PRIMARY);
  }
}
