package io.rowqueue.proof.cluster;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Runs only where the scripts that start clusters are named; their ports are for one at a time. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("full")
@ResourceLock("clusters")
@EnabledIfSystemProperty(
    named = Cluster.SCRIPTS,
    matches = ".+",
    disabledReason = "NOT RUN: name the directory of the cluster scripts, see CONTRIBUTING.md")
@interface NeedsClusters {}
