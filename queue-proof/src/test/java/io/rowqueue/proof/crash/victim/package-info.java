/** What runs inside a process that is about to be killed. Packed as a plug-in jar by the test. */
@org.jspecify.annotations.NullMarked
package io.rowqueue.proof.crash.victim;
