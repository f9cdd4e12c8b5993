/** Encrypts payloads with keys that rotate, by way of the optional library Tink. */
@NullMarked
package io.rowqueue.seal;

import org.jspecify.annotations.NullMarked;
