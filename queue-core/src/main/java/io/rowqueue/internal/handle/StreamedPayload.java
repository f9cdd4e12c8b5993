package io.rowqueue.internal.handle;

import java.io.InputStream;

/** The payload of a handler of {@link InputStream}: opened anew each time that it runs. */
@FunctionalInterface
interface StreamedPayload {

  InputStream open();
}
