/** Encrypts payloads with keys that rotate, by way of the optional library Tink. */
@NullMarked
package io.rowqueue.internal.seal;

import org.jspecify.annotations.NullMarked;
