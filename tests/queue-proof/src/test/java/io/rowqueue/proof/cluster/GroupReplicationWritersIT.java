package io.rowqueue.proof.cluster;

import io.rowqueue.proof.cluster.Cluster.Kind;

/** Several writers on Group Replication in multi-primary mode. */
@NeedsClusters
class GroupReplicationWritersIT extends SeveralWriters {

  GroupReplicationWritersIT() {
    super(Kind.GROUP_REPLICATION_MULTI_PRIMARY);
  }
}
