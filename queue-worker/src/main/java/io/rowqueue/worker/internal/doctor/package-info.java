/** Diagnoses a deployment and gives advice; read-only. */
@NullMarked
package io.rowqueue.worker.internal.doctor;

import org.jspecify.annotations.NullMarked;
