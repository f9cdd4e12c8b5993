/** Extension points: codecs, stores of large payloads, compression and encryption. */
@NullMarked
package io.rowqueue.spi;

import org.jspecify.annotations.NullMarked;
