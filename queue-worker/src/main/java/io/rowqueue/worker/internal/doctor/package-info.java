/** Examines a deployment and says what to do about what it finds; changes nothing. */
@NullMarked
package io.rowqueue.worker.internal.doctor;

import org.jspecify.annotations.NullMarked;
