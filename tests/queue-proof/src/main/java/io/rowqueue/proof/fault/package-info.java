/**
 * The fault harness: real workers on a real server, faults that are injected while clients use
 * every feature, and afterwards the audit. Clients and handlers act and write what they did ({@code
 * ledger.sql}, {@code Journal}); {@code Invariant} and {@code HandlingAudit} judge. See {@code
 * README.md} of this module.
 */
@NullMarked
package io.rowqueue.proof.fault;

import org.jspecify.annotations.NullMarked;
